import { NEGATIVES_SCHEMA } from '@colophon/admission';
import type { XStatic } from 'typebox/schema';
import { CONFIGURATION_SCHEMA } from '../configuration/configuration-schema.ts';
import { port, TLS_FILES, text } from '../configuration/schema-parts.ts';

const namespace = {
  type: 'string',
  pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  description: 'Name of a namespace.',
} as const;

/** The configuration file of an admission webhook: one declaration for the type, for the check and for the docs. */
export const ADMISSION_SCHEMA = {
  type: 'object',
  required: ['listen', 'trust', 'policies', 'mode', 'namespaces'],
  properties: {
    listen: {
      type: 'object',
      required: ['address', 'port'],
      properties: {
        address: text('IP address for the API server’s requests.'),
        port,
        tls: {
          ...TLS_FILES,
          description: 'An API server calls nothing without it; it may be left out on loopback.',
        },
        clientCertificates: text(
          'PEM file: the authority of the certificate that the API server shows. Nobody else gets an answer; anybody does without it.',
        ),
        drainSeconds: {
          type: 'integer',
          minimum: 0,
          maximum: 300,
          description: 'How long it answers after /readyz turned red; 5 when absent.',
        },
      },
      additionalProperties: false,
      description: 'Where the API server calls.',
    },
    operations: {
      type: 'object',
      required: ['address', 'port'],
      properties: { address: text('IP address.'), port },
      additionalProperties: false,
      description: 'Where /livez, /readyz and /metrics answer without TLS.',
    },
    trust: {
      type: 'object',
      required: ['roots'],
      properties: { roots: CONFIGURATION_SCHEMA.properties.trust.properties.roots },
      additionalProperties: false,
      description: 'Files of the trusted roots.',
    },
    predicateBase: text('Base of the predicate types; as the issuer has it.'),
    claimArc: text('Arc of the claims’ certificate extensions; as the issuer has it.'),
    policies: {
      type: 'array',
      minItems: 1,
      items: text('A policy file, or a folder: every .yaml and .yml file in it.'),
      description: 'Policy files.',
    },
    mode: {
      enum: ['audit', 'enforce'],
      description: 'audit: nothing is refused and no Pod is changed; what would be refused is a warning.',
    },
    namespaces: {
      type: 'object',
      required: ['exclude'],
      properties: {
        exclude: {
          type: 'array',
          minItems: 1,
          items: namespace,
          description:
            'Namespaces that are not looked at, as in the webhook configurations; the webhook’s own is among them.',
        },
      },
      additionalProperties: false,
      description: 'By name alone: no label of a namespace opens anything.',
    },
    negatives: { ...NEGATIVES_SCHEMA, description: 'The list of standing rejections for policies that name none.' },
    data: text('Folder for the largest sequence seen of each list.'),
    registryCredentials: text(
      'file:PATH or env:NAME of a docker config.json, with read-only credentials; none when absent.',
    ),
    pullSecrets: {
      type: 'object',
      required: ['namespaces'],
      properties: { namespaces: { type: 'array', minItems: 1, items: namespace, description: 'Names of namespaces.' } },
      additionalProperties: false,
      description: 'Namespaces whose Pods’ own pull secrets are used too, each for its own registry.',
    },
    cluster: {
      type: 'object',
      properties: { server: text('Address of the API server, such as that of kubectl proxy; in a Pod it is known.') },
      additionalProperties: false,
      description: 'The cluster that is told: events of what is refused or excepted, and of rejected images that run.',
    },
    decisionLog: text('File for the decision log; standard output when absent.'),
    timeoutSeconds: { type: 'integer', minimum: 1, maximum: 29, description: 'For an answer; 2 when absent.' },
  },
  additionalProperties: false,
} as const;

/** The file as it is written. */
export type AdmissionFile = XStatic<typeof ADMISSION_SCHEMA>;
