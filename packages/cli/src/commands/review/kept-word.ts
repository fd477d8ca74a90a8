import { EvidenceClientError, storeEvidence } from '@colophon/evidence/client';
import type { Statement } from '@colophon/records';
import { attestImage, type KeylessOptions, keylessImageSigner, signStatement } from '@colophon/sigstore';
import type { Command } from 'commander';
import { issuerUrl } from '../../home/issuer-url.ts';
import { writeOutput } from '../../input/input.ts';
import { dataFlag, type Session } from '../../program/program.ts';
import type { SigningFlags } from '../../signing-flags/signing-flags.ts';
import { coloursFor, oneLine, shellWord } from '../../terminal/terminal.ts';
import { recordsOf } from '../sign-image.ts';
import { keepEvidence, logIndexOf, type SignedRecord, withSigned } from '../signing.ts';
import type { WordPlace } from './word-target.ts';

/** A person's word that is about to be signed. */
export type Word = {
  readonly statement: Statement;
  readonly place: WordPlace;
  /** Where the bundle goes; for an image, only where somebody asked for it, or it did not reach the evidence store. */
  readonly bundleFile: string;
  readonly isBundleWanted: boolean;
  /** Whether it has to reach the evidence store: a rejection that is in no list can be dropped by a registry. */
  readonly mustBeKept: boolean;
};

/**
 * Signs a person's word, attaches it to the image or writes it to the file, and hands it to the evidence store.
 * @throws EvidenceClientError `cli.evidence_unreachable` (exit 3), `evidence.*` (exit 20) where it has to be kept and was not; it is
 *   signed, attached and in `bundleFile` then
 */
export async function signWord(
  word: Word,
  flags: SigningFlags,
  options: KeylessOptions,
  command: Command,
  session: Session,
): Promise<SignedRecord[]> {
  const { statement, place, bundleFile, mustBeKept, isBundleWanted } = word;
  if (mustBeKept && !flags.evidence) sayUnlisted(word, session);
  // A word that is in the log is brought to everywhere where it is looked for: half of that could be dropped unseen.
  session.holdInterrupts();
  if (place.kind === 'image') {
    const { reference, client, image } = place;
    const signer = keylessImageSigner(options);
    const result = await withSigned(reference, () =>
      attestImage({ client, image, signer, attestation: { statement } }),
    );
    for (const { bundle } of result.signatures) {
      if (isBundleWanted || (mustBeKept && !flags.evidence)) writeOutput(bundleFile, bundle);
      await keep(word, bundle, reference, flags, command, session);
    }
    return recordsOf(reference, result);
  }
  const { bundle, identity } = await withSigned(place.artifact, () => signStatement({ ...options, statement }));
  writeOutput(bundleFile, bundle);
  await keep(word, bundle, bundleFile, flags, command, session);
  const { subject, issuer } = identity;
  return [
    {
      artifact: place.artifact,
      bundle: bundleFile,
      certificate_identity: subject,
      certificate_oidc_issuer: issuer,
      log_index: logIndexOf(bundle),
    },
  ];
}

/** Said before it is signed: once, however many formats it is signed in. */
function sayUnlisted({ place, bundleFile }: Word, { terminal }: Session): void {
  const so = place.kind === 'image' ? 'whoever writes to the registry can drop it' : 'no server knows it';
  const later = `later: colophon evidence import ${shellWord(bundleFile)}`;
  const note = `note: --no-evidence: this will be in no list of standing negatives, and ${so}; ${later}`;
  terminal.stderr.write(`${coloursFor(terminal).yellow(oneLine(note))}\n`);
}

async function keep(
  { mustBeKept, bundleFile, place }: Word,
  bundle: Uint8Array,
  name: string,
  flags: SigningFlags,
  command: Command,
  session: Session,
): Promise<void> {
  if (!mustBeKept || !flags.evidence) return keepEvidence(flags, command, session, bundle, name);
  const server = issuerUrl(session.env, dataFlag(command), flags.issuer ?? flags.oidcIssuer);
  try {
    await storeEvidence(server, bundle, name);
  } catch (cause) {
    if (!(cause instanceof EvidenceClientError)) throw cause;
    if (place.kind === 'image') writeOutput(bundleFile, bundle);
    const message = `signed, but in no list of standing negatives yet: ${cause.message}`;
    const facts = { ...cause.facts, next: `colophon evidence import ${bundleFile}` };
    throw new EvidenceClientError(cause.code, message, { ...facts, cause, kind: cause.kind });
  }
}
