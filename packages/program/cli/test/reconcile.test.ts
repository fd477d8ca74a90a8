import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { canonicalJson } from '@colophon/json';
import { DEFAULT_CLAIM_ARC, FULCIO_ARC } from '@colophon/records';
import { LedgerStore, openDatabase } from '@colophon/store';
import { deadUrl, SIX_FIELDS, startPeer } from '@colophon/testkit';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseCertificate } from '../../../signing/sigstore/src/certificate/certificate.ts';
import { type AuthorityElsewhere, authorityElsewhere, stolenKey } from './authority-elsewhere.ts';
import { foreignSigner } from './foreign-signer.ts';
import { COMMIT, CONTEXT, type Installation, install } from './installation.ts';

const STATEMENT = {
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'app', digest: { sha256: 'a'.repeat(64) } }],
  predicateType: 'https://example.com/anything/v1',
  predicate: {},
} as const;

/** Signs with a token at an authority; answers with the serial of the certificate. */
async function signAt(url: string, token: string, rekorUrl = url): Promise<string> {
  const { bundle } = await foreignSigner(url, token, rekorUrl).signStatement(STATEMENT);
  const { verificationMaterial } = JSON.parse(Buffer.from(bundle).toString());
  return parseCertificate(Buffer.from(verificationMaterial.certificate.rawBytes, 'base64')).serialNumber;
}

let here: Installation;
let elsewhere: AuthorityElsewhere;
const undo: Array<() => void | Promise<void>> = [];
beforeAll(async () => {
  here = await install((step) => void undo.unshift(step));
  return async () => {
    for (const step of undo) await step();
  };
});
beforeEach(async () => {
  elsewhere = await authorityElsewhere(here, onTestFinished);
});

const ofItsLog = ({ url, ctLogKey }: AuthorityElsewhere) => ['--ct-log-url', url, '--ct-log-key', ctLogKey];

/** What the command prints, and how it ends. */
async function reconciled(...flags: string[]) {
  const { exitCode, stdout } = await here.run('ledger', 'reconcile', ...flags, '--output', 'json');
  return { exitCode, ...JSON.parse(stdout) };
}

test('every certificate of a sound installation says what the ledger says, in its own log and in its transparency log', async () => {
  const own = await install(onTestFinished);
  await own.document('sign-blob', own.file('app', 'made'), ...CONTEXT);
  await own.document(
    'review',
    'approve',
    own.file('other', 'x'),
    '--reviewer',
    'alice@example.com',
    '--commit-sha',
    COMMIT,
  );
  const ct = await own.document('ledger', 'reconcile');
  expect(ct).toMatchObject({ ok: true, issuer: own.url, findings: [], erased: [], unvouched_count: 0 });
  expect(ct.agreeing_count).toBeGreaterThanOrEqual(2);
  expect(ct.logs).toMatchObject([{ log: 'ct', url: own.url, start: 0, tree_size: ct.agreeing_count }]);
  const rekor = await own.document('ledger', 'reconcile', '--rekor-url', own.url);
  expect(rekor).toMatchObject({ ok: true, findings: [], unvouched_count: 0 });
  expect(rekor.logs).toMatchObject([{ log: 'rekor' }]);
  const both = await own.document('ledger', 'reconcile', '--rekor-url', own.url, '--ct-log-url', own.url);
  expect(both.agreeing_count).toBe(ct.agreeing_count + rekor.agreeing_count);
});

describe('a certificate that a stolen key bought elsewhere', () => {
  type Claims = Record<string, unknown>;
  const arc = (number: number) => `${DEFAULT_CLAIM_ARC}.${number}`;
  const fulcio = (number: number) => `${FULCIO_ARC}.${number}`;

  test.each<[string, (claims: Claims) => Claims, Record<string, unknown>, string[]]>([
    ['another model', (claims) => ({ ...claims, model_id: 'made-up' }), {}, [fulcio(18), arc(8)]],
    [
      'another agent',
      (claims) => ({ ...claims, sub: 'agent:other', agent_name: 'other' }),
      {},
      ['2.5.29.17', fulcio(9), fulcio(24), arc(2), arc(6)],
    ],
    ['a longer life', (claims) => ({ ...claims, exp: Number(claims['exp']) + 1 }), {}, [arc(4)]],
    ['a tree', (claims) => ({ ...claims, tree_sha: '7a'.repeat(20) }), {}, [arc(22)]],
    ['no reviewer', ({ human_reviewer: _, ...claims }) => claims, {}, [fulcio(23), arc(12)]],
    ['no agent id', ({ agent_id: _, ...claims }) => claims, {}, [arc(19)]],
    ['a jti that no row has', (claims) => ({ ...claims, jti: randomUUID() }), { code: 'token_unissued' }, []],
    ['a jti that is as good as none', (claims) => ({ ...claims, jti: 'unknown' }), { code: 'jti_missing' }, []],
  ])('with %s is named by its serial and by each field: exit 21', async (_what, change, expected, fields) => {
    const { token, claims, forge } = await stolenKey(here, SIX_FIELDS);
    await signAt(elsewhere.url, token);
    const serial = await signAt(elsewhere.url, forge(change(claims)));
    for (const flags of [
      ofItsLog(elsewhere),
      ['--rekor-url', elsewhere.url, '--trusted-root', elsewhere.trustedRoot],
    ]) {
      const result = await reconciled(...flags);
      expect(result).toMatchObject({ exitCode: 21, ok: false, agreeing_count: 1, unvouched_count: 0 });
      expect(result.findings).toMatchObject([
        { serial_number: serial, log_index: 1, code: 'claims_differ', ...expected },
      ]);
      const found = result.findings[0].differences.map(({ field }: { field: string }) => field);
      expect(found.toSorted()).toEqual(fields.toSorted());
    }
  });

  test('shows what ledger and certificate say, for scripts and for people', async () => {
    const { claims, forge } = await stolenKey(here, SIX_FIELDS);
    const serial = await signAt(elsewhere.url, forge({ ...claims, model_id: 'made-up' }));
    const { findings } = await reconciled(...ofItsLog(elsewhere));
    expect(findings[0].differences).toContainEqual({
      field: arc(8),
      claims: ['model_id'],
      expected: claims['model_id'],
      found: 'made-up',
    });
    const { stdout, exitCode } = await here.run('ledger', 'reconcile', ...ofItsLog(elsewhere), '--wide');
    expect(exitCode).toBe(21);
    for (const word of [serial, 'claims_differ', 'made-up', String(claims['model_id'])]) expect(stdout).toContain(word);
  });

  test('long after the token of its claims is found by its time alone', async () => {
    const { claims, forge } = await stolenKey(here, SIX_FIELDS);
    const later = await authorityElsewhere(here, onTestFinished, { now: () => new Date(Date.now() + 7_200_000) });
    const lived = { iat: Number(claims['iat']) + 7_200, exp: Number(claims['exp']) + 7_200 };
    const serial = await signAt(later.url, forge({ ...claims, ...lived }));
    const { findings } = await reconciled(...ofItsLog(later));
    expect(findings).toMatchObject([{ serial_number: serial }]);
    expect(findings[0].differences).toContainEqual(expect.objectContaining({ field: 'not_before' }));
  });

  test('is found under an arc that the installation has not, by Fulcio’s extensions', async () => {
    const other = await authorityElsewhere(here, onTestFinished, { claimArc: '1.3.6.1.4.1.99999.1' });
    const { claims, forge } = await stolenKey(here, SIX_FIELDS);
    await signAt(other.url, forge({ ...claims, prompt_hash: `sha256:${'0'.repeat(64)}` }));
    const { findings } = await reconciled(...ofItsLog(other));
    expect(findings[0].differences.map(({ field }: { field: string }) => field)).toEqual([fulcio(19)]);
  });
});

test('a row that was erased is said, and is no finding', async () => {
  const own = await install(onTestFinished);
  await own.document('sign-blob', own.file('app', 'made'), ...CONTEXT);
  const db = openDatabase(`${own.dataDir}/colophon.db`);
  const { jti } = new LedgerStore(db).last()!;
  db.close();
  // A row is erased once a checkpoint covers it, which is within the second.
  await vi.waitFor(() => own.document('ledger', 'erase', jti, '--reason', 'ticket 1'), 25_000);
  const result = await own.document('ledger', 'reconcile');
  expect(result).toMatchObject({ ok: true, findings: [], erased: [{ log: 'ct', jti }] });
  expect((await own.run('ledger', 'reconcile')).stdout).toContain('1 certificate of erased rows');
});

test('what anybody writes into a transparency log in the issuer’s name is counted, and no finding', async () => {
  const { token, claims, forge } = await stolenKey(here, SIX_FIELDS);
  const stranger = await authorityElsewhere(here, onTestFinished);
  await signAt(stranger.url, forge({ ...claims, model_id: 'made-up' }), elsewhere.url);
  await signAt(elsewhere.url, token);
  const flags = ['--rekor-url', elsewhere.url, '--trusted-root', elsewhere.trustedRoot];
  expect(await reconciled(...flags)).toMatchObject({
    exitCode: 0,
    agreeing_count: 1,
    unvouched_count: 1,
    findings: [],
  });
  expect((await here.run('ledger', 'reconcile', ...flags)).stdout).toContain('1 certificate of no pinned authority');
});

test('a certificate that is logged after its time is found: a timestamp may prove that it was used before', async () => {
  let late = 0;
  const slow = await authorityElsewhere(here, onTestFinished, { now: () => new Date(Date.now() + late) });
  const { url, requests } = await startPeer(onTestFinished, async (request, response) => {
    late = 3_600_000;
    const headers = { 'content-type': 'application/json' };
    const { body } = requests.at(-1)!;
    const answer = await fetch(`${slow.url}${request.url}`, { method: 'POST', headers, body });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  const { claims, forge } = await stolenKey(here, SIX_FIELDS);
  const serial = await signAt(slow.url, forge({ ...claims, model_id: 'made-up' }), url);
  const found = await reconciled('--rekor-url', slow.url, '--trusted-root', slow.trustedRoot);
  expect(found).toMatchObject({ exitCode: 21, unvouched_count: 0 });
  expect(found.findings).toMatchObject([{ serial_number: serial, code: 'claims_differ' }]);
});

test('certificates that name another issuer are passed over', async () => {
  const other = await install(onTestFinished);
  await other.document('sign-blob', other.file('app', 'made'), ...CONTEXT);
  const flags = ['--ct-log-url', other.url, '--ct-log-key', `${other.dataDir}/trust/ctfe.pub`];
  expect(await reconciled(...flags)).toMatchObject({
    exitCode: 0,
    agreeing_count: 0,
    findings: [],
    logs: [{ certificate_count: 1 }],
  });
});

test('the next reading goes on where the last one ended, and holds the log to it', async () => {
  const { token, claims, forge } = await stolenKey(here, SIX_FIELDS);
  for (let i = 0; i < 5; i += 1) await signAt(elsewhere.url, token);
  const first = await reconciled(...ofItsLog(elsewhere));
  const { tree_size, root_hash } = first.logs[0];
  expect([first.exitCode, tree_size]).toEqual([0, 5]);
  const goOn = [...ofItsLog(elsewhere), '--start', String(tree_size), '--start-root', root_hash];

  expect(await reconciled(...goOn)).toMatchObject({
    exitCode: 0,
    agreeing_count: 0,
    logs: [{ start: 5, tree_size: 5 }],
  });
  const serial = await signAt(elsewhere.url, forge({ ...claims, model_id: 'made-up' }));
  const next = await reconciled(...goOn);
  expect(next).toMatchObject({
    exitCode: 21,
    agreeing_count: 0,
    findings: [{ serial_number: serial, log_index: 5 }],
    logs: [{ start: 5, start_root_hash: root_hash, tree_size: 6, certificate_count: 1 }],
  });
  const rekor = ['--rekor-url', elsewhere.url, '--trusted-root', elsewhere.trustedRoot, '--start', '5'];
  expect(await reconciled(...rekor)).toMatchObject({ exitCode: 21, agreeing_count: 0, findings: [{ log_index: 5 }] });

  const of = (...flags: string[]) => here.refusal('ledger', 'reconcile', ...ofItsLog(elsewhere), ...flags);
  expect(await of('--start', '5', '--start-root', '0'.repeat(64))).toMatchObject({
    exitCode: 13,
    code: 'reconciliation.start_mismatch',
  });
  expect(await of('--start', '7')).toMatchObject({ exitCode: 13, code: 'reconciliation.log_shorter' });
  expect(await here.refusal('ledger', 'reconcile', ...rekor.slice(0, -1), '7')).toMatchObject({
    exitCode: 13,
    code: 'reconciliation.log_shorter',
  });
});

describe('a log that lies', () => {
  // biome-ignore lint/suspicious/noExplicitAny: answers are taken apart in every way
  type Answer = any;

  /** The log of the authority elsewhere, whose answers somebody changes on the way. */
  async function lying(change: (path: string, answer: Answer) => Answer): Promise<string[]> {
    const { url } = await startPeer(onTestFinished, async (request, response) => {
      const answer = await fetch(`${elsewhere.url}${request.url}`);
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(change(request.url ?? '', await answer.json())));
    });
    return ['--ct-log-url', url, '--ct-log-key', elsewhere.ctLogKey];
  }

  beforeEach(async () => {
    const { token, claims, forge } = await stolenKey(here, SIX_FIELDS);
    await signAt(elsewhere.url, token);
    await signAt(elsewhere.url, forge({ ...claims, model_id: 'made-up' }));
    await signAt(elsewhere.url, token);
  });

  const onEntries = (change: (entries: Answer[]) => Answer[]) => (path: string, answer: Answer) =>
    path.includes('get-entries') ? { entries: change(answer.entries) } : answer;

  test('is read truly through the same hands', async () => {
    expect(await reconciled(...(await lying((_, answer) => answer)))).toMatchObject({ exitCode: 21 });
    expect(await reconciled(...(await lying(onEntries((entries) => entries.slice(0, 1)))))).toMatchObject({
      exitCode: 21,
      logs: [{ certificate_count: 3 }],
    });
  });

  test.each<[string, (path: string, answer: Answer) => Answer, string]>([
    ['shows another entry in the place of one', onEntries(([a, , c]) => [a, a, c]), 'reconciliation.tree_mismatch'],
    ['exchanges two entries', onEntries(([a, b, c]) => [b, a, c]), 'reconciliation.tree_mismatch'],
    ['answers with no entries', onEntries(() => []), 'reconciliation.answer_invalid'],
    ['answers with more entries than it has', onEntries((all) => [...all, ...all]), 'reconciliation.answer_invalid'],
    [
      'says that it is smaller',
      (path, answer) => (path.includes('get-sth') ? { ...answer, tree_size: 1 } : answer),
      'reconciliation.log_untrusted',
    ],
    [
      'signs with no key that is pinned',
      (path, answer) => (path.includes('get-sth') ? { ...answer, timestamp: answer.timestamp + 1 } : answer),
      'reconciliation.log_untrusted',
    ],
    ['is no log', () => ({}), 'reconciliation.answer_invalid'],
  ])('and %s is refused: exit 13', async (_how, change, code) => {
    expect(await here.refusal('ledger', 'reconcile', ...(await lying(change)))).toMatchObject({ exitCode: 13, code });
  });

  test('about the entries before the first one that is read gives another root', async () => {
    const flags = await lying((path, answer) =>
      path.includes('get-entry-and-proof') ? { ...answer, leaf_input: Buffer.from('x').toString('base64') } : answer,
    );
    expect(await here.refusal('ledger', 'reconcile', ...flags, '--start', '2')).toMatchObject({
      exitCode: 13,
      code: 'reconciliation.tree_mismatch',
    });
  });

  test('is not known by the key of another log', async () => {
    const other = await authorityElsewhere(here, onTestFinished);
    const flags = ['--ct-log-url', elsewhere.url, '--ct-log-key', other.ctLogKey];
    expect(await here.refusal('ledger', 'reconcile', ...flags)).toMatchObject({
      exitCode: 13,
      code: 'reconciliation.log_untrusted',
    });
  });
});

describe('a transparency log that lies', () => {
  // biome-ignore lint/suspicious/noExplicitAny: answers are taken apart in every way
  type Answer = any;

  async function lying(change: (path: string, answer: Answer) => Answer | Promise<Answer>): Promise<string[]> {
    const { url } = await startPeer(onTestFinished, async (request, response) => {
      const answer = await fetch(`${elsewhere.url}${request.url}`);
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(await change(request.url ?? '', await answer.json())));
    });
    return ['ledger', 'reconcile', '--rekor-url', url, '--trusted-root', elsewhere.trustedRoot];
  }

  beforeEach(async () => {
    const { token, claims, forge } = await stolenKey(here, SIX_FIELDS);
    await signAt(elsewhere.url, token);
    await signAt(elsewhere.url, forge({ ...claims, model_id: 'made-up' }));
  });

  const entry = async (index: number): Promise<Answer> =>
    (await fetch(`${elsewhere.url}/api/v1/log/entries?logIndex=${index}`)).json();

  /** Entry 0 in the place of entry 1, with a promise by the log's own key, and with its true proof. */
  async function hidden(): Promise<Answer> {
    const [uuid, first] = Object.entries<Answer>(await entry(0))[0]!;
    const { body, integratedTime, logID } = first;
    const promise = canonicalJson({ body, integratedTime, logID, logIndex: 1 });
    const { key } = elsewhere.authority.transparencyLog;
    const signedEntryTimestamp = Buffer.from(await key.signDer(promise)).toString('base64');
    return { [uuid]: { ...first, logIndex: 1, verification: { ...first.verification, signedEntryTimestamp } } };
  }

  test('is read truly through the same hands', async () => {
    expect(await here.run(...(await lying((_, answer) => answer)))).toMatchObject({ exitCode: 21 });
    // So answers Rekor's own server where it has one tree.
    const asRekor = await lying((path, answer) => (onHead(path) ? { ...answer, inactiveShards: null } : answer));
    expect(await here.run(...asRekor)).toMatchObject({ exitCode: 21 });
  });

  const onEntry = (path: string, index: number) => path.endsWith(`logIndex=${index}`);
  const onHead = (path: string) => path === '/api/v1/log';
  test.each<[string, (path: string, answer: Answer) => Answer, string]>([
    ['shows an entry twice', (path, answer) => (onEntry(path, 1) ? entry(0) : answer), 'log.entry_mismatch'],
    ['promises an entry twice', (path, answer) => (onEntry(path, 1) ? hidden() : answer), 'log.entry_mismatch'],
    [
      'says that it is smaller',
      (path, answer) => (onHead(path) ? { ...answer, treeSize: 1 } : answer),
      'log.answer_invalid',
    ],
    [
      'has a head by another key',
      (path, answer) =>
        onHead(path)
          ? { ...answer, signedTreeHead: answer.signedTreeHead.replace(/\n2\n/, '\n1\n'), treeSize: 1 }
          : answer,
      'log.untrusted',
    ],
    ['has no head', (path, answer) => (onHead(path) ? {} : answer), 'log.answer_invalid'],
    [
      'has shards that are none',
      (path, answer) => (onHead(path) ? { ...answer, inactiveShards: {} } : answer),
      'log.answer_invalid',
    ],
  ])('and %s is refused', async (_how, change, code) => {
    const refusal = await here.refusal(...(await lying(change)));
    expect(refusal.code).toBe(code);
    expect([12, 13]).toContain(refusal.exitCode);
  });
});

test('a log at an address that the trusted root names is held to the key that is named beside it', async () => {
  const other = await authorityElsewhere(here, onTestFinished);
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const [root, its] = [read(elsewhere.trustedRoot), read(other.trustedRoot)];
  const pinned = (ctlogs: object[]) => ['--trusted-root', here.file('root.json', { ...root, ctlogs })];
  const at = (url: string, { ctlogs }: { ctlogs: object[] }) => ({ ...ctlogs[0], baseUrl: url });
  const line = ['ledger', 'reconcile', '--ct-log-url', `${elsewhere.url}/`];
  const { token } = await stolenKey(here, SIX_FIELDS);
  await signAt(elsewhere.url, token);

  const right = pinned([at(other.url, its), at(elsewhere.url, root)]);
  expect(await here.document(...line, ...right)).toMatchObject({ agreeing_count: 1 });
  const moved = pinned([at('https://ct.example', its), at('https://copy.example', root)]);
  expect(await here.document(...line, ...moved)).toMatchObject({ agreeing_count: 1 });
  const exchanged = pinned([at(elsewhere.url, its), at(other.url, root)]);
  expect(await here.refusal(...line, ...exchanged)).toMatchObject({
    exitCode: 13,
    code: 'reconciliation.log_untrusted',
  });
});

test('a log that cannot be read ends with 3', async () => {
  const dead = await deadUrl();
  const { url } = await startPeer(onTestFinished, (_request, response) => response.writeHead(404).end());
  for (const address of [dead, url]) {
    const flags = ['--ct-log-url', address, '--ct-log-key', elsewhere.ctLogKey];
    expect(await here.refusal('ledger', 'reconcile', ...flags)).toMatchObject({
      exitCode: 3,
      code: 'reconciliation.log_unavailable',
    });
  }
  expect(await here.refusal('ledger', 'reconcile', '--rekor-url', dead)).toMatchObject({
    exitCode: 3,
    code: 'log.unavailable',
  });
});

test.each([
  [['--start', '1', '--ct-log-url', 'http://localhost:1', '--rekor-url', 'http://localhost:1']],
  [['--start-root', 'a'.repeat(64)]],
  [['--start', '-1']],
  [['--start', '1', '--start-root', 'abc']],
])('%j cannot be meant: exit 1', async (flags) => {
  expect(await here.refusal('ledger', 'reconcile', ...flags)).toMatchObject({ exitCode: 1, code: 'cli.usage' });
});
