import { existsSync } from 'node:fs';
import { type HashedArtifact, hashFile, type signedDigestIn } from '@colophon/sigstore';
import type { Command } from 'commander';
import { digestFlag, isMeantAsDigest } from '../artifact-digest/artifact-digest.ts';
import { attestationBeside, bundleBeside } from '../bundle-file/bundle-file.ts';
import { CliError } from '../cli-error/cli-error.ts';
import { assertReadableFile } from '../input/input.ts';
import { predicateTypes, shortTypes } from '../predicate/predicate.ts';
import { lacking } from '../program/needs.ts';

/** The bundle that was written beside a file: of several names of its type, the first one that is there. */
export function bundleOf(
  file: string | undefined,
  predicateTypes: readonly string[] | undefined,
  command: Command,
  predicateBase: string,
): string {
  if (file === undefined || !existsSync(file)) {
    throw new CliError('cli.usage', 'without a file, the bundle must be named', { expected: '--bundle FILE' });
  }
  const names =
    predicateTypes === undefined ? [bundleBeside(file)] : predicateTypes.map((type) => attestationBeside(file, type));
  const found = names.find((name) => existsSync(name));
  if (found !== undefined) return found;
  const checked = [...new Set(names)].join(', ');
  const others = predicateTypes === undefined ? [] : typesBeside(file, predicateBase);
  if (others.length === 0) {
    throw new CliError('cli.no_signature', `there is no bundle beside ${file}`, {
      checked,
      expected: '--bundle FILE, where it has another name',
    });
  }
  const expected = others.map((type) => `--type ${type}`).join(' or ');
  const error = new CliError('cli.no_signature', `beside ${file} is no attestation of this type`, {
    checked,
    expected,
  });
  // In the line to type a type would stand twice.
  throw command.getOptionValueSource('type') === 'cli'
    ? error
    : lacking(error, [{ what: 'the type of the attestation beside the file', oneOf: [`--type=${others[0]}`] }]);
}

/** The types, by their short names, of which an attestation lies beside a file. */
function typesBeside(file: string, predicateBase: string): readonly string[] {
  return shortTypes().filter((name) =>
    predicateTypes(name, predicateBase).some((type) => existsSync(attestationBeside(file, type))),
  );
}

/** The file, or the digest that stands in its place, which cosign takes too. A file is read by what it was signed by. */
export function artifactReader(
  file: string | undefined,
  digest: string | undefined,
): (by: ReturnType<typeof signedDigestIn>) => Promise<HashedArtifact> {
  if (file !== undefined && digest === undefined) {
    if (isMeantAsDigest(file)) return known(sha256Of('<file>', file));
    assertReadableFile(file);
    return (by) => hashFile(file, by);
  }
  if (file === undefined && digest !== undefined) return known(sha256Of('--digest', digest));
  throw new CliError('cli.usage', 'one file, or one valid digest, is needed', {
    expected: 'a file, or --digest with 64 hex digits',
  });
}

function known(artifact: HashedArtifact): () => Promise<HashedArtifact> {
  return async () => artifact;
}

function sha256Of(flag: string, text: string): HashedArtifact {
  return { sha256: digestFlag(flag, text, ['sha256']).slice('sha256:'.length) };
}
