import { createPublicKey, type KeyObject } from 'node:crypto';
import { CliError } from '../cli-error/cli-error.ts';
import { readInput } from '../input/input.ts';

/** The public key in a file of PEM. @throws CliError `cli.file_unreadable` also where the file holds none */
export async function readPublicKey(file: string): Promise<KeyObject> {
  const bytes = Buffer.from(await readInput(file));
  try {
    return createPublicKey(bytes);
  } catch (cause) {
    const isOpenPgp = bytes.subarray(0, 64).toString('latin1').trimStart().startsWith('-----BEGIN PGP');
    const expected = `a public key in PEM${isOpenPgp ? '; this is an OpenPGP key, as --openpgp-key of vex verify takes it' : ''}`;
    const facts = { checked: file, expected };
    throw new CliError('cli.file_unreadable', `${file} holds no public key`, { ...facts, cause });
  }
}

/** The same as text in its one form. @throws CliError as readPublicKey */
export async function readPublicKeyPem(file: string): Promise<string> {
  return (await readPublicKey(file)).export({ type: 'spki', format: 'pem' }).toString();
}
