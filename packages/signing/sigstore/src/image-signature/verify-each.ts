import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import {
  isJsonObject,
  type JsonLimits,
  type JsonValue,
  type ParseResult,
  parseStrictJson,
  valuesIn,
} from '@colophon/json';
import type { BundleLogEntry, CertificateIdentity, RejectedSignature, VerifiedSignature } from '@colophon/records';
import { BUNDLE_LIMITS } from '../bundle/bundle-json.ts';
import { contentDigest } from '../bundle/content-digest.ts';
import { type ParsedBundle, parseBundle } from '../bundle/parse-bundle.ts';
import { digestOf, type ResolvedImage } from '../registry/registry-client.ts';
import type { TrustMaterial } from '../trusted-root/trust-material.ts';
import type { Check } from '../verify/check.ts';
import { uncountedWord } from '../verify/unread-statement.ts';
import { VerificationError } from '../verify/verification-error.ts';
import type { VerifyParsedOptions } from '../verify/verify-bundle.ts';
import { SIGN_PREDICATE_TYPE } from './attachment.ts';
import { assertAttachmentKind } from './attachment-kind.ts';
import type { RoomShare } from './attachment-room.ts';
import { AttachmentBudget, type CollectedSignature, type CollectedSignatures, noRoom } from './collect.ts';
import { ImageSignatureError } from './image-signature-error.ts';
import { parseSimpleSigning } from './simple-signing.ts';

/** How much of a statement whose signature does not hold is read, to say what it claims to be. */
const CLAIM_LIMITS = { ...BUNDLE_LIMITS, maxBytes: 1024 * 1024 };

/** Codes of what may be a signature, and was not read to its end. */
const UNREAD_CODES: readonly string[] = ['bundle.too_large', 'statement.too_large'];

/** What is known of a signature, whoever made it. */
export type Proven = Pick<VerifiedSignature, 'artifact_digest' | 'statement'> & {
  readonly certificate_identity?: CertificateIdentity;
  readonly log_entry: BundleLogEntry;
};
export type Found<P extends Proven> = P & {
  readonly format: CollectedSignature['format'];
  readonly bundle_digest: string;
  readonly checks: readonly Check[];
};
export type VerifiedParts = Omit<VerifyParsedOptions, 'policy' | 'purpose'>;
export type Verify<P extends Proven> = (common: VerifiedParts) => {
  readonly signature: P;
  readonly checks: readonly Check[];
};

/** Says whether a predicate is what its type promises, e.g. parseAgentReview. */
export type PredicateParser = (predicate: unknown) => ParseResult<unknown>;

type EachOptions<P extends Proven> = {
  readonly trust: TrustMaterial;
  readonly predicateParsers?: Readonly<Record<string, PredicateParser>> | undefined;
  readonly requiresProof?: boolean | undefined;
  readonly verify: Verify<P>;
  /** Whether a statement may be about something else than the image. */
  readonly isAboutAnything?: boolean;
  /** Why a predicate type, undefined for what signs no statement, is not what is asked for. */
  readonly otherKind?: (type: string | undefined) => RejectedSignature | undefined;
  readonly claimLimits?: JsonLimits;
  /** What the image holds of the room of this process: statements are held in it too. */
  readonly share?: RoomShare | undefined;
  /** Asked before each signature: what it throws ends the verification. */
  readonly assertInTime?: (() => void) | undefined;
  /** How much of statements is kept until the image is decided; what is kept is taken from it. */
  readonly budget?: AttachmentBudget | undefined;
};

/** What a value of a statement takes in memory: 2.5 million empty objects take 153 MB. */
const BYTES_OF_A_VALUE = 64;

/** What became of each signature that was collected, and in which order. */
type EachVerified<P extends Proven> = {
  readonly image: ResolvedImage;
  readonly verified: readonly Found<P>[];
  readonly rejected: readonly RejectedSignature[];
  readonly incomplete: readonly RejectedSignature[];
};

/**
 * Verifies what was collected of an image, bundle after bundle, and each once: what says the same in another spelling is
 * a copy. Between any two of them whatever else this process does gets its turn.
 */
export async function verifyEach<P extends Proven>(
  collected: CollectedSignatures,
  options: EachOptions<P>,
): Promise<EachVerified<P>> {
  const { image, found } = collected;
  const verified = new Map<string, Found<P>>();
  const rejected: RejectedSignature[] = [...collected.rejected];
  const incomplete: RejectedSignature[] = [...collected.incomplete];
  const seen = new Set<string>();
  const { budget = new AttachmentBudget() } = options;
  const isBundle = ({ format }: CollectedSignature) => format === 'bundle';
  for (const signature of [...found.filter(isBundle), ...found.filter((one) => !isBundle(one))]) {
    await turn();
    options.assertInTime?.();
    const { manifest: digest = image.digest } = signature;
    const outcome = verifyOne(signature, { ...image, digest }, { ...options, seen });
    if (outcome === undefined) continue;
    if ('code' in outcome && outcome.statement === undefined) {
      (UNREAD_CODES.includes(outcome.code) ? incomplete : rejected).push(outcome);
      continue;
    }
    // An attestation in both formats is one entry of the log, and one attestation; the bundle proves more.
    const entry = 'code' in outcome ? undefined : entryKey(outcome);
    if (entry !== undefined && verified.has(entry)) continue;
    const values = valuesIn((outcome.statement ?? null) as JsonValue);
    if (values > budget.statementValues) {
      incomplete.push({
        code: 'statement.too_large',
        message: 'the statements of the image hold more values than are read',
      });
      continue;
    }
    if (options.share?.holdNow(values * BYTES_OF_A_VALUE) === false) {
      incomplete.push(noRoom('a statement of the image'));
      continue;
    }
    budget.statementValues -= values;
    if ('code' in outcome) rejected.push(outcome);
    else verified.set(entryKey(outcome), outcome);
  }
  return { image, verified: [...verified.values()], rejected, incomplete };
}

/** Tells a log entry. An index alone is none: the parts of a sharded log have one key, and each counts from zero. */
export function entryKey({
  certificate_identity: identity,
  statement,
  artifact_digest,
  log_entry: { log_id, log_index },
}: Proven): string {
  const { issuer, subject } = identity ?? {};
  const entry = JSON.stringify([log_id, log_index, issuer, subject, artifact_digest, statement]);
  return createHash('sha256').update(entry).digest('hex');
}

/** Undefined for a copy of what was seen before. */
function verifyOne<P extends Proven>(
  signature: CollectedSignature,
  image: ResolvedImage,
  options: EachOptions<P> & { readonly seen: Set<string> },
): Found<P> | RejectedSignature | undefined {
  const { seen, otherKind = () => undefined, claimLimits = CLAIM_LIMITS } = options;
  let bundle: ParsedBundle | undefined;
  try {
    bundle = parseBundle(signature.bundle);
    const content = `${image.digest} ${signature.format} ${contentDigest(bundle)}`;
    if (seen.has(content)) return undefined;
    seen.add(content);
    const outcome = verifyParsed(bundle, signature, image, options);
    const type = 'code' in outcome ? outcome.predicate_type : outcome.statement?.predicateType;
    return otherKind(type) ?? outcome;
  } catch (error) {
    const isOurs = error instanceof VerificationError || error instanceof ImageSignatureError;
    // Whatever an attachment makes go wrong is that attachment's own end, not that of the others.
    const code = isOurs ? error.code : 'bundle.unverifiable';
    const message = isOurs ? error.message : 'the attachment could not be verified';
    if (UNREAD_CODES.includes(code)) return { code, message };
    const type = bundle && claimedPredicateType(bundle, claimLimits);
    return otherKind(type) ?? { code, message, ...(type && { predicate_type: type }), ...uncountedWord(error) };
  }
}

function verifyParsed<P extends Proven>(
  bundle: ParsedBundle,
  { format, payload, bundle: bytes }: CollectedSignature,
  image: ResolvedImage,
  { trust, verify, predicateParsers = {}, requiresProof, isAboutAnything = false }: EachOptions<P>,
): Found<P> | RejectedSignature {
  if (payload !== undefined) assertSigns(payload, image);
  const named = { sha256: image.digest.slice('sha256:'.length) };
  const isFree = (type: string) => isAboutAnything && type !== SIGN_PREDICATE_TYPE;
  const { signature, checks } = verify({
    bundle,
    artifact: payload ?? named,
    artifactFor: ({ predicateType }) => (isFree(predicateType) ? undefined : named),
    artifactKind: 'image',
    trust,
    requiresProof,
  });
  const { statement, artifact_digest: _, ...proven } = signature;
  assertAttachmentKind(format, statement?.predicateType);
  const rest = { ...(proven as P), bundle_digest: digestOf(bytes) };
  if (statement === undefined || statement.predicateType === SIGN_PREDICATE_TYPE) {
    return { ...rest, artifact_digest: image.digest, format, checks };
  }
  const { predicate, predicateType } = statement;
  const reason = predicateProblem(predicate, predicateParsers[predicateType]);
  if (reason !== undefined) {
    const { certificate_identity: signer } = proven;
    const rejected = { code: 'image.predicate_invalid', message: reason, predicate_type: predicateType };
    return { ...rejected, ...(signer && { signer }) };
  }
  return { ...rest, statement, ...(isFree(predicateType) ? {} : { artifact_digest: image.digest }), format, checks };
}

/**
 * What a statement whose signature does not hold says that it is; `unknown` where it is no statement, or larger than is
 * read for that. Undefined for what signs no statement.
 */
function claimedPredicateType({ content }: ParsedBundle, limits: JsonLimits): string | undefined {
  if (content.$case !== 'dsseEnvelope') return undefined;
  const statement = parseStrictJson(content.dsseEnvelope.payload, limits);
  const type = statement.ok && isJsonObject(statement.value) ? statement.value['predicateType'] : undefined;
  return typeof type === 'string' ? type : 'unknown';
}

/** An older signature is over a payload; that payload must name this image. */
function assertSigns(payload: Uint8Array, image: ResolvedImage): void {
  const digest = parseSimpleSigning(payload);
  if (digest === undefined) {
    throw new ImageSignatureError('image.payload_malformed', 'what is signed is not the payload of a signature');
  }
  if (digest !== image.digest) {
    throw new ImageSignatureError('image.payload_mismatch', 'the signature is of another image');
  }
}

function predicateProblem(predicate: unknown, parse: PredicateParser | undefined): string | undefined {
  if (!isJsonObject(predicate)) return 'the predicate is no object';
  const parsed = parse?.(predicate);
  if (parsed === undefined || parsed.ok) return undefined;
  return `the predicate is not what its type promises: ${parsed.issues.map(({ path, code }) => `${path} ${code}`).join('; ')}`;
}
