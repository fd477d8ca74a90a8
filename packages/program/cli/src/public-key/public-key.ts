import { createPublicKey, type KeyObject } from 'node:crypto';
import { findPemBlocks, formatPem } from '@colophon/encoding';
import { CliError } from '../cli-error/cli-error.ts';
import { readInput } from '../input/input.ts';

/** Of an SPKI, and of the older form of RSA keys. */
const PUBLIC_KEY_LABELS = ['PUBLIC KEY', 'RSA PUBLIC KEY'];

/**
 * The one public key in a file of PEM; remarks around it do not matter. Node itself would take the first of several, derive
 * the key of a private one, and take that of a certificate, whatever the certificate says it is for.
 * @throws CliError `cli.file_unreadable` also where the file holds none, or several
 */
export async function readPublicKey(file: string): Promise<KeyObject> {
  const text = Buffer.from(await readInput(file)).toString('latin1');
  const [block, ...more] = findPemBlocks(text, PUBLIC_KEY_LABELS) ?? [];
  if (more.length > 0) {
    const facts = { checked: file, expected: 'one public key in PEM', found: `${more.length + 1}` };
    throw new CliError('cli.file_unreadable', `${file} holds several public keys`, facts);
  }
  try {
    if (block === undefined) throw new TypeError('no public key in PEM');
    return createPublicKey(formatPem(block.label, block.der));
  } catch (cause) {
    const facts = { checked: file, expected: `a public key in PEM${hintAt(text)}` };
    throw new CliError('cli.file_unreadable', `${file} holds no public key`, { ...facts, cause });
  }
}

function hintAt(text: string): string {
  const label = /-----BEGIN ([A-Z0-9 ]{1,40})-----/.exec(text)?.[1] ?? '';
  if (label.startsWith('PGP')) return '; this is an OpenPGP key, as --openpgp-key of vex verify takes it';
  if (label.endsWith('PRIVATE KEY')) return '; this is a private key, which belongs to its owner alone';
  return label === 'CERTIFICATE' ? '; this is a certificate' : '';
}

/** The same as text in its one form. @throws CliError as readPublicKey */
export async function readPublicKeyPem(file: string): Promise<string> {
  return (await readPublicKey(file)).export({ type: 'spki', format: 'pem' }).toString();
}
