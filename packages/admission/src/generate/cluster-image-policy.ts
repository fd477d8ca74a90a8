import { DEFAULT_REVIEWER_PATTERN, type WrittenPolicy } from '../policy/policy.ts';
import type { PolicyFile } from '../policy/policy-schema.ts';
import { gapComments, gapsOf } from './gaps.ts';
import type { GeneratedPolicy } from './generated-file.ts';
import { imagePatterns } from './image-patterns.ts';
import { regoModule, reviewRego } from './review-rego.ts';
import { servicesOf, type TrustedRootDocument, trustRoot } from './trust-root.ts';
import { anchored, type WrittenIdentity } from './written-identity.ts';
import { type YamlValue, yamlText } from './yaml-text.ts';

const TARGET = 'policy-controller';

/** What a policy is written down with. */
export type GenerateOptions = {
  readonly trustedRoot: TrustedRootDocument;
  /** Certificates count without a timestamp of a CT log, under a root that names none. */
  readonly insecureIgnoreSct?: boolean;
};

/**
 * A policy for policy-controller: a ClusterImagePolicy, and the TrustRoot that it names. It lets an image pass where one
 * authority does, so `spec.policy` demands all of them; under `profile: spec` there is one, beside those that are required.
 * @see contract §5.3; github.com/sigstore/policy-controller pkg/apis/policy/v1beta1
 */
export function clusterImagePolicy(policy: WrittenPolicy, options: GenerateOptions): GeneratedPolicy {
  const name = resourceName(policy.name);
  const gaps = gapsOf(policy, TARGET);
  const authorities = authoritiesOf(policy);
  const document = {
    apiVersion: 'policy.sigstore.dev/v1beta1',
    kind: 'ClusterImagePolicy',
    metadata: { name },
    spec: {
      mode: policy.mode === 'audit' ? 'warn' : 'enforce',
      images: [...new Set(policy.images.flatMap(imagePatterns))].map((glob) => ({ glob })),
      authorities: authorities.map((authority) => authorityDocument(authority, policy, name, options)),
      policy: rego(allOf(authorities)),
    },
  };
  return {
    files: [
      {
        name: 'trust-root.yaml',
        what: 'the keys of the trusted root, for kubectl apply',
        content: trustRoot(name, options.trustedRoot),
      },
      {
        name: 'cluster-image-policy.yaml',
        what: 'the policy, for kubectl apply, after the keys',
        content: gapComments(policy, TARGET, gaps) + yamlText(document),
      },
    ],
    gaps,
  };
}

type Authority = {
  readonly name: string;
  readonly identity: WrittenIdentity;
  readonly attestation?: { readonly name: string; readonly predicateType: string; readonly rego?: string };
};

function authoritiesOf(policy: WrittenPolicy): Authority[] {
  const { agent, review = {}, require = [] } = policy.written;
  const attestation = {
    name: 'review',
    predicateType: policy.review.predicateType,
    rego: reviewRego(policy, TARGET),
  };
  const required = require.map((rule, index): Authority => requiredAuthority(policy, rule, `required-${index + 1}`));
  // One authority for all: the agent signs the review too (contract §5.3).
  if (policy.profile === 'spec') return [{ name: 'agent', identity: agent, attestation }, ...required];
  const identity = reviewerOf(agent.issuer, review);
  return [{ name: 'agent', identity: agent }, { name: 'reviewer', identity, attestation }, ...required];
}

/** Who reviews, as the policy file has it or as it is where it says nothing. */
export function reviewerOf(issuer: string, review: NonNullable<PolicyFile['review']>): WrittenIdentity {
  const isNamed = review.subject !== undefined || review.subjectRegExp !== undefined;
  const { subject, subjectRegExp } = isNamed ? review : { subjectRegExp: DEFAULT_REVIEWER_PATTERN };
  return { issuer: review.issuer ?? issuer, subject, subjectRegExp };
}

function requiredAuthority(
  policy: WrittenPolicy,
  rule: WrittenIdentity & { readonly predicateType?: string | undefined },
  name: string,
): Authority {
  const { predicateType } = rule;
  if (predicateType === undefined) return { name, identity: rule };
  const isReview = policy.review.isReview(predicateType);
  const content = isReview ? { rego: reviewRego(policy, TARGET) } : {};
  return { name, identity: rule, attestation: { name: 'statement', predicateType, ...content } };
}

function authorityDocument(
  { name, identity, attestation }: Authority,
  policy: WrittenPolicy,
  trustRootRef: string,
  { trustedRoot, insecureIgnoreSct = false }: GenerateOptions,
): YamlValue {
  const { fulcioUrl, rekorUrl, hasCtLog } = servicesOf(trustedRoot);
  return {
    name,
    signatureFormat: policy.signatureFormat ?? 'legacy',
    keyless: {
      url: fulcioUrl,
      trustRootRef,
      ...(insecureIgnoreSct && !hasCtLog && { insecureIgnoreSCT: true }),
      identities: [identityDocument(identity)],
    },
    // Without it, no log entry is asked for.
    ctlog: { url: rekorUrl, trustRootRef },
    attestations: attestation && [
      {
        name: attestation.name,
        predicateType: attestation.predicateType,
        ...(attestation.rego !== undefined && { policy: rego(attestation.rego) }),
      },
    ],
  };
}

function identityDocument({ issuer, subject, subjectRegExp }: WrittenIdentity): YamlValue {
  return { issuer, subject, subjectRegExp: subjectRegExp === undefined ? undefined : anchored(subjectRegExp) };
}

/** Authorities that did not match are not in the input. What matched has to have a certificate of the issuer. */
function allOf(authorities: readonly Authority[]): string {
  const matches = authorities.map(({ name, identity, attestation }) => {
    const found = attestation === undefined ? 'signatures' : `attestations["${attestation.name}"]`;
    return `certified(input.authorityMatches["${name}"].${found}, ${JSON.stringify(identity.issuer)})`;
  });
  return regoModule(TARGET, matches, [CERTIFIED]);
}

const CERTIFIED = `certified(found, issuer) if {
	some one in found
	one.issuer == issuer
}`;

function rego(data: string): YamlValue {
  return { type: 'rego', data };
}

/** A name that Kubernetes takes: lower-case letters, digits and hyphens, at most 63. */
function resourceName(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'colophon' : slug;
}
