import { createPublicKey, type KeyObject } from 'node:crypto';
import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { readInput } from '../input/input.ts';

/** The public key in a file of PEM. @throws CliError `cli.file_unreadable` also where the file holds none */
export async function readPublicKey(file: string): Promise<KeyObject> {
  try {
    return createPublicKey(Buffer.from(await readInput(file)));
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError('cli.file_unreadable', `${file} holds no public key`, EXIT.usage, { checked: file }, cause);
  }
}

/** The same as text in its one form. @throws CliError as readPublicKey */
export async function readPublicKeyPem(file: string): Promise<string> {
  return (await readPublicKey(file)).export({ type: 'spki', format: 'pem' }).toString();
}
