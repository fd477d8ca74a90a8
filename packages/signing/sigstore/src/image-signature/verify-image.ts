import {
  type CertificateIdentity,
  keyIdentity,
  type RejectedSignature,
  type VerifiedSignature,
} from '@colophon/records';
import type { IdentityPolicy } from '../identity-policy/identity-policy.ts';
import type { RegistryClient, ResolvedImage } from '../registry/registry-client.ts';
import { keyNameOf } from '../sign/key-hint.ts';
import type { TrustMaterial } from '../trusted-root/trust-material.ts';
import type { Check } from '../verify/check.ts';
import { STATEMENT_LIMITS } from '../verify/statement.ts';
import { uncountedWord, untimed } from '../verify/unread-statement.ts';
import { type KeyedVerification, verifyParsedBundle, verifyParsedBundleWithKey } from '../verify/verify-bundle.ts';
import { SIGN_PREDICATE_TYPE } from './attachment.ts';
import type { RoomShare } from './attachment-room.ts';
import {
  type AttachmentBudget,
  type CollectedSignature,
  type CollectedSignatures,
  collectImageSignatures,
} from './collect.ts';
import { ImageSignatureError } from './image-signature-error.ts';
import type { OlderReader } from './older-format.ts';
import {
  type Found,
  type PredicateParser,
  type Proven,
  type VerifiedParts,
  type Verify,
  verifyEach,
} from './verify-each.ts';

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
  /** What the image holds of the room of this process; ended by the caller. */
  readonly share?: RoomShare | undefined;
  /** Asked before each attachment: what it throws ends the verification, e.g. RegistryClient.assertInTime. */
  readonly assertInTime?: (() => void) | undefined;
  /** What may be kept of its statements; as much as of any image, where absent. */
  readonly budget?: AttachmentBudget | undefined;
};

type KindOptions = {
  /** Only attestations of this type count. Without it, only signatures count: an attestation is none. */
  readonly predicateType?: string | readonly string[] | undefined;
  /** Whether the log's signed promise alone, which the older format has, is too little; false. */
  readonly requiresProof?: boolean | undefined;
  /** What is attached, where the caller has it: then no registry is asked. For a key, as `collectImageSignatures` finds it `byKey`. */
  readonly collected?: CollectedSignatures | undefined;
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

/**
 * The same of what was collected before, by whomever: no registry is asked, and no clock is read. Between any two
 * attachments whatever else this process does gets its turn.
 */
export async function assessCollected(
  collected: CollectedSignatures,
  options: AssessOptions,
): Promise<ImageVerification> {
  const { policy, keys = [] } = options;
  const named = keys.map((publicKey) => ({ publicKey, identity: keyIdentity(keyNameOf(publicKey)) }));
  const verify: Verify<VerifiedSignature> = (common) => {
    if (named.length === 0 || !('keyHint' in common.bundle.signer)) {
      return verifyParsedBundle({ ...common, policy, purpose: 'gated-elsewhere' });
    }
    return verifyByOneOf(named, common);
  };
  return verifyEach(collected, { ...options, verify, isAboutAnything: true });
}

type NamedKey = { readonly publicKey: string; readonly identity: CertificateIdentity };

/** @throws VerificationError of the last key where none of them signed; `timestamp.missing` where nobody says when one did */
function verifyByOneOf(keys: readonly NamedKey[], common: VerifiedParts) {
  let failure: unknown;
  for (const { publicKey, identity } of keys) {
    try {
      const { checks, log_entry, ...facts } = verifyParsedBundleWithKey({ ...common, publicKey });
      const { integrated_at: at } = log_entry;
      if (at === undefined) throw untimed(identity, facts.statement);
      return {
        signature: { certificate_identity: identity, ...facts, log_entry: { ...log_entry, integrated_at: at } },
        checks,
      };
    } catch (error) {
      // One of them signed it: that others did not says nothing.
      if (uncountedWord(error) !== undefined) throw error;
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
  return verifyKind(options, (common) => verifyParsedBundle({ ...common, policy: options.policy }));
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
    const { checks, ...signature } = verifyParsedBundleWithKey({ ...common, publicKey });
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
  const collected = options.collected ?? (await collectImageSignatures(options.client, options.image, reader));
  const otherKind = (type: string | undefined) => notOfKind(type, predicateTypes);
  const result = await verifyEach(collected, { ...options, verify, otherKind, claimLimits: STATEMENT_LIMITS });
  if (result.verified.length > 0) return result;
  const [what, none, invalid] =
    predicateTypes === undefined
      ? (['signature', 'image.no_signatures', 'image.no_valid_signatures'] as const)
      : ([
          `attestation of type ${predicateTypes.join(' or ')}`,
          'image.no_attestations',
          'image.no_valid_attestations',
        ] as const);
  // What was not read may be one that counts.
  const isPresent =
    result.incomplete.length > 0 || result.rejected.some(({ code }) => !OTHER_KIND_CODES.includes(code));
  const reasons = [...result.rejected, ...result.incomplete].map(({ code, message }) => `${code}: ${message}`);
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

/** By its predicate type, undefined for what signs no statement, or cannot be read. */
function notOfKind(
  type: string | undefined,
  predicateTypes: readonly string[] | undefined,
): RejectedSignature | undefined {
  const isSignature = type === undefined || type === SIGN_PREDICATE_TYPE;
  if (predicateTypes === undefined) {
    if (isSignature) return undefined;
    return { code: 'image.not_a_signature', message: `an attestation of type ${type}`, predicate_type: type };
  }
  if (isSignature) return { code: 'image.not_an_attestation', message: 'a signature, not an attestation' };
  if (predicateTypes.includes(type)) return undefined;
  return {
    code: 'statement.predicate_type_mismatch',
    message: `an attestation of type ${type}`,
    predicate_type: type,
  };
}
