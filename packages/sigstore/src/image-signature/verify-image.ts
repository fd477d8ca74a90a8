import { createHash } from 'node:crypto';
import { isJsonObject, type ParseResult, parseStrictJson } from '@colophon/json';
import {
  type BundleLogEntry,
  type CertificateIdentity,
  keyIdentity,
  type RejectedSignature,
  type VerifiedSignature,
} from '@colophon/records';
import { BUNDLE_LIMITS, parseBundle } from '../bundle/parse-bundle.ts';
import type { IdentityPolicy } from '../identity-policy/identity-policy.ts';
import { digestOf, type RegistryClient, type ResolvedImage } from '../registry/registry-client.ts';
import { keyNameOf } from '../sign/key-hint.ts';
import type { TrustMaterial } from '../trusted-root/trust-material.ts';
import type { Check } from '../verify/check.ts';
import { VerificationError } from '../verify/verification-error.ts';
import {
  type KeyedVerification,
  type VerifyBundleOptions,
  verifyBundle,
  verifyBundleWithKey,
} from '../verify/verify-bundle.ts';
import { SIGN_PREDICATE_TYPE } from './attachment.ts';
import { assertAttachmentKind } from './attachment-kind.ts';
import { type CollectedSignature, type CollectedSignatures, collectImageSignatures } from './collect.ts';
import { ImageSignatureError } from './image-signature-error.ts';
import type { OlderReader } from './older-format.ts';
import { parseSimpleSigning } from './simple-signing.ts';

/** A signature or attestation of an image that counts, with everything that was checked. */
export type VerifiedImageSignature = VerifiedSignature & {
  readonly format: CollectedSignature['format'];
  readonly checks: readonly Check[];
};

/** The same by a key: nobody's identity is known. */
export type KeyedImageSignature = KeyedVerification & {
  readonly format: CollectedSignature['format'];
  readonly bundle_digest: string;
};

/** What counts and what does not. `verified` may be empty: then the image is as good as unsigned. */
export type ImageVerification<S = VerifiedImageSignature> = {
  readonly image: ResolvedImage;
  readonly verified: readonly S[];
  /** What was read and does not count. */
  readonly rejected: readonly RejectedSignature[];
  /** What may be a signature and was not read. */
  readonly incomplete: readonly RejectedSignature[];
};

/** Says whether a predicate is what its type promises, e.g. parseAgentReview. */
export type PredicateParser = (predicate: unknown) => ParseResult<unknown>;

export type AssessImageOptions = AssessOptions & {
  readonly client: RegistryClient;
  readonly image: ResolvedImage;
};

export type AssessOptions = {
  readonly trust: TrustMaterial;
  /** Whose signatures count; `gated-elsewhere` where the caller decides on the identities in the answer. */
  readonly policy: IdentityPolicy | 'gated-elsewhere';
  /** PEM of bare keys whose signatures are verified too; none when absent. Each is one that somebody pinned. */
  readonly keys?: readonly string[] | undefined;
  /** By predicate type: an attestation of such a type with another predicate does not count. */
  readonly predicateParsers?: Readonly<Record<string, PredicateParser>> | undefined;
};

type KindOptions = {
  /** Only attestations of this type count. Without it, only signatures count: an attestation is none. */
  readonly predicateType?: string | readonly string[] | undefined;
  /** Whether the log's signed promise alone, which the older format has, is too little; false. */
  readonly requiresProof?: boolean | undefined;
};

export type VerifyImageOptions = AssessImageOptions & KindOptions;

export type VerifyImageWithKeyOptions = Omit<AssessImageOptions, 'policy'> &
  KindOptions & {
    /** PEM of the public key. */
    readonly publicKey: string;
  };

/**
 * Verifies every signature and attestation of an image. A signature has no `statement` in the answer, an attestation
 * has one, and that is the difference that callers decide by. A statement about something else is in the answer too, and
 * what it is about is for the caller to look at: a rejection may name nothing but a commit. So is what its certificate
 * was issued for: a rejection that is left out would be no rejection. Nothing at all is an answer too, with empty lists.
 * @throws ImageSignatureError `image.too_many_signatures`
 * @throws RegistryError
 */
export async function assessImage(options: AssessImageOptions): Promise<ImageVerification> {
  return assessCollected(await collectImageSignatures(options.client, options.image), options);
}

/** The same of what was collected before, by whomever: no registry is asked, and no clock is read. */
export function assessCollected(collected: CollectedSignatures, options: AssessOptions): ImageVerification {
  const { policy, keys = [] } = options;
  const named = keys.map((publicKey) => ({ publicKey, identity: keyIdentity(keyNameOf(publicKey)) }));
  const verify: Verify<VerifiedSignature> = (common) => {
    if (named.length === 0 || !isByKey(common.bundle)) {
      return verifyBundle({ ...common, policy, purpose: 'gated-elsewhere' });
    }
    return verifyByOneOf(named, common);
  };
  return decide(collected, { ...options, verify, isAboutAnything: true }, () => undefined);
}

type NamedKey = { readonly publicKey: string; readonly identity: CertificateIdentity };

function isByKey(bundle: Uint8Array): boolean {
  return 'keyHint' in parseBundle(bundle).signer;
}

/** @throws VerificationError of the last key where none of them signed; `timestamp.missing` where nobody says when one did */
function verifyByOneOf(keys: readonly NamedKey[], common: Omit<VerifyBundleOptions, 'policy' | 'purpose'>) {
  let failure: unknown;
  for (const { publicKey, identity } of keys) {
    try {
      const { checks, log_entry, ...facts } = verifyBundleWithKey({ ...common, publicKey });
      const { integrated_at: at } = log_entry;
      if (at === undefined) {
        throw new VerificationError(
          'timestamp.missing',
          'neither a log nor a timestamp authority says when the key signed',
        );
      }
      return {
        signature: { certificate_identity: identity, ...facts, log_entry: { ...log_entry, integrated_at: at } },
        checks,
      };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/**
 * Verifies the signatures of an image, or with `predicateType` its attestations of that type; there is at least one in
 * the answer. An image with nothing but attestations has no signature, although cosign says so (contract §4.5).
 * @throws ImageSignatureError `image.no_signatures`, `image.no_attestations` where there is none of the kind;
 * `image.no_valid_signatures`, `image.no_valid_attestations` where none counts, each with its reason in `rejected`;
 * `image.too_many_signatures`
 * @throws RegistryError
 */
export async function verifyImage(options: VerifyImageOptions): Promise<ImageVerification> {
  return verifyKind(options, (common) => verifyBundle({ ...common, policy: options.policy }));
}

/**
 * The same for signatures and attestations by a key that the caller trusts (contract §5.5).
 * @throws as verifyImage
 * @throws TypeError for a key that cannot be read
 */
export async function verifyImageWithKey(
  options: VerifyImageWithKeyOptions,
): Promise<ImageVerification<KeyedImageSignature>> {
  const { publicKey } = options;
  const verify: Verify<Omit<KeyedVerification, 'checks'>> = (common) => {
    const { checks, ...signature } = verifyBundleWithKey({ ...common, publicKey });
    return { signature, checks };
  };
  return verifyKind(options, verify, { byKey: true });
}

async function verifyKind<P extends Proven>(
  options: Omit<AssessImageOptions, 'policy'> & KindOptions,
  verify: Verify<P>,
  reader: OlderReader = {},
): Promise<ImageVerification<Found<P>>> {
  const predicateTypes = options.predicateType === undefined ? undefined : [options.predicateType].flat();
  const collected = await collectImageSignatures(options.client, options.image, reader);
  const otherKind = (signature: CollectedSignature) => notOfKind(signature, predicateTypes);
  const result = decide(collected, { ...options, verify }, otherKind);
  if (result.verified.length > 0) return result;
  const [what, none, invalid] =
    predicateTypes === undefined
      ? (['signature', 'image.no_signatures', 'image.no_valid_signatures'] as const)
      : ([
          `attestation of type ${predicateTypes.join(' or ')}`,
          'image.no_attestations',
          'image.no_valid_attestations',
        ] as const);
  const isPresent = result.rejected.some(({ code }) => !OTHER_KIND_CODES.includes(code));
  const reasons = result.rejected.map(({ code, message }) => `${code}: ${message}`);
  throw new ImageSignatureError(
    isPresent ? invalid : none,
    isPresent ? `the image has no ${what} that counts: ${reasons.join('; ')}` : `the image has no ${what}`,
    { rejected: result.rejected },
  );
}

/** Codes of what is attached and is not what was asked for: nothing is wrong with it. */
export const OTHER_KIND_CODES: readonly string[] = [
  'image.not_a_signature',
  'image.not_an_attestation',
  'statement.predicate_type_mismatch',
];

function decide<P extends Proven>(
  collected: CollectedSignatures,
  options: OneOptions<P>,
  otherKind: (signature: CollectedSignature) => RejectedSignature | undefined,
): ImageVerification<Found<P>> {
  const verified = new Map<string, Found<P>>();
  const rejected: RejectedSignature[] = [...collected.rejected];
  const isBundle = ({ format }: CollectedSignature) => format === 'bundle';
  const bundlesFirst = [...collected.found.filter(isBundle), ...collected.found.filter((one) => !isBundle(one))];
  for (const signature of bundlesFirst) {
    const other = otherKind(signature);
    const outcome = other ?? verifyOne(signature, collected.image, options);
    if ('code' in outcome) {
      rejected.push(outcome);
      continue;
    }
    // An attestation in both formats is one entry of the log, and one attestation; the bundle proves more.
    const entry = entryKey(outcome);
    if (!verified.has(entry)) verified.set(entry, outcome);
  }
  return { image: collected.image, verified: [...verified.values()], rejected, incomplete: collected.incomplete };
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

/** What the signature claims to be, before anything of it is verified. */
function notOfKind(
  signature: CollectedSignature,
  predicateTypes: readonly string[] | undefined,
): RejectedSignature | undefined {
  const claimed = claimedPredicateType(signature);
  const isSignature = claimed === undefined || claimed === SIGN_PREDICATE_TYPE;
  if (predicateTypes === undefined) {
    if (isSignature) return undefined;
    return { code: 'image.not_a_signature', message: `an attestation of type ${claimed}`, predicate_type: claimed };
  }
  if (isSignature) return { code: 'image.not_an_attestation', message: 'a signature, not an attestation' };
  if (predicateTypes.includes(claimed)) return undefined;
  return {
    code: 'statement.predicate_type_mismatch',
    message: `an attestation of type ${claimed}`,
    predicate_type: claimed,
  };
}

/** Undefined for what signs no statement; also for what cannot be read, whose verification then says why. */
function claimedPredicateType({ bundle }: CollectedSignature): string | undefined {
  try {
    const { content } = parseBundle(bundle);
    if (content.$case !== 'dsseEnvelope') return undefined;
    const statement = parseStrictJson(content.dsseEnvelope.payload, BUNDLE_LIMITS);
    const type = statement.ok && isJsonObject(statement.value) ? statement.value['predicateType'] : undefined;
    return typeof type === 'string' ? type : 'unknown';
  } catch {
    return undefined;
  }
}

/** What is known of a signature, whoever made it. */
type Proven = Pick<VerifiedSignature, 'artifact_digest' | 'statement'> & {
  readonly certificate_identity?: CertificateIdentity;
  readonly log_entry: BundleLogEntry;
};
type Found<P extends Proven> = P & {
  readonly format: CollectedSignature['format'];
  readonly bundle_digest: string;
  readonly checks: readonly Check[];
};
type Verify<P extends Proven> = (common: Omit<VerifyBundleOptions, 'policy' | 'purpose'>) => {
  readonly signature: P;
  readonly checks: readonly Check[];
};

/** `isAboutAnything`: a statement may be about something else than the image. */
type OneOptions<P extends Proven> = Pick<AssessImageOptions, 'trust' | 'predicateParsers'> &
  Pick<KindOptions, 'requiresProof'> & { readonly verify: Verify<P>; readonly isAboutAnything?: boolean };

function verifyOne<P extends Proven>(
  signature: CollectedSignature,
  image: ResolvedImage,
  { trust, verify, predicateParsers = {}, requiresProof, isAboutAnything = false }: OneOptions<P>,
): Found<P> | RejectedSignature {
  const { bundle, format, payload } = signature;
  const imageSha256 = image.digest.slice('sha256:'.length);
  try {
    if (payload !== undefined) assertSigns(payload, image);
    const type = payload === undefined ? claimedPredicateType(signature) : undefined;
    const isFree = isAboutAnything && type !== undefined && type !== SIGN_PREDICATE_TYPE;
    const artifact = payload ?? (isFree ? undefined : { sha256: imageSha256 });
    const { signature: found, checks } = verify({ bundle, artifact, artifactKind: 'image', trust, requiresProof });
    const { statement, artifact_digest: _, ...proven } = found;
    assertAttachmentKind(format, statement?.predicateType);
    const rest = { ...(proven as P), bundle_digest: digestOf(bundle) };
    if (statement === undefined || statement.predicateType === SIGN_PREDICATE_TYPE) {
      return { ...rest, artifact_digest: image.digest, format, checks };
    }
    const { predicate, predicateType } = statement;
    const reason = predicateProblem(predicate, predicateParsers[predicateType]);
    if (reason !== undefined)
      return { code: 'image.predicate_invalid', message: reason, predicate_type: predicateType };
    return { ...rest, statement, ...(isFree ? {} : { artifact_digest: image.digest }), format, checks };
  } catch (error) {
    const predicateType = claimedPredicateType(signature);
    const isOurs = error instanceof VerificationError || error instanceof ImageSignatureError;
    // Whatever an attachment makes go wrong is that attachment's own end, not that of the others.
    const code = isOurs ? error.code : 'bundle.unverifiable';
    const message = isOurs ? error.message : 'the attachment could not be verified';
    return { code, message, ...(predicateType === undefined ? {} : { predicate_type: predicateType }) };
  }
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
