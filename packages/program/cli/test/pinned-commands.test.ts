// Every command that believes a signature meets the log's checkpoint in it, and refuses one that forks from what was seen.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ecdsaKeyHash, formatCheckpoint, parseCheckpoint, parseNote, signNote } from '@colophon/merkle';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLine } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let image: string;
const at = (name: string) => join(here.folder, name);

beforeAll(async () => {
  here = await install(cleanup);
  image = await here.push('webshop');
  here.file('policy.yaml', policyText(here.url, here.registry));
  const run = here.file('agent-run.json', AGENT_RUN);
  await here.document('sign', ...CONTEXT, image);
  await here.document('attest', '--type', 'agent-run', '--predicate', run, ...CONTEXT, image);
  await here.document('review', 'approve', image, ...dana, '--commit-sha', COMMIT, '--duration', '12');
  const about = ['--vulnerability', 'CVE-2021-44228', '--product', 'pkg:npm/shop@1', '--author', 'Dana'];
  const status = ['--status', 'under_investigation'];
  await here.document('vex', 'create', ...about, ...status, '--out', at('shop.vex.json'));
  await here.document('vex', 'sign', at('shop.vex.json'), ...dana);
  here.file('shop.cdx.json', {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': 'root', name: 'shop', version: '1' } },
    components: [],
  });
  await here.document('sign-blob', at('shop.cdx.json'), ...CONTEXT);
  const place = ['--to', at('published')];
  await here.document('sbom', 'publish', at('shop.cdx.json'), ...place, ...CONTEXT);
  await here.document('pack', image, '--policy', at('policy.yaml'), '--out', at('early.pack.json'));
  plantForks();
});
const dana = ['--reviewer', 'dana@example.com'];
const signed = () => ['--bundle', `${at('shop.cdx.json')}.sigstore.json`];
const asDana = () => [
  ...['--certificate-identity', 'reviewer:dana@example.com', '--certificate-oidc-issuer', here.url],
];

/** Of another home, where everything that the log has signed is known with other roots. */
function plantForks(): void {
  const keys = readdirSync(join(here.dataDir, 'keys'))
    .filter((name) => name.endsWith('.pem'))
    .map((name) => createPrivateKey(readFileSync(join(here.dataDir, 'keys', name))));
  const bundle = JSON.parse(readFileSync(`${at('shop.cdx.json')}.sigstore.json`, 'utf8'));
  const { envelope } = bundle.verificationMaterial.tlogEntries[0].inclusionProof.checkpoint;
  const note = parseNote(envelope);
  const checkpoint = note.ok ? parseCheckpoint(note.value.text) : note;
  if (!note.ok || !checkpoint.ok) throw new Error('no checkpoint');
  const { name, keyHash } = note.value.signatures[0]!;
  const spkiOf = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'der' });
  const key = keys.find((one) => Buffer.from(ecdsaKeyHash(spkiOf(one))).equals(Buffer.from(keyHash)))!;
  const { origin } = checkpoint.value;
  const fork = (size: number) =>
    signNote(formatCheckpoint({ origin, size, root: new Uint8Array(32) }), {
      ...{ name, keyHash },
      sign: (bytes) => sign('sha256', bytes, key),
    });
  const hex = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
  const file = join(at('verifier'), 'colophon', 'pins', `${hex(spkiOf(key))}.${hex(origin).slice(0, 16)}`);
  mkdirSync(join(file, '..'), { recursive: true });
  cpSync(join(at('config'), 'colophon', 'reviewer-secret'), join(at('verifier'), 'colophon', 'reviewer-secret'));
  writeFileSync(`${file}.pinned`, fork(1));
  writeFileSync(`${file}.seen`, JSON.stringify(Array.from({ length: 60 }, (_, i) => fork(i + 2))));
}

test.each<[string, () => string[]]>([
  ['verify-blob', () => [at('shop.cdx.json'), ...here.pinned]],
  ['admit', () => [image, '--policy', at('policy.yaml')]],
  ['explain', () => [image, '--policy', at('policy.yaml')]],
  ['pack', () => [image, '--policy', at('policy.yaml'), '--out', at('webshop.pack.json')]],
  ['verify --offline', () => [at('early.pack.json'), '--policy', at('policy.yaml')]],
  ['attachments', () => [image]],
  ['review list', () => []],
  ['vex verify', () => [at('shop.vex.json'), ...asDana()]],
  ['sbom fetch', () => ['shop', '--from', at('published'), ...here.pinned]],
  ['sbom publish', () => [at('shop.cdx.json'), ...signed(), '--to', at('again')]],
  ['sbom publish --check', () => [at('shop.cdx.json'), '--to', at('published'), ...here.pinned]],
  ['ledger reconcile', () => ['--rekor-url', here.url]],
  ['log checkpoint', () => []],
  ['sign-blob', () => [here.file('new.txt', 'new'), ...CONTEXT]],
  ['review approve', () => [image, ...dana, '--commit-sha', COMMIT, '--duration', '3']],
])('%s refuses a log that forks from what was seen of it', async (command, rest) => {
  const line = [...command.split(' '), ...rest(), ...(command === 'log checkpoint' ? [] : ['--output', 'json'])];
  const own = await runLine(line, { ...here.env, XDG_CONFIG_HOME: at('verifier') });
  expect(own).toMatchObject({ exitCode: 13 });
  expect(own.stdout + own.stderr).toContain('pin.fork');
  for (const name of ['webshop.pack.json', 'new.txt.sigstore.json', 'again']) expect(existsSync(at(name))).toBe(false);
});
