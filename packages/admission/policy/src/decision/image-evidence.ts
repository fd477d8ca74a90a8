import {
  parseAgentRun,
  purposeFits,
  purposeOf,
  type RejectedSignature,
  type SourcedClaim,
  type Statement,
  signedKindOf,
  UNKNOWN,
  type VerifiedSignature,
} from '@colophon/records';
import type { Artifact } from '../about/about.ts';
import { isRunType } from '../meaning/meaning.ts';
import type { Policy } from '../policy/policy.ts';

/** Predicate type of an image signature that cosign writes as a bundle. */
const COSIGN_SIGNATURE_TYPE = 'https://sigstore.dev/cosign/sign/v1';

/** A signature that carries a statement. */
export type Attestation = VerifiedSignature & { readonly statement: Statement };

/** True for a signature that carries a statement. */
export function isAttestation(signature: VerifiedSignature): signature is Attestation {
  return signature.statement !== undefined;
}

/** What was found for one image, sorted by what it is about. */
export type ImageEvidence = {
  /** Lower-case hex, without `sha256:`. */
  readonly sha256: string;
  readonly kind: Artifact['kind'];
  /** `sha256:<hex>` of the image and, where it is an index, of the manifests in it. */
  readonly digests: readonly string[];
  /** Plain image signatures that name the image. */
  readonly signatures: readonly VerifiedSignature[];
  /** Statements with the image among their subjects. */
  readonly attestations: readonly Attestation[];
  /** Verified, and about something else. */
  readonly elsewhere: readonly VerifiedSignature[];
  /** What was read and does not verify; it counts for nothing. */
  readonly rejected: readonly RejectedSignature[];
  /** What may be a signature and was not read. */
  readonly incomplete: readonly RejectedSignature[];
};

/** The image or file that evidence is about. */
export function artifactOf({ sha256, kind, digests }: ImageEvidence): Artifact {
  return { kind, digest: `sha256:${sha256}`, digests: new Set(digests) };
}

/** What was found for an image, as it came. */
export type FoundEvidence = {
  /** `kind`: an image where it is absent. */
  readonly image: {
    readonly digest: string;
    readonly manifests?: readonly string[];
    readonly kind?: Artifact['kind'];
  };
  readonly signatures: readonly VerifiedSignature[];
  readonly rejected: readonly RejectedSignature[];
  readonly incomplete?: readonly RejectedSignature[];
};

/**
 * The evidence that may say yes under a policy: signed with a certificate that was issued for what it signs, and in the
 * format that the policy demands. The rest is rejected. What says no is looked for in all of the evidence.
 */
export function affirmativeEvidence(
  evidence: ImageEvidence,
  { signatureFormat, review }: Pick<Policy, 'signatureFormat' | 'review'>,
): ImageEvidence {
  const whyNot = (one: VerifiedSignature): RejectedSignature | undefined => {
    if (!fitsPurpose(one, review.predicateType)) return rejectedForPurpose(one);
    return signatureFormat === undefined || one.format === signatureFormat ? undefined : rejectedForFormat(one);
  };
  const counts = (one: VerifiedSignature) => whyNot(one) === undefined;
  const others = [...evidence.signatures, ...evidence.attestations].flatMap((one) => whyNot(one) ?? []);
  return {
    ...evidence,
    signatures: evidence.signatures.filter(counts),
    attestations: evidence.attestations.filter(counts),
    elsewhere: evidence.elsewhere.filter(counts),
    rejected: [...evidence.rejected, ...others],
  };
}

function fitsPurpose({ certificate_identity: identity, statement }: VerifiedSignature, reviewType: string): boolean {
  return purposeFits(purposeOf(identity), statement === undefined ? 'artifact' : signedKindOf(statement, reviewType));
}

/** The code of every other verifier, which refuses the same before anybody asks what it says. */
function rejectedForPurpose(signature: VerifiedSignature): RejectedSignature {
  const { certificate_identity: identity } = signature;
  return rejectedBecause(
    signature,
    'certificate.purpose_mismatch',
    `the certificate of ${identity.subject} was issued for a ${purposeOf(identity)}, and signed something else`,
  );
}

function rejectedForFormat(signature: VerifiedSignature): RejectedSignature {
  const message = `a signature of ${signature.certificate_identity.subject} is not in the bundle format that the policy requires`;
  return rejectedBecause(signature, 'admission.signature_format', message);
}

function rejectedBecause(signature: VerifiedSignature, code: string, message: string): RejectedSignature {
  const predicateType = statementTypeOf(signature);
  return { code, message, ...(predicateType === undefined ? {} : { predicate_type: predicateType }) };
}

/** The type of what a signature says; undefined for a plain image signature, in either of its forms. */
export function statementTypeOf(signature: VerifiedSignature): string | undefined {
  const type = signature.statement?.predicateType;
  return type === COSIGN_SIGNATURE_TYPE ? undefined : type;
}

/** The value of a claim; `unknown` is none. */
export function claimOf(
  { certificate_identity: identity }: VerifiedSignature,
  claim: SourcedClaim,
): string | undefined {
  const value = identity.claims[claim];
  return value === '' || value === UNKNOWN ? undefined : value;
}

/** Sorts what was verified, and what was not, by what it says about the image. */
export function collectEvidence({ image, rejected, incomplete = [], ...found }: FoundEvidence): ImageEvidence {
  const signatures = found.signatures.map(withStatedClaims);
  const sha256 = image.digest.slice('sha256:'.length);
  const about = signatures.filter((signature) => isAbout(signature, sha256));
  return {
    sha256,
    kind: image.kind ?? 'image',
    digests: [image.digest, ...(image.manifests ?? [])],
    signatures: about.filter((signature) => statementTypeOf(signature) === undefined),
    attestations: about.filter((signature): signature is Attestation => statementTypeOf(signature) !== undefined),
    elsewhere: signatures.filter((signature) => !isAbout(signature, sha256)),
    rejected: rejected.map((one) =>
      one.predicate_type === COSIGN_SIGNATURE_TYPE ? { code: one.code, message: one.message } : one,
    ),
    incomplete,
  };
}

/**
 * Evidence with what is attached to the manifests in the image. Nothing of that says yes to the image, whatever it names, and
 * what could not be read is only that of the manifests. The same evidence where nobody looked there.
 */
export function withEvidenceOfParts(
  evidence: ImageEvidence,
  parts: (Pick<FoundEvidence, 'signatures'> & { readonly incomplete: readonly RejectedSignature[] }) | undefined,
): ImageEvidence {
  if (parts === undefined) return evidence;
  const elsewhere = [...evidence.elsewhere, ...parts.signatures.map(withStatedClaims)];
  return { ...evidence, elsewhere, incomplete: parts.incomplete };
}

/** A bare key certifies nothing: what the run that it signs says of itself is its claims, by its own word. */
function withStatedClaims(signature: VerifiedSignature): VerifiedSignature {
  const { certificate_identity: identity, statement } = signature;
  if (identity.key === undefined || statement === undefined || !isRunType(statement.predicateType)) return signature;
  const run = parseAgentRun(statement.predicate);
  if (!run.ok) return signature;
  const { model, input, policy, git } = run.value;
  const claims = {
    model_id: model.id,
    model_provider: model.provider,
    prompt_hash: input.prompt_hash,
    policy_pack_hash: policy.pack_hash,
    commit_sha: git.commit_sha,
  };
  const sources = Object.fromEntries(Object.keys(claims).map((claim) => [claim, 'declared' as const]));
  return { ...signature, certificate_identity: { ...identity, claims, sources } };
}

function isAbout({ statement, artifact_digest }: VerifiedSignature, sha256: string): boolean {
  // What a statement is about is what its signer wrote into it, and nothing that stands beside it.
  if (statement === undefined) return artifact_digest === `sha256:${sha256}`;
  return statement.subject.some(({ digest }) => digest['sha256'] === sha256);
}
