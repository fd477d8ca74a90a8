import { CLAIM_SOURCES, REVIEW_PROFILES, SOURCED_CLAIMS, type SourcedClaim } from '@colophon/records';
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

const sourceRule = (claim: SourcedClaim) =>
  ({
    type: 'array',
    items: { enum: CLAIM_SOURCES },
    minItems: 1,
    description: `Who may vouch for ${claim}.`,
  }) as const;
const sourceRules = Object.fromEntries(SOURCED_CLAIMS.map((claim) => [claim, sourceRule(claim)])) as {
  readonly [claim in SourcedClaim]: ReturnType<typeof sourceRule>;
};

/** The policy file, version 1: one declaration for the type, for the check and for the published JSON Schema. */
export const POLICY_SCHEMA = {
  type: 'object',
  required: ['version', 'images', 'agent'],
  properties: {
    version: { type: 'number', const: 1 },
    name: text('Name of the policy in reasons; default: its first glob.'),
    images: {
      type: 'array',
      items: text('A glob over registry/repository[:tag][@digest].'),
      minItems: 1,
      description: 'Which images the policy covers: * within a path segment, ** across.',
    },
    agent: { ...identity, description: 'Approved agents (contract §5.3).' },
    review: {
      type: 'object',
      properties: {
        issuer: text('Who certifies reviewers, exactly; the issuer of agents when absent.'),
        subject: identityFields.subject,
        subjectRegExp: identityFields.subjectRegExp,
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
      ...identity,
      properties: {
        ...identityFields,
        builderId: text('runDetails.builder.id, exactly.'),
        sourceRepository: {
          type: 'string',
          pattern: '^https://',
          description: 'Full address of the repository that the image is built from.',
        },
      },
      description: 'The build runner whose SLSA provenance v1 names the commit that the image was built from.',
    },
    require: REQUIRE_SCHEMA,
    negatives: {
      anyOf: [
        { type: 'string', const: 'none', description: 'Rejections are looked for in the registry only.' },
        {
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
            maxAge: {
              type: 'string',
              pattern: '^[1-9][0-9]{0,5}[smhd]$',
              description: 'How old the list may be: 90s, 15m, 2h, 1d; 15m when absent.',
            },
          },
          additionalProperties: false,
        },
      ],
      description: 'The list of standing rejections; that of the configured evidence store when absent.',
    },
    signatureFormat: {
      enum: ['bundle'],
      description:
        'bundle: signatures in the older format (the tags .sig and .att) do not count; both count when absent.',
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
