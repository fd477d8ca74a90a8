import { CLAIM_SOURCES, SOURCED_CLAIMS } from '@colophon/records';
import Type, { type Static, type TProperties } from 'typebox';

const closed = { additionalProperties: false } as const;
const Text = (description: string) => Type.String({ minLength: 1, description });

/** Who: an exact issuer, and a subject either exact or by pattern. */
const identityFields = {
  issuer: Text('The certificate OIDC issuer, exactly.'),
  subject: Type.Optional(Text('The certificate identity, exactly.')),
  subjectRegExp: Type.Optional(Text('RE2, matched against the whole certificate identity.')),
};
const oneSubject = { oneOf: [{ required: ['subject'] }, { required: ['subjectRegExp'] }] };

const sourceRules: TProperties = Object.fromEntries(
  SOURCED_CLAIMS.map((claim) => [
    claim,
    Type.Optional(
      Type.Array(Type.Enum([...CLAIM_SOURCES]), { minItems: 1, description: `Who may vouch for ${claim}.` }),
    ),
  ]),
);

/** The policy file, version 1: one declaration for the type, for the check and for the published JSON Schema. */
export const POLICY_SCHEMA = Type.Object(
  {
    version: Type.Literal(1),
    name: Type.Optional(Text('What reasons call this policy; its first glob when absent.')),
    images: Type.Array(Text('A glob over registry/repository[:tag][@digest].'), {
      minItems: 1,
      description: 'Which images the policy covers: * within a path segment, ** across.',
    }),
    agent: Type.Object(identityFields, { ...closed, ...oneSubject, description: 'Approved agents (contract §5.3).' }),
    review: Type.Optional(
      Type.Object(
        {
          issuer: Type.Optional(Text('Who certifies reviewers, exactly; the issuer of agents when absent.')),
          subject: identityFields.subject,
          subjectRegExp: identityFields.subjectRegExp,
          predicateType: Type.Optional(Text('Predicate type of the review attestation.')),
          conditions: Type.Optional(
            Type.Array(Text('CEL over predicate, statement, certificate and image; must be true.'), { minItems: 1 }),
          ),
          minDurationSeconds: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'The shortest review that counts.' }),
          ),
          mayWithdraw: Type.Optional(
            Type.Array(Type.Object(identityFields, { ...closed, ...oneSubject }), {
              minItems: 1,
              description: 'Who may withdraw a rejection, with a reason; its own reviewer approves later instead.',
            }),
          ),
        },
        { ...closed, description: 'The review that is demanded in any case; what is absent has its default.' },
      ),
    ),
    sources: Type.Optional(
      Type.Object(sourceRules, { ...closed, description: 'For a claim, which sources of it are good enough.' }),
    ),
    require: Type.Optional(
      Type.Array(
        Type.Object(
          {
            ...identityFields,
            predicateType: Type.Optional(Text('Count only attestations of this type, and no plain signatures.')),
          },
          { ...closed, ...oneSubject },
        ),
        { minItems: 1, description: 'Identities that must have signed the image too (contract §5.4).' },
      ),
    ),
    negatives: Type.Optional(
      Type.Union(
        [
          Type.Literal('none', { description: 'Rejections are looked for in the registry only.' }),
          Type.Object(
            {
              from: Type.String({ pattern: '^https?://', description: 'Address of the list.' }),
              signer: Type.Object(
                { issuer: identityFields.issuer, subject: Text('The certificate identity, exactly.') },
                { ...closed, description: 'Who signs the list.' },
              ),
              maxAge: Type.Optional(
                Type.String({
                  pattern: '^[1-9][0-9]{0,5}[smhd]$',
                  description: 'How old the list may be: 90s, 15m, 2h, 1d; 15m when absent.',
                }),
              ),
            },
            closed,
          ),
        ],
        { description: 'The list of standing rejections; that of the configured evidence store when absent.' },
      ),
    ),
    signatureFormat: Type.Optional(
      Type.Enum(['bundle'], {
        description:
          'bundle: signatures in the older format (the tags .sig and .att) do not count; both count when absent.',
      }),
    ),
    mode: Type.Optional(Type.Enum(['enforce', 'audit'], { description: 'enforce when absent.' })),
    profile: Type.Optional(Type.Enum(['strict', 'spec'], { description: 'strict when absent.' })),
  },
  {
    ...closed,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://colophon.example/schema/policy.v1.json',
    title: 'Colophon admission policy, version 1',
  },
);

/** A policy file as it is written, after its shape was checked. */
export type PolicyFile = Static<typeof POLICY_SCHEMA>;
