import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLOPHON } from './colophon-up.ts';
import { isMissing, run } from './programs.ts';

const PASSPHRASE = 'correct horse';
const LOG4J = 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1';

/** How people have gpg make their keys. */
const KEYS = [
  { name: 'ed25519', algorithm: 'ed25519', passphrase: '' },
  { name: 'rsa', algorithm: 'rsa3072', passphrase: '' },
  { name: 'guarded', algorithm: 'ed25519', passphrase: PASSPHRASE },
] as const;

describe.skipIf(isMissing('gpg'))('gpg and our signatures', () => {
  let folder: string;
  const at = (name: string) => join(folder, name);
  // The socket of its agent has to fit into 108 characters: nothing below a deep folder.
  const home = (name: string) => ({ GNUPGHOME: at(name) });
  const gpg = (args: readonly string[], more: { home?: string; env?: Record<string, string> } = {}) =>
    run('gpg', ['--batch', '--no-tty', '--pinentry-mode', 'loopback', ...args], {
      cwd: folder,
      env: { ...home(more.home ?? 'gpg'), ...more.env },
    });
  const must = async (args: readonly string[], more: { home?: string } = {}) => {
    const outcome = await gpg(args, more);
    expect(outcome.code, `gpg ${args.join(' ')}\n${outcome.stderr}`).toBe(0);
    return outcome;
  };
  const colophon = (args: readonly string[], env: Record<string, string> = {}) =>
    run(COLOPHON, args, { cwd: folder, env: { COLOPHON_HOME: at('data'), ...env } });
  const created = async (file: string) => {
    const about = ['--vulnerability', 'CVE-2021-44228', '--product', LOG4J];
    const said = ['--status', 'not_affected', '--justification', 'vulnerable_code_not_present'];
    const made = await colophon(['vex', 'create', '--author', 'Dana', ...about, ...said, '--out', file]);
    expect(made.code, made.stderr).toBe(0);
    return file;
  };
  const newKey = async (name: string, algorithm: string, passphrase: string, more: readonly string[] = []) => {
    const user = `${name} <${name}@example.com>`;
    await must([...more, '--passphrase', passphrase, '--quick-gen-key', user, algorithm, 'sign', '10d']);
    await must(['--armor', '--output', at(`${name}.pub`), '--export', `=${user}`]);
    await must([
      '--passphrase',
      passphrase,
      '--armor',
      '--output',
      at(`${name}.key`),
      '--export-secret-keys',
      `=${user}`,
    ]);
    return user;
  };
  const verify = async (file: string, ...keys: string[]) => {
    const flags = keys.flatMap((key) => ['--openpgp-key', at(key)]);
    const outcome = await colophon(['vex', 'verify', file, ...flags, '--output', 'json']);
    return { code: outcome.code, ...JSON.parse(outcome.stdout) };
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gpg-'));
    mkdirSync(at('gpg'), { mode: 0o700 });
    for (const { name, algorithm, passphrase } of KEYS) await newKey(name, algorithm, passphrase);
  });
  afterAll(async () => {
    if (folder === undefined) return;
    await run('gpgconf', ['--kill', 'all'], { env: home('gpg') });
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each(KEYS)('with a key of kind $name', ({ name, passphrase }) => {
    const env: Record<string, string> = passphrase === '' ? {} : { COLOPHON_OPENPGP_PASSPHRASE: passphrase };

    test('gpg verifies what we sign, and not another document', async () => {
      const file = await created(`ours-${name}.json`);
      const signed = await colophon(['vex', 'sign', file, '--openpgp-key', at(`${name}.key`), '-o', 'json'], env);
      expect(signed.code, signed.stderr + signed.stdout).toBe(0);
      const { stdout } = await must(['--with-colons', '--fingerprint', `${name}@example.com`]);
      expect(stdout).toContain(`fpr:::::::::${JSON.parse(signed.stdout).fingerprint}:`);
      const good = await must(['--verify', `${file}.asc`, file]);
      expect(good.stderr).toContain(`Good signature from "${name} <${name}@example.com>"`);
      writeFileSync(at(file), readFileSync(at(file), 'utf8').replace('not_affected', 'affected'));
      const bad = await gpg(['--verify', `${file}.asc`, file]);
      expect(bad.code).not.toBe(0);
      expect(bad.stderr).toContain('BAD signature');
    });

    test('we verify what gpg signs, and not another document', async () => {
      const file = await created(`theirs-${name}.json`);
      await must(['--passphrase', passphrase, '--local-user', name, '--armor', '--detach-sign', file]);
      const verified = await verify(file, `${name}.pub`);
      expect(verified).toMatchObject({
        code: 0,
        ok: true,
        signatures: [{ kind: 'openpgp', signer: `${name} <${name}@example.com>`, is_person: true }],
      });
      writeFileSync(at(file), readFileSync(at(file), 'utf8').replace('Dana', 'Mallory'));
      expect(await verify(file, `${name}.pub`)).toMatchObject({
        code: 12,
        error: { code: 'openpgp.signature_mismatch' },
      });
    });
  });

  test('a passphrase that is wrong or missing is said, and never shown', async () => {
    const file = await created('closed.json');
    const line = ['vex', 'sign', file, '--openpgp-key', at('guarded.key'), '--output', 'json'];
    const [none, wrong] = [
      await colophon(line),
      await colophon(line, { COLOPHON_OPENPGP_PASSPHRASE: 'something secret' }),
    ];
    expect([none.code, JSON.parse(none.stdout).error.code]).toEqual([1, 'openpgp.passphrase_missing']);
    expect([wrong.code, JSON.parse(wrong.stdout).error.code]).toEqual([1, 'openpgp.passphrase_wrong']);
    expect(wrong.stdout + wrong.stderr).not.toContain('something secret');
  });

  test('another key, a keyring, and signatures of several', async () => {
    const file = await created('several.json');
    await must(['--local-user', 'ed25519', '--local-user', 'rsa', '--armor', '--detach-sign', file]);
    expect(await verify(file, 'guarded.pub')).toMatchObject({ code: 12, error: { code: 'openpgp.other_key' } });
    expect((await verify(file, 'rsa.pub')).signatures[0].signer).toBe('rsa <rsa@example.com>');
    await must(['--output', at('keyring.gpg'), '--export']);
    const both = await verify(file, 'keyring.gpg');
    expect(both.code).toBe(0);
    // By their fingerprints: what stands in a user id is what its owner wrote.
    const fingerprints = await Promise.all(
      ['ed25519', 'rsa'].map(async (name) =>
        (await verify(file, `${name}.pub`)).signatures[0].fingerprint.toLowerCase(),
      ),
    );
    expect(both.signatures[0].names.toSorted()).toEqual(fingerprints.sort());
  });

  test('a signature that is no detached one over the bytes is refused', async () => {
    const file = await created('inline.json');
    await must(['--local-user', 'ed25519', '--clear-sign', '--output', `${file}.asc`, file]);
    expect(await verify(file, 'ed25519.pub')).toMatchObject({ code: 12, error: { code: 'openpgp.not_detached' } });
    rmSync(at(`${file}.asc`));
    await must(['--local-user', 'ed25519', '--armor', '--sign', '--output', `${file}.asc`, file]);
    expect(await verify(file, 'ed25519.pub')).toMatchObject({ code: 12, error: { code: 'openpgp.not_detached' } });
    rmSync(at(`${file}.asc`));
    await must(['--local-user', 'ed25519', '--textmode', '--armor', '--detach-sign', file]);
    expect(await verify(file, 'ed25519.pub')).toMatchObject({ code: 13, error: { code: 'openpgp.signature_kind' } });
  });

  test('a hash that can be forged is refused', async () => {
    const file = await created('weak.json');
    await must(['--local-user', 'rsa', '--digest-algo', 'SHA1', '--armor', '--detach-sign', file]);
    expect(await verify(file, 'rsa.pub')).toMatchObject({ code: 13, error: { code: 'openpgp.weak_hash' } });
  });

  test('a key that has expired is refused, to sign and to verify with', async () => {
    const then = ['--faked-system-time', '20240101T000000!'];
    const user = await newKey('expired', 'ed25519', '', then);
    const file = await created('expired.json');
    await must([...then, '--local-user', `=${user}`, '--armor', '--detach-sign', file]);
    expect(await verify(file, 'expired.pub')).toMatchObject({ code: 13, error: { code: 'openpgp.key_expired' } });
    const refused = await colophon(['vex', 'sign', file, '--openpgp-key', at('expired.key'), '-o', 'json']);
    expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([13, 'openpgp.key_expired']);
  });

  test('a key that was revoked is refused', async () => {
    const user = await newKey('revoked', 'ed25519', '');
    const file = await created('revoked.json');
    await must(['--local-user', `=${user}`, '--armor', '--detach-sign', file]);
    expect((await verify(file, 'revoked.pub')).code).toBe(0);
    const listed = await must(['--with-colons', '--fingerprint', `=${user}`]);
    const fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(listed.stdout)![1]!;
    const certificate = readFileSync(join(at('gpg'), 'openpgp-revocs.d', `${fingerprint}.rev`), 'utf8');
    // gpg puts a colon before it, so that nobody imports it by accident.
    writeFileSync(at('revocation'), certificate.replace(':-----BEGIN', '-----BEGIN'));
    await must(['--import', at('revocation')]);
    await must(['--yes', '--armor', '--output', at('revoked.pub'), '--export', `=${user}`]);
    expect(await verify(file, 'revoked.pub')).toMatchObject({ code: 13, error: { code: 'openpgp.key_revoked' } });
  });

  test('the secret part of a subkey alone signs, as it is kept apart from the main key', async () => {
    const user = 'apart <apart@example.com>';
    await must(['--passphrase', '', '--quick-gen-key', user, 'ed25519', 'cert', '10d']);
    const listed = await must(['--with-colons', '--fingerprint', `=${user}`]);
    const fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(listed.stdout)![1]!;
    await must(['--passphrase', '', '--quick-add-key', fingerprint, 'ed25519', 'sign', '10d']);
    await must(['--armor', '--output', at('apart.pub'), '--export', fingerprint]);
    await must(['--passphrase', '', '--armor', '--output', at('apart.key'), '--export-secret-subkeys', fingerprint]);
    const file = await created('apart.json');
    const signed = await colophon(['vex', 'sign', file, '--openpgp-key', at('apart.key'), '-o', 'json']);
    expect(signed.code, signed.stdout).toBe(0);
    expect((await must(['--verify', `${file}.asc`, file])).stderr).toContain(`Good signature from "${user}"`);
    expect(await verify(file, 'apart.pub')).toMatchObject({ code: 0, signatures: [{ fingerprint }] });
  });
});
