import type { XStatic } from 'typebox/schema';
import { REQUIRED_FROM } from './remediation-policy.ts';

const text = <const D extends string>(description: D) => ({ type: 'string', minLength: 1, description }) as const;
const required = {
  enum: REQUIRED_FROM,
  description: 'From when on it must be known; closing when absent.',
} as const;

/** The policy file of remediation, version 1: one declaration for the type, for the check and for the published JSON Schema. */
export const REMEDIATION_POLICY_SCHEMA = {
  type: 'object',
  required: ['version'],
  properties: {
    version: { type: 'number', const: 1 },
    name: text('What messages call this policy; its file when absent.'),
    owner: {
      type: 'object',
      properties: {
        required,
        domains: {
          type: 'array',
          items: text('A domain, exactly.'),
          minItems: 1,
          description: 'Whose addresses may own records.',
        },
      },
      additionalProperties: false,
      description: 'The e-mail address of the owner of a record.',
    },
    tracking_id: {
      type: 'object',
      properties: { required, pattern: text('RE2, matched against the whole id.') },
      additionalProperties: false,
      description: 'What your tracker calls the work.',
    },
    vex: {
      type: 'object',
      properties: {
        authors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['signers'],
            properties: {
              products: {
                type: 'array',
                items: text('A package URL, or a pattern of them with *.'),
                minItems: 1,
                description: 'Every product when absent.',
              },
              signers: {
                type: 'array',
                items: {
                  anyOf: [
                    text('The identity of a certificate, of any issuer, or the fingerprint of an OpenPGP key.'),
                    {
                      type: 'object',
                      required: ['subject', 'issuer'],
                      properties: {
                        subject: text('The identity of a certificate.'),
                        issuer: text('Its issuer, exactly.'),
                      },
                      additionalProperties: false,
                    },
                  ],
                },
                minItems: 1,
              },
            },
            additionalProperties: false,
          },
          minItems: 1,
          description: 'Who may say of which products that they are not affected.',
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://colophon.example/schema/remediation-policy.v1.json',
  title: 'Colophon remediation policy, version 1',
} as const;

/** A policy file as it is written, after its shape was checked. */
export type RemediationPolicyFile = XStatic<typeof REMEDIATION_POLICY_SCHEMA>;
