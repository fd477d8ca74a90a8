import Type, { type Static } from 'typebox';
import { REQUIRED_FROM } from './remediation-policy.ts';

const closed = { additionalProperties: false } as const;
const Text = (description: string) => Type.String({ minLength: 1, description });
const Required = Type.Optional(
  Type.Enum([...REQUIRED_FROM], { description: 'From when on it must be known; closing when absent.' }),
);

/** The policy file of remediation, version 1: one declaration for the type, for the check and for the published JSON Schema. */
export const REMEDIATION_POLICY_SCHEMA = Type.Object(
  {
    version: Type.Literal(1),
    name: Type.Optional(Text('What messages call this policy; its file when absent.')),
    owner: Type.Optional(
      Type.Object(
        {
          required: Required,
          domains: Type.Optional(
            Type.Array(Text('A domain, exactly.'), { minItems: 1, description: 'Whose addresses may own records.' }),
          ),
        },
        { ...closed, description: 'The e-mail address of whoever looks after a record.' },
      ),
    ),
    tracking_id: Type.Optional(
      Type.Object(
        { required: Required, pattern: Type.Optional(Text('RE2, matched against the whole id.')) },
        { ...closed, description: 'What your tracker calls the work.' },
      ),
    ),
    vex: Type.Optional(
      Type.Object(
        {
          authors: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  products: Type.Optional(
                    Type.Array(Text('A package URL, or a pattern of them with *.'), {
                      minItems: 1,
                      description: 'Every product when absent.',
                    }),
                  ),
                  signers: Type.Array(
                    Type.Union([
                      Text('The identity of a certificate, of any issuer, or the fingerprint of an OpenPGP key.'),
                      Type.Object(
                        { subject: Text('The identity of a certificate.'), issuer: Text('Its issuer, exactly.') },
                        closed,
                      ),
                    ]),
                    { minItems: 1 },
                  ),
                },
                closed,
              ),
              { minItems: 1, description: 'Who may say of which products that they are not affected.' },
            ),
          ),
        },
        closed,
      ),
    ),
  },
  {
    ...closed,
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://colophon.example/schema/remediation-policy.v1.json',
    title: 'Colophon remediation policy, version 1',
  },
);

/** A policy file as it is written, after its shape was checked. */
export type RemediationPolicyFile = Static<typeof REMEDIATION_POLICY_SCHEMA>;
