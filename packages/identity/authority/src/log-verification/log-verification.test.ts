import { join } from 'node:path';
import { openDatabase } from '@colophon/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningAuthority, runAuthority } from '../../test/running-authority.ts';
import { hashedRekordOf, makeSigner } from '../../test/signer.ts';
import { verifyLogs } from './log-verification.ts';

const signer = makeSigner();
let running: RunningAuthority;

beforeEach(async () => {
  running = await runAuthority();
  for (let i = 0; i < 5; i += 1) {
    await running.authority.addLogEntry(hashedRekordOf(signer, `artifact ${i}`));
    await running.certify(signer);
  }
});
afterEach(() => running.remove());

const problems = () => verifyLogs(running.db, running.authority.trust).flatMap((report) => report.problems);
const run = (sql: string) => running.db.sqlite.exec(sql);

test('whole logs have no problems, also where the file is opened for reading alone', async () => {
  const [transparency, certificate] = verifyLogs(running.db, running.authority.trust);
  expect(transparency).toMatchObject({ log: 'transparency', entry_count: 5, head_count: 5, problems: [] });
  expect(certificate).toMatchObject({ log: 'certificate', entry_count: 5, head_count: 5, problems: [] });
  expect(transparency!.root_hash).toBe((await running.get('/api/v1/log')).json().rootHash);
  const readonly = openDatabase(join(running.dataDir, 'colophon.db'), { readonly: true });
  expect(verifyLogs(readonly, running.authority.trust)).toEqual([transparency, certificate]);
  readonly.close();
});

test('logs without entries are whole', async () => {
  const empty = await runAuthority();
  await empty.get('/api/v1/log');
  expect(
    verifyLogs(empty.db, empty.authority.trust).map(({ entry_count: entries, head_count: heads, problems: list }) => [
      entries,
      heads,
      list,
    ]),
  ).toEqual([
    [0, 1, []],
    [0, 0, []],
  ]);
  await empty.remove();
});

test.each([
  [
    'a changed body',
    "UPDATE log_entry SET body = CAST(replace(CAST(body AS TEXT), 'sha256', 'sha512') AS BLOB) WHERE log_index = 2",
  ],
  ['a changed leaf hash', 'UPDATE log_entry SET leaf_hash = zeroblob(32) WHERE log_index = 2'],
  ['a removed entry', 'DELETE FROM log_entry WHERE log_index = 2'],
  ['a removed last entry', 'DELETE FROM log_entry WHERE log_index = 4'],
  ['a changed certificate', 'UPDATE ct_entry SET leaf_input = zeroblob(10) WHERE entry_index = 1'],
  ['a removed certificate', 'DELETE FROM ct_entry WHERE entry_index = 4'],
  [
    'a changed checkpoint',
    "UPDATE merkle_head SET note = replace(note, 'localhost - ', 'localhost - 1') WHERE tree = 'rekor' AND size = 3",
  ],
  [
    'a checkpoint of another size',
    "UPDATE merkle_head SET note = (SELECT note FROM merkle_head WHERE tree = 'rekor' AND size = 2) WHERE tree = 'rekor' AND size = 3",
  ],
  ['a checkpoint that is none', "UPDATE merkle_head SET note = 'x' WHERE tree = 'rekor' AND size = 3"],
  [
    'more behind the signature of a tree head',
    "UPDATE merkle_head SET note = note || '====x' WHERE tree = 'ct' AND size = 3",
  ],
  ['a changed time of a tree head', "UPDATE merkle_head SET signed_at = signed_at + 1 WHERE tree = 'ct' AND size = 3"],
  ['a changed root of an older head', "UPDATE merkle_head SET root = zeroblob(32) WHERE tree = 'ct' AND size = 3"],
])('%s is found', (_, sql) => {
  run(sql);
  expect(problems().length).toBeGreaterThan(0);
});

test('an entry beyond the tree is found', () => {
  run(
    'INSERT INTO log_entry SELECT 5, randomblob(32), body, integrated_time, promise, keys_digest FROM log_entry WHERE log_index = 4',
  );
  expect(problems().length).toBeGreaterThan(0);
});

test('another key’s logs are not ours', () => {
  const { ctPublicKey, rekorPublicKey } = running.authority.trust;
  const swapped = verifyLogs(running.db, { ctPublicKey: rekorPublicKey, rekorPublicKey: ctPublicKey });
  expect(swapped.every((report) => report.problems.length > 5)).toBe(true);
});
