import { SHA256_PATTERN, TIMESTAMP_PATTERN } from '@colophon/notation';
import { CLAIM_SOURCES, type PerClaim, REVIEW_PROFILES, SOURCED_CLAIMS, type SourcedClaim } from '@colophon/records';
import type { XStatic } from 'typebox/schema';

const text = <const D extends string>(description: D) => ({ type: 'string', minLength: 1, description }) as const;

/** Who: an exact issuer, and a subject either exact or by pattern. */
const identityFields = {
  issuer: text('The certificate OIDC issuer, exactly.'),
  subject: text('The certificate identity, exactly.'),
  subjectRegExp: text('RE2, matched against the whole certificate identity.'),
} as const;

const identity = {
  type: 'object',
  required: ['issuer'],
  properties: identityFields,
  additionalProperties: false,
  oneOf: [{ required: ['subject'] }, { required: ['subjectRegExp'] }],
} as const;

const keyField = {
  key: text('PEM of a public key, in place of issuer and subject: a bare key signs (contract §5.5).'),
} as const;

/** One of several: an identity, or a key. */
const oneAuthority = {
  type: 'object',
  properties: { ...identityFields, ...keyField },
  additionalProperties: false,
  oneOf: [{ required: ['issuer', 'subject'] }, { required: ['issuer', 'subjectRegExp'] }, { required: ['key'] }],
} as const;

/** Who may sign: an identity, a key, or any of several. */
const authorityFields = {
  ...oneAuthority.properties,
  identities: {
    type: 'array',
    items: oneAuthority,
    minItems: 1,
    description: 'Several authorities, any of which will do.',
  },
} as const;
const authorityChoice = [...oneAuthority.oneOf, { required: ['identities'] }] as const;

const duration = <const D extends string>(description: D) =>
  ({ type: 'string', pattern: '^[1-9][0-9]{0,5}[smhd]$', description }) as const;
const time = <const D extends string>(description: D) =>
  ({ type: 'string', pattern: TIMESTAMP_PATTERN, description }) as const;
const digest = { type: 'string', pattern: SHA256_PATTERN, description: 'sha256:<64 hex>' } as const;

/** Who answers for a rule that asks for less than evidence, and why it is there. */
const accountable = {
  owner: text('Who answers for it.'),
  reason: text('Why it is there.'),
} as const;

/** One rule of `require`, also as `verify --require` takes it. */
export const REQUIRE_RULE_SCHEMA = {
  ...identity,
  properties: {
    ...identityFields,
    predicateType: text('Count only attestations of this type, and no plain signatures.'),
  },
} as const;

/** All rules of `require`: each has to be met by another signature. */
export const REQUIRE_SCHEMA = {
  type: 'array',
  items: REQUIRE_RULE_SCHEMA,
  minItems: 1,
  description: 'Identities that must have signed too, each by a signature of its own (contract §5.4).',
} as const;

/** The same in a policy, where a key may be one. */
const POLICY_REQUIRE_SCHEMA = {
  ...REQUIRE_SCHEMA,
  items: {
    ...oneAuthority,
    properties: { ...oneAuthority.properties, predicateType: REQUIRE_RULE_SCHEMA.properties.predicateType },
  },
} as const;

/** Where a list of standing rejections is, also as a webhook's configuration names it. */
export const NEGATIVES_SCHEMA = {
  type: 'object',
  required: ['from', 'signer'],
  properties: {
    from: { type: 'string', pattern: '^https?://', description: 'Address of the list.' },
    signer: {
      type: 'object',
      required: ['issuer', 'subject'],
      properties: { issuer: identityFields.issuer, subject: identityFields.subject },
      additionalProperties: false,
      description: 'Who signs the list.',
    },
    maxAge: duration('How old the list may be: 90s, 15m, 2h, 1d; 15m when absent.'),
  },
  additionalProperties: false,
} as const;

const sourceRule = (claim: SourcedClaim) =>
  ({
    type: 'array',
    items: { enum: CLAIM_SOURCES },
    minItems: 1,
    description: `Who may vouch for ${claim}.` as string,
  }) as const;
const sourceRules = Object.fromEntries(SOURCED_CLAIMS.map((claim) => [claim, sourceRule(claim)])) as PerClaim<
  ReturnType<typeof sourceRule>
>;

/** The policy file, version 1: one declaration for the type, for the check and for the published JSON Schema. */
export const POLICY_SCHEMA = {
  type: 'object',
  required: ['version', 'images'],
  anyOf: [{ required: ['agent'] }, { required: ['human'] }, { required: ['legacy'] }],
  properties: {
    version: { type: 'number', const: 1 },
    name: text('Name of the policy in reasons; default: its first glob.'),
    images: {
      type: 'array',
      items: text('A glob over registry/repository[:tag][@digest].'),
      minItems: 1,
      description: 'Which images the policy covers: * within a path segment, ** across.',
    },
    agent: {
      type: 'object',
      properties: { ...authorityFields, maxAge: duration('How old the signature of the agent may be: 90d, 12h.') },
      additionalProperties: false,
      oneOf: authorityChoice,
      description: 'Approved agents (contract §5.3).',
    },
    human: {
      type: 'object',
      properties: { ...authorityFields, maxAge: duration('How old the signature may be: 90d, 12h.') },
      additionalProperties: false,
      oneOf: authorityChoice,
      description: 'In place of agent: who signs images that people made. An image that an agent signed is refused.',
    },
    legacy: {
      type: 'object',
      required: ['digests', 'owner', 'reason'],
      properties: {
        digests: { type: 'array', items: digest, minItems: 1, description: 'The images, exactly.' },
        ...accountable,
        until: time('RFC 3339 in UTC, with Z: from then on they are refused.'),
      },
      additionalProperties: false,
      description:
        'In place of agent: images without signatures, named by digest. One that an agent signed is refused.',
    },
    models: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['id'],
        properties: {
          id: text('model_id; * within a segment, ** across.'),
          provider: text('model_provider, exactly; any when absent.'),
        },
        additionalProperties: false,
      },
      description: 'Models that the agent may have run on, by its certificate.',
    },
    modelAsRequested: {
      enum: [true],
      description: 'A run of the agent has to say which model was requested, and that the same answered.',
    },
    policyPacks: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['name', 'hash'],
        properties: { name: text('For people.'), hash: digest },
        additionalProperties: false,
      },
      description: 'Policy packs that the agent may have run under, by the hash in its certificate.',
    },
    exceptions: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['digest', 'owner', 'reason', 'from', 'until'],
        properties: {
          digest,
          ...accountable,
          from: time('RFC 3339 in UTC, with Z: when it begins.'),
          until: time('RFC 3339 in UTC, with Z: when it ends, 24 hours after from at the latest.'),
        },
        additionalProperties: false,
      },
      description: 'Images that pass without evidence for a time. What was rejected stays out.',
    },
    review: {
      type: 'object',
      properties: {
        issuer: text('Who certifies reviewers, exactly; the issuer of agents when absent, where there is one.'),
        subject: identityFields.subject,
        subjectRegExp: identityFields.subjectRegExp,
        identities: {
          type: 'array',
          items: identity,
          minItems: 1,
          description: 'Several reviewers or review services in place of one; any of them will do.',
        },
        domains: {
          type: 'array',
          items: text('A domain exactly, or *.example.com for every one with one label more.'),
          minItems: 1,
          description: 'Domains of the people whose yes counts, of those who may review; any when absent.',
        },
        maxAge: duration('How old the review may be: 90d, 12h.'),
        predicateType: text('Predicate type of the review attestation.'),
        conditions: {
          type: 'array',
          items: text('CEL over predicate, statement, certificate and image; must be true.'),
          minItems: 1,
        },
        minDurationSeconds: {
          type: 'integer',
          minimum: 1,
          maximum: 31_536_000,
          description: 'The shortest review that counts.',
        },
        plusAddresses: {
          enum: ['same'],
          description:
            'same: in a rejection alice+tag@ is alice@. Two persons when absent; for an approval always as it is written.',
        },
        sameAt: {
          type: 'array',
          items: text('A certificate OIDC issuer.'),
          minItems: 1,
          description:
            'Other issuers that certify the same people by the same addresses: their rejections count, and no approval.',
        },
        mayWithdraw: {
          type: 'array',
          items: identity,
          minItems: 1,
          description: 'Who may withdraw a rejection, with a reason; its own reviewer approves later instead.',
        },
      },
      additionalProperties: false,
      description: 'The required review; absent keys have their defaults.',
    },
    sources: {
      type: 'object',
      properties: sourceRules,
      additionalProperties: false,
      description: 'Accepted sources of each claim.',
    },
    provenance: {
      type: 'object',
      additionalProperties: false,
      oneOf: authorityChoice,
      properties: {
        ...authorityFields,
        builderId: text('runDetails.builder.id, exactly.'),
        sourceRepository: {
          type: 'string',
          pattern: '^https://',
          description: 'Full address of the repository that the image is built from.',
        },
      },
      description: 'The build runner whose SLSA provenance v1 names the commit that the image was built from.',
    },
    require: POLICY_REQUIRE_SCHEMA,
    negatives: {
      anyOf: [
        { type: 'string', const: 'none', description: 'Rejections are looked for in the registry only.' },
        NEGATIVES_SCHEMA,
      ],
      description: 'The list of standing rejections; that of the configured evidence store when absent.',
    },
    signatureFormat: {
      enum: ['bundle'],
      description:
        'bundle: signatures in the older format (the tags .sig and .att) do not count; both count when absent.',
    },
    contradictions: {
      enum: ['warn', 'refuse'],
      description: 'What cannot all be true, by signers that the policy names: warn when absent.',
    },
    mode: { enum: ['enforce', 'audit'], description: 'enforce when absent.' },
    profile: { enum: REVIEW_PROFILES, description: 'strict when absent.' },
  },
  additionalProperties: false,
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://colophon.example/schema/policy.v1.json',
  title: 'Colophon admission policy, version 1',
} as const;

/** A policy file as it is written, after its shape was checked. */
export type PolicyFile = XStatic<typeof POLICY_SCHEMA>;
