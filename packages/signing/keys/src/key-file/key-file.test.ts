import { execFile } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KeyError } from '../key-error/key-error.ts';
import { SigningKey } from '../signing-key/signing-key.ts';
import { newPrivateKey, openKeyFile } from './key-file.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const fails = (code: string) => expect.objectContaining({ name: 'KeyError', code });
const keyPath = () => join(temporaryFolder(onTestFinished), 'keys', 'issuer.pem');

/** A file in a folder of its own, as its owner may have written it. */
function written(content: string | Buffer, fileMode = 0o600): string {
  const path = join(temporaryFolder(onTestFinished), 'key.pem');
  writeFileSync(path, content);
  chmodSync(path, fileMode);
  return path;
}

/** A command that opens the key file in a process of its own and prints the key's name. */
function openIn(path: string, alg: string): string[] {
  const program = `
    import { openKeyFile } from ${JSON.stringify(join(import.meta.dirname, 'key-file.ts'))};
    process.stdout.write(openKeyFile(process.argv[1], ${JSON.stringify(alg)}).kid);`;
  return [process.execPath, '--input-type=module', '-e', program, path];
}

const pem = (curve: string) =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

describe('a key file that is not there', () => {
  test.each(['RS256', 'ES256'] as const)('is made for %s, and the next start has the same key', (alg) => {
    const path = keyPath();
    const key = openKeyFile(path, alg);
    expect(key.alg).toBe(alg);
    expect(openKeyFile(path, alg).kid).toBe(key.kid);
    if (alg === 'RS256') expect(createPrivateKey(readFileSync(path)).asymmetricKeyDetails?.modulusLength).toBe(2048);
  });

  test.each(['000', '777'])('is made for its owner alone, though the process’s mask is %s', async (mask) => {
    const path = keyPath();
    mkdirSync(join(path, '..'), { mode: 0o700 });
    await promisify(execFile)('sh', ['-c', `umask ${mask}; exec "$@"`, 'sh', ...openIn(path, 'ES256')]);
    expect(modeOf(path)).toBe('600');
  });

  test('is made in a folder for its owner alone, and alone', () => {
    const path = keyPath();
    openKeyFile(path, 'ES256');
    expect(modeOf(join(path, '..'))).toBe('700');
    expect(readdirSync(join(path, '..'))).toEqual(['issuer.pem']);
  });

  test('is made though an earlier start left its draft behind', () => {
    const path = keyPath();
    mkdirSync(join(path, '..'));
    writeFileSync(`${path}.${process.pid}.new`, 'half a key');
    expect(openKeyFile(path, 'ES256').alg).toBe('ES256');
  });

  test('is made once by several starts at the same time', async () => {
    const path = keyPath();
    // Finding primes takes long enough for all of them to see that there is no file yet.
    const start = () => promisify(execFile)(process.execPath, openIn(path, 'RS256').slice(1));
    const starts = await Promise.all([start(), start(), start(), start()]);
    expect(new Set(starts.map(({ stdout }) => stdout))).toEqual(new Set([openKeyFile(path, 'RS256').kid]));
    expect(readdirSync(join(path, '..'))).toEqual(['issuer.pem']);
  });

  test('is made with a kid that no command line takes for a flag', () => {
    // One in 64 would be.
    const kids = Array.from({ length: 500 }, () => new SigningKey(newPrivateKey('ES256')).kid);
    expect(kids.filter((kid) => kid.startsWith('-'))).toEqual([]);
  });

  test('cannot be made below a file', () => {
    const path = join(written(''), 'issuer.pem');
    expect(() => openKeyFile(path, 'ES256')).toThrow(fails('key.unavailable'));
  });
});

describe('a key file that is there', () => {
  test.each([0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o666])(
    'is refused where others may touch it: mode %o',
    (others) => {
      const path = written(pem('P-256'), others);
      expect(() => openKeyFile(path, 'ES256')).toThrow(fails('key.exposed'));
    },
  );

  test.each([0o600, 0o400, 0o700])('is read where its owner alone may: mode %o', (own) => {
    expect(openKeyFile(written(pem('P-256'), own), 'ES256').alg).toBe('ES256');
  });

  test('is judged by the mode of the file behind a link', () => {
    const path = written(pem('P-256'), 0o644);
    symlinkSync(path, `${path}.link`);
    expect(() => openKeyFile(`${path}.link`, 'ES256')).toThrow(fails('key.exposed'));
  });

  test('with a key of the other algorithm is refused and left as it is', () => {
    for (const [made, asked] of [
      ['RS256', 'ES256'],
      ['ES256', 'RS256'],
    ] as const) {
      const path = keyPath();
      openKeyFile(path, made);
      const before = readFileSync(path);
      expect(() => openKeyFile(path, asked)).toThrow(fails('key.wrong_algorithm'));
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });

  test('with a key that this program does not sign with is refused', () => {
    expect(() => openKeyFile(written(pem('P-384')), 'ES256')).toThrow(fails('key.unsupported'));
  });

  test('in SEC 1 form is read too', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const path = written(privateKey.export({ type: 'sec1', format: 'pem' }));
    expect(openKeyFile(path, 'ES256').alg).toBe('ES256');
  });

  test('without a readable private key is refused, and nothing of it is told', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const whole = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const contents = [
      '',
      'canary-secret',
      whole.slice(0, -60),
      publicKey.export({ type: 'spki', format: 'pem' }),
      privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    ];
    for (const content of contents) {
      let thrown: unknown;
      try {
        openKeyFile(written(content), 'ES256');
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toEqual(fails('key.malformed'));
      expect((thrown as Error).cause).toBeUndefined();
      expect((thrown as Error).message).not.toContain('canary');
    }
  });

  test('that is a folder is refused', () => {
    const path = keyPath();
    mkdirSync(path, { recursive: true, mode: 0o700 });
    expect(() => openKeyFile(path, 'ES256')).toThrow(fails('key.unavailable'));
  });
});

test('codes are listed once, begin with the name of the package, and stand on the error with its cause', () => {
  expect(new Set(KeyError.codes).size).toBe(KeyError.codes.length);
  for (const code of KeyError.codes) expect(code).toMatch(/^key\.[a-z_]+$/);
  const cause = new Error('x');
  expect(new KeyError('key.unavailable', 'text', { cause })).toMatchObject({ message: 'text', cause });
});
