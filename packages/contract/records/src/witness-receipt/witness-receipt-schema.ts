import { SHA256_PATTERN } from '@colophon/notation';
import { AGENT_NAME_PATTERN } from '../agent-name/agent-name.ts';
import { PATH_SEGMENT_PATTERN, PRINTABLE_WORD_PATTERN } from '../printable-word/printable-word.ts';
import { count, type RecordSchema, timestamp } from '../record-schema/record-schema.ts';

/**
 * Where a witness runs. `isolated`: as another user, in another container or on another host than the agent.
 * `same-host`: as the agent's own user, which can read its key and go round it.
 */
export const WITNESS_PLACES = ['isolated', 'same-host'] as const;
export type WitnessPlace = (typeof WITNESS_PLACES)[number];

/** Why an answer counts for no model. */
export const UNATTRIBUTED_REASONS = [
  'model_absent',
  'model_changed',
  'model_malformed',
  'answer_unreadable',
  'answer_not_seen',
  'request_unknown',
  'witness_restarted',
  'more_models',
] as const;
export type UnattributedReason = (typeof UNATTRIBUTED_REASONS)[number];

/** How the command of a run ended. */
export const RUN_ENDS = ['exited', 'signalled', 'interrupted', 'timed-out', 'not-started'] as const;
export type RunEnd = (typeof RUN_ENDS)[number];

/** Bounds of one receipt, so that it fits into a token request; what is beyond them is counted, and told. */
export const RECEIPT_LIMITS = { models: 16, unattributed: 16, responseIds: 32, tools: 32, upstreams: 16 } as const;

const digest = {
  type: 'string',
  description: 'sha256: and 64 lower-case hex digits',
  pattern: SHA256_PATTERN,
} as const;
const word = {
  type: 'string',
  description: '1 to 256 printable ASCII characters without spaces',
  pattern: PRINTABLE_WORD_PATTERN,
} as const;
const upstreamName = {
  type: 'string',
  description: 'the name of an upstream: printable ASCII without spaces and "/"',
  pattern: PATH_SEGMENT_PATTERN,
} as const;
const answers = { ...count, description: 'answers, 1 or more', minimum: 1 } as const;
const tokens = (what: string) => ({ ...count, description: `${what}, as far as the answers say it` }) as const;

/**
 * What a witness saw of one agent run, once: WitnessReceipt is its type, and it is published as
 * docs/json/witness-receipt.v1.json. Members that it does not name are allowed.
 */
export const witnessReceiptSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'witness-receipt predicate, version 1',
  type: 'object',
  description: 'a witness-receipt predicate',
  required: ['run_id', 'witness', 'agent', 'input', 'policy', 'started_at', 'signed_at', 'upstreams', 'models'],
  properties: {
    run_id: {
      type: 'string',
      description: 'the run: a UUID',
      pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    },
    witness: {
      type: 'object',
      description: 'who saw it',
      required: ['key_id', 'place'],
      properties: {
        key_id: { type: 'string', description: 'RFC 7638 thumbprint of its key', pattern: '^[A-Za-z0-9_-]{43}$' },
        place: { type: 'string', description: WITNESS_PLACES.join(' or '), enum: WITNESS_PLACES },
        isolation: {
          type: 'object',
          description: 'what an isolated witness found when it started',
          required: ['key_and_control', 'credentials', 'upstreams'],
          properties: {
            agent_user: { ...word, description: "the agent's user on this machine; absent where it is elsewhere" },
            key_and_control: {
              type: 'string',
              description: "whether the agent's user can open key or control socket",
              enum: ['unreadable', 'elsewhere'],
            },
            credentials: { type: 'string', description: 'who adds the credentials', enum: ['witness'] },
            upstreams: { type: 'string', description: 'what fixes the upstreams', enum: ['configuration'] },
          },
        },
      },
    },
    issuer: { ...word, description: 'the issuer that may take it: the iss of its tokens' },
    caller: { ...word, description: 'the caller that opened the run' },
    agent: {
      type: 'object',
      description: 'the agent, as the caller named it',
      required: ['name', 'version'],
      properties: {
        name: { type: 'string', description: 'name of the agent', pattern: AGENT_NAME_PATTERN },
        version: word,
      },
    },
    input: {
      type: 'object',
      description: 'what the agent was given',
      required: ['prompt_hash', 'prompt_seen'],
      properties: {
        prompt_hash: digest,
        prompt_seen: {
          type: 'boolean',
          description: 'whether a model answered a request that contained exactly this prompt',
        },
        context_token_count: tokens('tokens of the first request'),
      },
    },
    policy: {
      type: 'object',
      description: 'the policy pack',
      required: ['pack_hash'],
      properties: { pack_hash: digest },
    },
    started_at: timestamp,
    ended_at: { ...timestamp, description: 'when it ended, in UTC; absent while it is open' },
    signed_at: timestamp,
    outcome: {
      type: 'object',
      description: 'how the command ended, as the caller says',
      required: ['reason'],
      properties: {
        reason: { type: 'string', description: RUN_ENDS.join(', '), enum: RUN_ENDS },
        exit_code: { ...count, description: 'exit code of the command', maximum: 255 },
        signal: { type: 'string', description: 'signal that ended it', pattern: '^SIG[A-Z0-9]{1,12}$' },
      },
    },
    upstreams: {
      type: 'array',
      description: 'where requests went',
      maxItems: RECEIPT_LIMITS.upstreams,
      items: {
        type: 'object',
        description: 'an upstream',
        required: ['name', 'address'],
        properties: { name: upstreamName, address: { ...word, description: 'its http or https address' } },
      },
    },
    models: {
      type: 'array',
      description: `models that answered, by what was requested and served; at most ${RECEIPT_LIMITS.models}`,
      maxItems: RECEIPT_LIMITS.models,
      items: {
        type: 'object',
        description: 'a model that answered',
        required: ['upstream', 'served', 'answers'],
        properties: {
          upstream: upstreamName,
          requested: { ...word, description: 'the model that the request named' },
          served: { ...word, description: 'the model that the answer named' },
          answers,
          incomplete: { ...answers, description: 'of these, answers that broke off' },
          uncounted: { ...answers, description: 'of these, answers that do not say all output tokens' },
          input_tokens: tokens('input tokens'),
          output_tokens: tokens('output tokens'),
          temperature: { type: 'number', description: 'where all requests had the same' },
          max_tokens: { ...count, description: 'where all requests had the same' },
        },
      },
    },
    unattributed: {
      type: 'array',
      description: 'answers of no known model; with any of them no single model stands for the run',
      maxItems: RECEIPT_LIMITS.unattributed,
      items: {
        type: 'object',
        description: 'answers of no known model',
        required: ['reason', 'answers'],
        properties: {
          reason: { type: 'string', description: UNATTRIBUTED_REASONS.join(', '), enum: UNATTRIBUTED_REASONS },
          upstream: upstreamName,
          request: { type: 'string', description: 'method and path', pattern: '^[A-Z]{1,16} [!-~]{1,128}$' },
          answers,
        },
      },
    },
    failed_answers: { ...answers, description: 'answers with an error of the provider' },
    response_ids: {
      type: 'array',
      description: `ids of the first ${RECEIPT_LIMITS.responseIds} answers`,
      maxItems: RECEIPT_LIMITS.responseIds,
      items: word,
    },
    response_ids_hash: {
      ...digest,
      description: 'SHA-256 of the ids of all answers, each with a newline after it',
    },
    tools_invoked: {
      type: 'array',
      description: `tools that the models called, at most ${RECEIPT_LIMITS.tools}`,
      maxItems: RECEIPT_LIMITS.tools,
      items: {
        type: 'object',
        description: 'a tool and how often it was called',
        required: ['name', 'count'],
        properties: { name: word, count: { ...count, minimum: 1, description: 'calls, 1 or more' } },
      },
    },
    more_tools: { ...answers, description: 'calls of further tools' },
  },
} as const satisfies RecordSchema;
