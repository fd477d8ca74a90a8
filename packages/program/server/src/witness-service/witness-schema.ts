import { PROVIDER_APIS } from '@colophon/witness';
import type { XStatic } from 'typebox/schema';
import { CALLER_NAME } from '../configuration/configuration-schema.ts';
import { port, TLS_FILES, text } from '../configuration/schema-parts.ts';

const tls = { ...TLS_FILES, description: 'Needed beyond loopback.' } as const;

const upstream = {
  type: 'object',
  required: ['address', 'credential'],
  properties: {
    address: text('Its http or https address: requests go to this path and below it, and nowhere else.'),
    api: {
      enum: PROVIDER_APIS,
      description: 'Whose clients it is for; of the upstreams anthropic and openai their own.',
    },
    credential: text('file:PATH or env:NAME with the credential that is added to every request.'),
    header: {
      enum: ['x-api-key', 'authorization'],
      description: 'Where the credential goes; x-api-key for anthropic, else authorization with Bearer.',
    },
    ca: text('PEM file of the private authority that signs its certificate.'),
  },
  additionalProperties: false,
} as const;

/** The configuration file of an isolated witness: one declaration for the type, for the check and for the published JSON Schema. */
export const WITNESS_SCHEMA = {
  type: 'object',
  required: ['listen', 'control', 'key', 'data', 'issuer', 'agent', 'upstreams', 'callers'],
  properties: {
    listen: {
      type: 'object',
      required: ['address', 'port'],
      properties: {
        address: text('IP address for the requests of agents.'),
        port,
        tls,
        url: text('How agents reach it, where that is another address.'),
      },
      additionalProperties: false,
      description: 'Where agents send their requests.',
    },
    control: {
      type: 'object',
      properties: {
        socket: text('Path of a Unix socket.'),
        address: text('IP address, in place of a socket.'),
        port,
        tls,
      },
      additionalProperties: false,
      description: 'Where callers open and end runs: socket, or address and port.',
    },
    key: text('file:PATH of the key that signs receipts, made where there is none; or env:NAME with its PEM.'),
    data: text('Folder for the runs that are open.'),
    issuer: text('The issuer that takes the receipts: iss of its tokens.'),
    predicateBase: text('Base of the predicate types; as the issuer has it.'),
    agent: {
      type: 'object',
      properties: {
        user: text('User of this machine as which agents run.'),
        elsewhere: { enum: [true], description: 'Agents run in another container or on another host.' },
      },
      additionalProperties: false,
      description: 'user, or elsewhere: true.',
    },
    upstreams: {
      type: 'object',
      minProperties: 1,
      additionalProperties: upstream,
      description: 'Servers of models by name; the name becomes model_provider.',
    },
    callers: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['name', 'secret'],
        properties: {
          name: { type: 'string', pattern: CALLER_NAME, description: 'As the issuer calls it.' },
          secret: text('file:PATH or env:NAME with the secret that it shows: 32 characters or more.'),
        },
        additionalProperties: false,
      },
      description: 'Who may open runs.',
    },
  },
  additionalProperties: false,
} as const;

/** The file as it is written. */
export type WitnessFile = XStatic<typeof WITNESS_SCHEMA>;
