import { digestOf } from '@colophon/records';
import type { Policy } from '../policy/policy.ts';
import { type AskedSignature, askedSignatures } from './asked-signature.ts';
import { gapComments, gapsOf } from './gaps.ts';
import type { GeneratedPolicy } from './generated-file.ts';
import { imagePatterns } from './image-patterns.ts';
import { regoModule, reviewRego } from './review-rego.ts';
import { servicesOf, type TrustedRootDocument, trustRoot } from './trust-root.ts';
import { anchored, type WrittenIdentity } from './written-signers.ts';
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
export function clusterImagePolicy(policy: Policy, options: GenerateOptions): GeneratedPolicy {
  const name = resourceName(policy.name);
  const gaps = gapsOf(policy, TARGET);
  const asked = askedSignatures(policy);
  const document = {
    apiVersion: 'policy.sigstore.dev/v1beta1',
    kind: 'ClusterImagePolicy',
    metadata: { name },
    spec: {
      mode: policy.mode === 'audit' ? 'warn' : 'enforce',
      images: [...new Set(policy.images.flatMap(imagePatterns))].map((glob) => ({ glob })),
      authorities: asked.flatMap(authoritiesOf).map((one) => authorityDocument(one, policy, name, options)),
      policy: rego(allOf(asked)),
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

/** One authority of the document: by certificates of any of several identities, or by one key. */
type Authority = { readonly name: string; readonly asked: AskedSignature; readonly by: Keyless | Keyed };
type Keyless = { readonly identities: readonly WrittenIdentity[] };
type Keyed = { readonly key: string };

function authoritiesOf(asked: AskedSignature): Authority[] {
  const { name, signers } = asked;
  const { identities, keys } = signers;
  return [
    ...(identities.length === 0 ? [] : [{ name, asked, by: { identities } }]),
    ...keys.map((key, index) => ({ name: `${name}-key-${index + 1}`, asked, by: { key } })),
  ];
}

function authorityDocument(
  { name, asked: { statement }, by }: Authority,
  policy: Policy,
  trustRootRef: string,
  { trustedRoot, insecureIgnoreSct = false }: GenerateOptions,
): YamlValue {
  const { fulcioUrl, rekorUrl, hasCtLog } = servicesOf(trustedRoot);
  const keyless = (identities: readonly WrittenIdentity[]) => ({
    url: fulcioUrl,
    trustRootRef,
    ...(insecureIgnoreSct && !hasCtLog && { insecureIgnoreSCT: true }),
    identities: identities.map(identityDocument),
  });
  return {
    name,
    signatureFormat: policy.signatureFormat ?? 'legacy',
    ...('key' in by ? { key: { data: by.key } } : { keyless: keyless(by.identities) }),
    // Without it, no log entry is asked for.
    ctlog: { url: rekorUrl, trustRootRef },
    attestations: statement && [
      {
        name: statement.name,
        predicateType: statement.predicateType,
        ...(statement.isReview && { policy: rego(reviewRego(policy, TARGET)) }),
      },
    ],
  };
}

function identityDocument({ issuer, subject, subjectRegExp }: WrittenIdentity): YamlValue {
  return { issuer, subject, subjectRegExp: subjectRegExp === undefined ? undefined : anchored(subjectRegExp) };
}

/** Demands each signature that is asked for, by any of its signers. */
function allOf(all: readonly AskedSignature[]): string {
  const rules: string[] = [];
  const conditions = all.map((asked) => {
    const matches = authoritiesOf(asked).flatMap(matchesOf);
    const [only] = matches;
    if (only !== undefined && matches.length === 1) return only;
    const rule = `signed_by_${asked.name.replaceAll('-', '_')}`;
    rules.push(matches.map((match) => `${rule} if ${match}`).join('\n\n'));
    return rule;
  });
  const keyed = all.some(({ signers }) => signers.keys.length > 0) ? [KEYED] : [];
  return regoModule(TARGET, conditions, [...rules, CERTIFIED, ...keyed]);
}

/** Authorities that did not match are not in the input. What matched has to have a certificate of an issuer of theirs. */
function matchesOf({ name, asked: { statement }, by }: Authority): string[] {
  const found = statement === undefined ? 'signatures' : `attestations["${statement.name}"]`;
  const match = `input.authorityMatches["${name}"].${found}`;
  if ('key' in by) return [`keyed(${match})`];
  const issuers = [...new Set(by.identities.map(({ issuer }) => issuer))];
  return issuers.map((issuer) => `certified(${match}, ${JSON.stringify(issuer)})`);
}

const CERTIFIED = `certified(found, issuer) if {
	some one in found
	one.issuer == issuer
}`;

// Of a key's signature no issuer is known.
const KEYED = 'keyed(found) if count(found) > 0';

function rego(data: string): YamlValue {
  return { type: 'rego', data };
}

const MOST_CHARACTERS = 63;
/** Of a name's hash: enough that no two names of one cluster meet. */
const HASH_CHARACTERS = 12;
const HASHED = new RegExp(`-[0-9a-f]{${HASH_CHARACTERS}}$`);

/**
 * A name that Kubernetes takes: lower-case letters, digits and hyphens, at most 63. It is the policy's own, or what is left of
 * that and its hash: of two policies with one name, `kubectl apply` keeps the second.
 */
function resourceName(name: string): string {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const trimmed = (most: number) => slug.slice(0, most).replace(/^-+|-+$/g, '');
  if (name !== '' && trimmed(MOST_CHARACTERS) === name && !HASHED.test(name)) return name;
  const hash = digestOf(new TextEncoder().encode(name)).replace('sha256:', '').slice(0, HASH_CHARACTERS);
  return `${trimmed(MOST_CHARACTERS - HASH_CHARACTERS - 1) || 'colophon'}-${hash}`;
}
