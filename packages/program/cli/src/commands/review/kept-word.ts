import { EvidenceClientError, signWord, type WordKeeping } from '@colophon/evidence/client';
import type { Statement } from '@colophon/records';
import { type KeylessOptions, RegistryError, type ResolvedImage } from '@colophon/sigstore';
import type { Command } from 'commander';
import { issuerUrl, knownIssuerUrl } from '../../home/issuer-url.ts';
import { writeOutput } from '../../input/input.ts';
import { dataFlag, type Session } from '../../program/program.ts';
import type { SigningFlags } from '../../signing-flags/signing-flags.ts';
import { coloursFor, oneLine, shellWord } from '../../terminal/terminal.ts';
import { recordsOf } from '../sign-image.ts';
import type { Signed } from '../signed-result.ts';
import { sayOlderRefused, sayUnkept, withSigned } from '../signing.ts';
import type { WordPlace } from './word-target.ts';

/** A person's word that is about to be signed. */
export type Word = {
  readonly statement: Statement;
  readonly place: WordPlace;
  /** Manifests of the image to which it is attached too. */
  readonly manifests?: readonly ResolvedImage[] | undefined;
  /** Where the bundle goes; for an image, only where somebody asked for it, or it did not reach the evidence store. */
  readonly bundleFile: string;
  readonly isBundleWanted: boolean;
  /** Whether it has to reach the evidence store: a rejection that is in no list can be dropped by a registry. */
  readonly mustBeKept: boolean;
};

/**
 * Signs a person's word, attaches it to the image or writes it to the file, and hands it to the evidence store.
 * @throws EvidenceClientError `evidence.unreachable` (exit 3), `evidence.*` (exit 20) where it has to be kept and was
 *   not; it is signed, attached and in `bundleFile` then
 */
export async function keepWord(
  word: Word,
  flags: SigningFlags,
  options: KeylessOptions,
  command: Command,
  session: Session,
): Promise<Signed[]> {
  const { statement, place, manifests, bundleFile, mustBeKept, isBundleWanted } = word;
  if (mustBeKept && !flags.evidence) sayUnlisted(word, session);
  // A word that is in the log is brought to everywhere where it is looked for: half of that could be dropped unseen.
  session.holdInterrupts();
  const image = place.kind === 'image' ? place : undefined;
  const artifact = place.kind === 'image' ? place.reference : place.artifact;
  const server = serverOf(word, flags, command, session);
  let unattached: Uint8Array | undefined;
  const keeping: WordKeeping = {
    store: server === undefined ? undefined : { server, name: image === undefined ? bundleFile : artifact },
    onSigned: (bundle) => {
      unattached = image === undefined ? undefined : bundle;
      if (image === undefined || isBundleWanted || (mustBeKept && !flags.evidence)) writeOutput(bundleFile, bundle);
    },
    onOlderRefused: (olderRefused) => sayOlderRefused({ olderRefused }, session),
    onUnkept: (bundle, error) => {
      if (!mustBeKept) return sayUnkept(error as Error, session);
      if (image !== undefined && error instanceof EvidenceClientError) writeOutput(bundleFile, bundle);
      throw inNoList(error, bundleFile);
    },
  };
  const signatures = await withSigned(artifact, () =>
    signWord({ statement, image, manifests }, options, keeping),
  ).catch((error) => {
    // It stands in the log: what is on disk can be attached once the registry takes it.
    if (unattached !== undefined && error instanceof RegistryError) writeOutput(bundleFile, unattached);
    throw error;
  });
  const digest = image?.image.digest;
  const records = recordsOf(artifact, { signatures, ...(digest !== undefined && { image: { digest } }) });
  if (image !== undefined) return records;
  return records.map(({ artifact: name, ...record }) => ({ artifact: name, bundle: bundleFile, ...record }));
}

/** The evidence store that a word is handed to; one that has to be kept needs one. */
function serverOf({ mustBeKept }: Word, flags: SigningFlags, command: Command, { env }: Session): string | undefined {
  if (!flags.evidence) return undefined;
  const flag = flags.issuer ?? flags.oidcIssuer;
  return mustBeKept ? issuerUrl(env, dataFlag(command), flag) : knownIssuerUrl(env, dataFlag(command), flag);
}

/** Said before it is signed: once, however many formats it is signed in. */
function sayUnlisted({ place, bundleFile }: Word, { terminal }: Session): void {
  const so = place.kind === 'image' ? 'anyone who can write to the registry can remove it' : 'no server stores it';
  const later = `later: colophon evidence import ${shellWord(bundleFile)}`;
  const note = `note: --no-evidence: it will not be in the list of standing negatives, and ${so}; ${later}`;
  terminal.stderr.write(`${coloursFor(terminal).yellow(oneLine(note))}\n`);
}

function inNoList(cause: unknown, bundleFile: string): unknown {
  if (!(cause instanceof EvidenceClientError)) return cause;
  const message = `signed, but not yet in the list of standing negatives: ${cause.message}`;
  const facts = { ...cause.facts, next: `colophon evidence import ${bundleFile}` };
  return new EvidenceClientError(cause.code, message, { ...facts, cause, kind: cause.kind });
}
