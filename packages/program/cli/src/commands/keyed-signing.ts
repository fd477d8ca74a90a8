import type { KeyedOptions } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { readInput } from '../input/input.ts';
import { askPassword } from '../password/password.ts';
import type { Session } from '../program/program.ts';
import { hasContext } from '../run-context/run-context.ts';
import type { SigningFlags } from '../signing-flags/signing-flags.ts';
import { loggingOptions } from './signing.ts';

/** What `--key` is in a command that signs. */
export const KEY_HELP = 'sign with this private key instead of a certificate (password: $COSIGN_PASSWORD)';

/** cosign's own form, and PKCS #8's. */
const ENCRYPTED = /^\s*-----BEGIN ENCRYPTED /;

type KeyFlags = SigningFlags & { readonly key?: string };

/**
 * What a signature by the key of `--key` needs; undefined where it is not given.
 * @throws CliError `cli.usage` where another signer is named too, `cli.file_unreadable`
 */
export async function keyedOptions(
  flags: KeyFlags,
  command: Command,
  session: Session,
): Promise<KeyedOptions | undefined> {
  const { key, identityToken } = flags;
  if (key === undefined) return undefined;
  if (identityToken !== undefined || hasContext(flags)) {
    throw new CliError('cli.usage', 'a signature by a key has no identity, so it takes no token or context', {
      expected: '--key, or a token or context',
      found: 'both',
    });
  }
  const privateKey = Buffer.from(await readInput(key)).toString();
  const options = await loggingOptions(flags, command, session);
  return { ...options, privateKey, passphrase: await passphraseOf(privateKey, key, session) };
}

/** From the environment; a person is asked where one sits there. */
async function passphraseOf(privateKey: string, file: string, session: Session): Promise<string | undefined> {
  const known = session.env['COSIGN_PASSWORD'];
  if (known !== undefined || !ENCRYPTED.test(privateKey)) return known;
  return askPassword(`Password of ${file}: `, session);
}

/** A key that cannot be used is no fault of what it was to sign. */
export async function withKey<T>({ key = '' }: { readonly key?: string }, sign: () => Promise<T>): Promise<T> {
  try {
    return await sign();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'signing.key_invalid') throw error;
    return withFacts({ checked: key }, () => Promise.reject(error));
  }
}
