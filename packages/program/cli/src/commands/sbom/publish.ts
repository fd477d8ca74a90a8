import {
  assertLatest,
  fetchPublication,
  openSource,
  openTarget,
  type PublishedSignature,
  type PublishResult,
  publish,
} from '@colophon/publishing';
import {
  type PublicationName,
  PublishingError,
  parsePublicationName,
  publicationName,
} from '@colophon/publishing/publication-rules';
import { recognizedSignature, signatureOfBundle } from '@colophon/publishing/published-signature';
import { verifyBundle, verifyBundleWithKey } from '@colophon/sigstore';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { digestOfBytes } from '../../byte-digest/byte-digest.ts';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import { readInput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { readPublicKeyPem } from '../../public-key/public-key.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { readSbomFile } from '../../sbom-file/sbom-file.ts';
import { type SigningFlags, signerNeed, withSigning } from '../../signing-flags/signing-flags.ts';
import { coloursFor, formatTable, oneLine, shellWord } from '../../terminal/terminal.ts';
import { trustMaterial } from '../../trust/trust.ts';
import {
  identityNeedsWhen,
  type VerificationFlags,
  withIdentity,
} from '../../verification-flags/verification-flags.ts';
import { artifactSigner } from '../sign-blob.ts';
import { withSigned } from '../signing.ts';
import { publicationVerifier } from './published-signature.ts';
import {
  announce,
  describeFetched,
  PLACE_HELP,
  type PlaceFlags,
  placeOf,
  placeOptions,
  servedAddress,
  withPlace,
} from './publishing-place.ts';
import type { CheckedPublication, PublishedResult } from './publishing-results.ts';

type PublishFlags = SigningFlags &
  VerificationFlags &
  PlaceFlags & {
    readonly to?: string;
    readonly componentName?: string;
    readonly bundle?: string;
    readonly key?: string;
    readonly publicKey?: string;
    readonly retainYears?: number;
    readonly latest: boolean;
    readonly check?: boolean;
    readonly output: OutputFormat;
  };

/** `colophon sbom publish`: an SBOM with its signature where everybody finds it (contract §4.2), kept for years (§8). */
export function definePublish(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon sbom publish app.cdx.json --context context.json'));
  withNeeds(command, signerNeed('--key', '--bundle', '--check'), ...identityNeedsWhen('--check', '--public-key'))
    .option('--to <place>', PLACE_HELP)
    .option('--component-name <name>', 'name to publish under, if the document has several (or NAME@VERSION)')
    .option('--bundle <file>', 'publish this signature (of sign-blob) instead of making one')
    .option('--key <file>', 'sign with this private key instead of a certificate (password: $COSIGN_PASSWORD)')
    .option('--public-key <file>', 'with --check or --bundle: public key, for a signature that was made with a key')
    .option('--retain-years <years>', 'how long it must be kept, at least and by default 3', wholeNumber)
    .option('--no-latest', 'leave -latest as it is')
    .option(
      '--check',
      'publish nothing: fail unless the published file equals this one, its signature verifies and -latest is right',
    );
  withPlace(withIdentity(withSigning(command)))
    .addOption(outputOption())
    .action(async (file: string, flags: PublishFlags, command: Command) => {
      assertKeyFits(flags);
      const { bom, bytes } = await readSbomFile(file);
      const wanted = flags.componentName === undefined ? {} : parsePublicationName(flags.componentName);
      const isUnversioned = bom.metadata?.component?.version === undefined;
      const next = `colophon sbom patch ${shellWord(file)} --set /metadata/component/version=VERSION --out FILE`;
      const facts = { checked: file, ...(isUnversioned ? { next } : {}) };
      const name = await withFacts(facts, async () => publicationName(bom, wanted));
      const place = placeOf(flags.to, command, session);
      if (flags.check) {
        const record = await check({ ...name, place, bytes }, flags, command, session);
        printResult(session.terminal, flags.output, record, (shown) => describeFetched(shown));
        return;
      }
      const result = await publishTo({ ...name, place, file, bytes }, flags, command, session);
      const colours = coloursFor(session.terminal);
      for (const warning of result.warnings)
        session.terminal.stderr.write(colours.yellow(`note: ${oneLine(warning)}\n`));
      const record: PublishedResult = { ok: true, ...name, place, ...result };
      const served = flags.to === undefined ? servedAddress(command, session) : undefined;
      printResult(session.terminal, flags.output, record, (published) => describePublished(published, served));
    });
}

/** Where a signature is there already, a private key would be taken for nothing. */
function assertKeyFits({ check, bundle, key, publicKey }: PublishFlags): void {
  const isSigned = check === true || bundle !== undefined;
  if (isSigned ? key === undefined : publicKey === undefined) return;
  throw new CliError('cli.usage', isSigned ? 'nothing is signed here' : 'the signature is yet to be made', {
    expected: isSigned ? '--public-key FILE, to verify by' : '--key FILE, to sign with',
    found: isSigned ? '--key' : '--public-key',
  });
}

type Wanted = PublicationName & { readonly place: string; readonly bytes: Uint8Array };

async function publishTo(
  { artifact, version, place, file, bytes }: Wanted & { readonly file: string },
  flags: PublishFlags,
  command: Command,
  session: Session,
): Promise<PublishResult> {
  const target = await openTarget(place, await placeOptions(flags, session));
  const sign = async (): Promise<PublishedSignature> => {
    if (flags.bundle !== undefined) return givenSignature(bytes, flags.bundle, flags, command, session);
    const signer = await artifactSigner(flags, command, session);
    announce(session, `signing ${oneLine(file)}`);
    const { bundle, identity } = await withSigned(file, () => signer(bytes));
    return {
      ...signatureOfBundle(bundle),
      signedBy: identity && { subject: identity.subject, issuer: identity.issuer },
    };
  };
  // Without roots nothing that was left behind is believed: it is signed again.
  const roots = await trustMaterial(flags, command, session).catch(() => undefined);
  announce(session, `publishing to ${oneLine(target.place)}`);
  const result = await publish({
    target,
    artifact,
    version,
    document: bytes,
    sign,
    recognize: (found, ours) => roots && recognizedSignature(bytes, found, ours, roots.trust),
    now: () => new Date(),
    retainYears: flags.retainYears,
    mayBecomeLatest: flags.latest,
  });
  const isLocked = place.startsWith('s3://') && !target.locksObjects;
  const unlocked = `${place} has no object lock: anyone who can write there can delete documents early`;
  return isLocked ? { ...result, warnings: [...result.warnings, unlocked] } : result;
}

/** A signature that was made before is verified over these bytes, against the roots, before it is published. */
async function givenSignature(
  document: Uint8Array,
  file: string,
  flags: PublishFlags,
  command: Command,
  session: Session,
): Promise<PublishedSignature> {
  const { trust, file: trustFile, history } = await trustMaterial(flags, command, session);
  const bundle = await readInput(file);
  return withFacts({ checked: file, trust: trustFile }, async () => {
    const found = signatureOfBundle(bundle);
    const common = { bundle, artifact: document, trust };
    if (flags.publicKey !== undefined) {
      verifyBundleWithKey({ ...common, publicKey: await readPublicKeyPem(flags.publicKey) });
      await history.settle();
      return found;
    }
    const { certificate_identity: identity } = verifyBundle({
      ...common,
      policy: 'gated-elsewhere',
      purpose: 'document',
    }).signature;
    await history.settle();
    return { ...found, signedBy: { subject: identity.subject, issuer: identity.issuer } };
  });
}

/** What a release needs before it is one: a consumer can fetch and verify it (contract §4.2). */
async function check(
  { artifact, version, place, bytes }: Wanted,
  flags: PublishFlags,
  command: Command,
  session: Session,
): Promise<CheckedPublication> {
  const { key: _, publicKey, ...others } = flags;
  const signer = { ...others, ...(publicKey !== undefined && { key: publicKey }) };
  const verify = await publicationVerifier(signer, command, session);
  const source = await openSource(place, await placeOptions(flags, session));
  announce(session, `fetching from ${oneLine(source.place)}`);
  const fetched = await fetchPublication(source, { artifact, version });
  if (fetched.digest !== digestOfBytes(bytes)) {
    throw new PublishingError('publishing.content_differs', `${artifact}@${version} is published with other content`, {
      expected: digestOfBytes(bytes),
      found: fetched.digest,
    });
  }
  if (fetched.signature === undefined) {
    throw new PublishingError('publishing.signature_missing', `${artifact}@${version} is published without its .sig`);
  }
  const verified = await verify(fetched);
  const latest = await assertLatest(source, artifact, flags.latest ? { version } : {});
  return { ...verified, artifact, version, place, digest: fetched.digest, ...(latest !== undefined && { latest }) };
}

function describePublished(record: PublishedResult, served: string | undefined): string {
  const { artifact, version, place, publication, is_new, latest } = record;
  return formatTable([
    [is_new ? 'published' : 'was published', `${artifact}@${version}`],
    ['at', place],
    ...(served === undefined ? [] : [['served at', served]]),
    ['document', publication.document.file],
    ['signature', publication.signature.file],
    ['digest', publication.document.digest],
    ...(publication.signed_by === undefined ? [] : [['signed by', publication.signed_by.subject]]),
    ['kept until', publication.retain_until],
    ['latest', latest ?? 'none'],
  ]);
}

function wholeNumber(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number of years.');
}
