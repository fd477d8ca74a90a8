import { storeEvidence } from '@colophon/evidence/client';
import type { KeylessOptions, LoggingOptions } from '@colophon/sigstore';
import type { Command } from 'commander';
import { withFacts } from '../cli-error/cli-error.ts';
import { SeenHistory } from '../history/seen-history.ts';
import { knownIssuerUrl } from '../home/issuer-url.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import {
  assertSigner,
  readSignerIdentity,
  type SignerIdentity,
  type SigningFlags,
  signingServices,
} from '../signing-flags/signing-flags.ts';
import { coloursFor, formatTable, oneLine } from '../terminal/terminal.ts';
import { trustIfKnown } from '../trust/trust.ts';
import type { Signed, SignedResult } from './signed-result.ts';

/** Where to log, and the roots and pins that the finished bundle is checked against where any are known. */
export async function loggingOptions(
  flags: SigningFlags,
  command: Command,
  session: Session,
): Promise<LoggingOptions & { fulcioUrl: string }> {
  const services = await signingServices(flags, command, session);
  // The roots of the data folder say nothing of services that are not its own.
  const isForeign = flags.fulcioUrl ?? flags.signingConfig ?? (session.env['COLOPHON_SIGNING_CONFIG'] || undefined);
  const known = await trustIfKnown(flags, command, session, isForeign === undefined);
  if (known === undefined) return services;
  const history = new SeenHistory(known.trust, session);
  if (!history.canHold()) return { ...services, trust: known.trust };
  return { ...services, trust: history.trust, checkLogged: () => history.settle() };
}

/** Everything that a keyless signature needs; `known` where it was read already who signs. */
export async function keylessOptions(
  flags: SigningFlags,
  command: Command,
  session: Session,
  known?: SignerIdentity,
): Promise<KeylessOptions> {
  const logging = await loggingOptions(flags, command, session);
  const identity = known ?? assertSigner(await readSignerIdentity(flags, command, session));
  return { ...logging, identityToken: identity.token };
}

/** What an error of signing this says: a peer's address is in its own text. */
export function withSigned<T>(artifact: string, work: () => Promise<T>): Promise<T> {
  return withFacts({ checked: artifact }, work);
}

/** What the commands that sign print. */
export function printSigned(
  { terminal }: Session,
  output: OutputFormat,
  signatures: readonly Signed[],
  describe: (signatures: readonly Signed[]) => string = describeSigned,
): void {
  printResult(terminal, output, { ok: true, signatures } satisfies SignedResult, (result) =>
    describe(result.signatures),
  );
}

/** For people: who signed what, and where it stands. An image in two formats has two entries, and one paragraph. */
export function describeSigned(records: readonly Signed[]): string {
  const byArtifact = Map.groupBy(
    records,
    ({ artifact, certificate_identity }) => `${artifact}\n${certificate_identity?.subject}`,
  );
  return [...byArtifact.values()]
    .map((entries) => {
      const { artifact, bundle, certificate_identity } = entries[0] as Signed;
      const signer =
        certificate_identity === undefined
          ? [['by', 'the key']]
          : [
              ['by', certificate_identity.subject],
              ['issuer', certificate_identity.issuer],
            ];
      const log = `index ${entries.map(({ log_entry }) => log_entry.log_index).join(' and ')}`;
      return formatTable([
        ['signed', artifact],
        ...signer,
        ['log', log],
        ...(bundle === undefined ? [] : [['bundle', bundle]]),
      ]);
    })
    .join('\n');
}

/** Hands a signed statement to the evidence store of the issuer, where one is known; says so where it cannot. */
export async function keepEvidence(
  flags: SigningFlags,
  command: Command,
  session: Session,
  bundle: Uint8Array,
  name: string,
): Promise<void> {
  if (!flags.evidence) return;
  const server = knownIssuerUrl(session.env, dataFlag(command), flags.issuer ?? flags.oidcIssuer);
  if (server === undefined) return;
  try {
    await storeEvidence(server, bundle, name);
  } catch (error) {
    sayUnkept(error as Error, session);
  }
}

/** The bundle is the signature; programs that read the older tag alone do not see it. */
export function sayOlderRefused({ olderRefused }: { readonly olderRefused?: Error }, { terminal }: Session): void {
  if (olderRefused === undefined) return;
  const why = oneLine(olderRefused.message);
  const note = `note: signed and attached as a bundle, and not in the older tag format: ${why}\n`;
  terminal.stderr.write(coloursFor(terminal).yellow(note));
}

/** The signature stands in the log; the evidence can be imported from the bundle at any time. */
export function sayUnkept({ message }: Error, { terminal }: Session): void {
  const note = `note: signed, but not kept as evidence: ${oneLine(message)}. Later: colophon evidence import BUNDLE\n`;
  terminal.stderr.write(coloursFor(terminal).yellow(note));
}
