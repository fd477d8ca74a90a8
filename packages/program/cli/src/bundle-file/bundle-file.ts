import { readFileSync, statSync } from 'node:fs';
import { systemReason } from '@colophon/durable-file';
import { type BundleClaim, type BundleSigner, isSameSigner, readBundleClaim } from '@colophon/sigstore';
import { CliError } from '../cli-error/cli-error.ts';
import { assertWritableFile, unreadable } from '../input/input.ts';

/** Far more than a bundle has that anybody wrote. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Says now, and not after an entry was logged, that a bundle cannot be written there. What stands in the file is only
 * replaced where it is a bundle of the same kind, and by the same signer: nothing else could bring it back.
 * @param next how to go on where the file is taken.
 * @returns to be told who signs, once that is certain.
 * @throws CliError `cli.file_taken`, `cli.file_unwritable`, `cli.file_unreadable`; the returned function `cli.file_taken`
 */
export function assertBundleFile(path: string, signs: BundleClaim['signs'], next: string): (s: BundleSigner) => void {
  assertWritableFile(path);
  const there = contentOf(path);
  if (there === undefined) return () => {};
  const taken = (expected: string, found: string) =>
    new CliError('cli.file_taken', `${path} is there already, and would be lost`, {
      checked: path,
      expected,
      found,
      next,
    });
  const claim = claimOf(there);
  if (claim?.signs !== signs) {
    const found = claim === undefined ? 'no bundle' : `a signature over a different kind of thing (${claim.signs})`;
    throw taken(`nothing, or your own signature over ${signs === 'artifact' ? 'a file' : 'a statement'}`, found);
  }
  return (signer) => {
    if (!isSameSigner(claim.signer, signer)) throw taken(`a bundle by ${nameOf(signer)}`, nameOf(claim.signer));
  };
}

/** The bytes of a regular file; nothing where there is none, where it is empty, or is a pipe or a device. */
function contentOf(path: string): Uint8Array | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size === 0) return undefined;
  if (stats.size > MOST_BYTES) return new Uint8Array(1);
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unreadable(path, systemReason(cause), cause);
  }
}

function claimOf(bytes: Uint8Array): BundleClaim | undefined {
  try {
    return readBundleClaim(bytes);
  } catch {
    return undefined;
  }
}

function nameOf(signer: BundleSigner): string {
  return 'keyHint' in signer ? `the key ${signer.keyHint}` : `${signer.subject} of ${signer.issuer}`;
}

/** Where a signature over a file goes, and is looked for: `report.txt.sigstore.json`. */
export function bundleBeside(file: string): string {
  return `${file}.sigstore.json`;
}

/** The same for a statement: `report.txt.agent-run.sigstore.json`, by the type's last word that is no version. */
export function attestationBeside(file: string, predicateType: string): string {
  const word = predicateType
    .split('/')
    .filter((part) => !/^v\d/.test(part))
    .at(-1);
  return bundleBeside(`${file}.${word}`);
}
