import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parsePolicy } from '@colophon/admission';
import { cleanupAt, deadUrl, fillDisk, smallDisk, startPeer } from '@colophon/testkit';
import { authorityExtensions, certificateOf, tbsOf, toPem } from '@colophon/testkit/local-sigstore/certificate-writer';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { CONTEXT, type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
/** Services that answer as Fulcio and Rekor v1 do. */
let services: Installation;

beforeAll(async () => {
  services = await install(cleanup);
});
const addresses = (url = services.url) => ['--issuer', url, '--fulcio-url', url, '--rekor-url', url];
const ctLog = () => ['--ct-log-url', services.url, '--ct-log-key', join(services.dataDir, 'trust', 'ctfe.pub')];
const folderOf = (name: string) => join(services.folder, name);
const init = async (...line: string[]) => {
  const ran = await runLine(['init', ...line, '--output', 'json'], services.env);
  const document = JSON.parse(ran.stdout);
  return {
    exitCode: ran.exitCode,
    document,
    codes: (document.error?.issues ?? []).map((one: { code: string }) => one.code),
  };
};

describe('colophon init', () => {
  test('writes from addresses what signs, what verifies and what admits', async () => {
    const folder = folderOf('company');
    const { document } = await init(...addresses(), ...ctLog(), '--registry', services.registry, '--out', folder);
    expect(document.fetched.map(({ what }: { what: string }) => what).sort()).toEqual(['Fulcio’s root', 'Rekor’s key']);
    // Nothing but the new file says where to sign and whom to trust: this user has no data folder.
    const env = { HOME: folderOf('elsewhere'), COLOPHON_CONFIG: join(folder, 'colophon.yaml') };
    const artifact = services.file('change.patch', 'a change\n');
    const signed = await runLine(['sign-blob', ...CONTEXT, artifact], env);
    expect(signed.exitCode, signed.stderr).toBe(0);
    const line = ['verify-blob', '--bundle', `${artifact}.sigstore.json`, ...services.pinned, artifact, '-o', 'json'];
    expect(JSON.parse((await runLine(line, env)).stdout)).toMatchObject({
      ok: true,
      trusted_root: join(folder, 'trusted_root.json'),
    });
    const policy = readFileSync(join(folder, 'policy.yaml'), 'utf8');
    const parsed = parsePolicy(policy, { name: 'policy', predicateBase: 'https://colophon.example/predicates' });
    expect(parsed.ok).toBe(true);
    expect(policy).toContain(`${services.registry}/**`);
  });

  test('writes a client’s file, and whoever has it checked as a server’s is told what checks that', async () => {
    const file = join(folderOf('for clients'), 'colophon.yaml');
    await init(...addresses(), '--out', folderOf('for clients'));
    const check = async () => documentOf(await runLine(['config', 'check', file, '-o', 'json'], services.env)).error;
    expect(await check()).toMatchObject({ next: `colophon doctor --config '${file}'    (if it is for clients)` });
    writeFileSync(file, `${readFileSync(file, 'utf8')}callers: nobody\n`);
    expect(await check()).not.toHaveProperty('next');
  });

  test('says in the configuration that an authority without CT log needs no timestamp of one', async () => {
    const folder = folderOf('without');
    await init(...addresses(), '--out', folder);
    expect(readFileSync(join(folder, 'colophon.yaml'), 'utf8')).toContain('insecureIgnoreSct: true');
    expect(JSON.parse(readFileSync(join(folder, 'trusted_root.json'), 'utf8')).ctlogs).toEqual([]);
  });

  test('replaces nothing that says something else, unless that is said', async () => {
    const folder = folderOf('taken');
    mkdirSync(folder);
    writeFileSync(join(folder, 'policy.yaml'), 'mine');
    const line = [...addresses(), '--out', folder];
    expect((await init(...line)).document.error).toMatchObject({ code: 'cli.file_taken' });
    expect(() => readFileSync(join(folder, 'trusted_root.json'))).toThrow('ENOENT');
    expect((await init(...line, '--replace')).exitCode).toBe(0);
    // The same again is no change.
    expect((await init(...line)).exitCode).toBe(0);
  });

  const disk = smallDisk(1, cleanup);
  test.skipIf(disk === undefined)('on a full disk leaves whole files, and goes on once there is room', async () => {
    fillDisk(disk!);
    const filler = join(disk!, 'filler');
    const line = [...addresses(), '--out', join(disk!, 'company')];
    const outcomes = new Set<string>();
    for (;;) {
      const { exitCode, document } = await init(...line);
      if (exitCode === 0) break;
      outcomes.add(`${exitCode} ${document.error.code} ${basename(document.error.checked)}`);
      truncateSync(filler, statSync(filler).size - 4096);
    }
    // Each time another file was the first that did not fit.
    expect(outcomes.size).toBeGreaterThan(2);
    for (const one of outcomes) expect(one).toMatch(/^2 cli\.file_unwritable (?:company|[a-z_-]+\.[a-z]+)$/);
    await init(...addresses(), '--out', folderOf('roomy'));
    const contents = (folder: string) =>
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8').replaceAll(folder, '')]);
    expect(contents(join(disk!, 'company'))).toEqual(contents(folderOf('roomy')));
  });

  test('names everything that is missing at once', async () => {
    const rekorV2 = await startPeer(onTestFinished, ({ url }, response) =>
      response.writeHead(url === '/api/v2/log/entries' ? 400 : 404).end('{}'),
    );
    const line = [
      '--issuer',
      services.url,
      '--fulcio-url',
      rekorV2.url,
      '--rekor-url',
      rekorV2.url,
      '--ct-log-url',
      services.url,
    ];
    const { exitCode, codes } = await init(...line);
    expect(exitCode).toBe(1);
    expect(codes.sort()).toEqual([
      'setup.key_unpublished',
      'setup.key_unpublished',
      'setup.not_this_service',
      'setup.timestamps_needed',
    ]);
  });

  /** Services that pass on what the real ones say, but for their keys. */
  const between = (keys: { readonly chain?: (real: string) => string; readonly log?: (real: string) => string }) =>
    startPeer(onTestFinished, async ({ url }, response) => {
      const answer = await fetch(`${services.url}${url}`);
      const text = await answer.text();
      response.writeHead(answer.status);
      if (url === '/api/v1/log/publicKey' && keys.log !== undefined) return response.end(keys.log(text));
      if (url !== '/api/v2/trustBundle' || keys.chain === undefined) return response.end(text);
      const certificates = [keys.chain(JSON.parse(text).chains[0].certificates.join(''))];
      response.end(JSON.stringify({ chains: [{ certificates }] }));
    });
  const ofStrangers = (label: string) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    if (label === 'PUBLIC KEY') return publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const year = (more: number) => new Date(Date.now() + more * 365 * 24 * 3600 * 1000);
    const dates = { notBefore: year(-1), notAfter: year(1) };
    const names = { subject: 'stranger', issuer: 'stranger' };
    const tbs = tbsOf({ ...names, ...dates, publicKey, extensions: authorityExtensions(publicKey) });
    return toPem(certificateOf(tbs, privateKey));
  };

  test.each<[string, Parameters<typeof between>[0]]>([
    ['a root of its own before the one that it shows', { chain: (real) => ofStrangers('CERTIFICATE') + real }],
    ['a chain that ends before its root', { chain: (real) => real.slice(0, real.indexOf('-----END')) }],
    ['a key of its own before the one that it shows', { log: (real) => ofStrangers('PUBLIC KEY') + real }],
    ['a key with more behind it', { log: (real) => real + ofStrangers('PUBLIC KEY') }],
    ['a key between other words', { log: (real) => `see below\n${real}` }],
  ])('trusts nothing whose digest it does not show: %s', async (_, keys) => {
    const { url } = await between(keys);
    const folder = folderOf(`shown-${Math.random()}`);
    const line = ['--issuer', services.url, '--fulcio-url', url, '--rekor-url', url, '--out', folder];
    const { exitCode, codes } = await init(...line);
    expect([exitCode, codes]).toEqual([1, ['setup.not_this_service']]);
    expect(existsSync(folder)).toBe(false);
  });

  test('writes of a chain its certificates, and of what stands around them nothing', async () => {
    const { url } = await between({ chain: (real) => `Issuer: CN=x\n${real}\n# the end` });
    const folder = folderOf('around');
    const { exitCode } = await init('--issuer', services.url, '--fulcio-url', url, '--rekor-url', url, '--out', folder);
    expect(exitCode).toBe(0);
    const real = readFileSync(join(services.dataDir, 'trust', 'fulcio-chain.pem'), 'utf8');
    expect(readFileSync(join(folder, 'fulcio-chain.pem'), 'utf8').trim()).toBe(real.trim());
  });

  test('ends with 3 where services do not answer, and with 1 where a key is none', async () => {
    const { exitCode, codes } = await init(...addresses(await deadUrl()), '--out', folderOf('dead'));
    expect([exitCode, codes]).toEqual([3, ['setup.unreachable', 'setup.unreachable']]);
    const secret = services.file('secret.pem', readFileSync(join(services.dataDir, 'keys', 'ledger.pem')));
    const given = await init(...addresses(), '--rekor-key', secret, '--out', folderOf('secret'));
    expect([given.exitCode, given.codes]).toEqual([1, ['setup.key_unreadable']]);
    expect(JSON.stringify(given.document)).not.toContain('PRIVATE');
  });
});
