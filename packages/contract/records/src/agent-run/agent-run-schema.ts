import { SHA256_PATTERN } from '@colophon/notation';
import { COMMIT_ID_PATTERN } from '../commit-id/commit-id.ts';
import { count, emailAddress, integer, type RecordSchema, text, timestamp } from '../record-schema/record-schema.ts';
import { LONGEST_REPOSITORY, REPOSITORY_PATTERN, REPOSITORY_URI_PATTERN } from '../repository/repository.ts';
import { WITNESS_PLACES } from '../witness-receipt/witness-receipt-schema.ts';

const digest = {
  type: 'string',
  description: 'sha256: and 64 lower-case hex digits',
  pattern: SHA256_PATTERN,
} as const;

const texts = { type: 'array', description: 'an array of strings', items: text } as const;

/**
 * The predicate of an agent-run attestation (contract §2.3), once: AgentRun is its type, and it is published as
 * docs/json/agent-run.v1.json. Members that it does not name are allowed, as in-toto asks of readers.
 */
export const agentRunSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'agent-run predicate, version 1',
  type: 'object',
  description: 'an agent-run predicate',
  required: ['agent', 'model', 'input', 'policy', 'git'],
  properties: {
    agent: {
      type: 'object',
      description: 'the agent',
      required: ['name', 'version'],
      properties: { name: text, version: text },
    },
    model: {
      type: 'object',
      description: 'the model that served the run',
      required: ['id', 'provider'],
      properties: {
        id: text,
        provider: text,
        requested: { ...text, description: 'the model that was asked for, where a witness saw it' },
        temperature: { type: 'number', description: 'a number' },
        max_tokens: count,
      },
    },
    input: {
      type: 'object',
      description: 'what the agent was given',
      required: ['prompt_hash'],
      properties: { prompt_hash: digest, context_files: texts, context_token_count: count },
    },
    policy: {
      type: 'object',
      description: 'the policy pack and how the run fared under it',
      required: ['pack_hash'],
      properties: { pack_hash: digest, rules_evaluated: count, rules_violated: count },
    },
    tools_invoked: {
      type: 'array',
      description: 'an array of tools',
      items: {
        type: 'object',
        description: 'a tool and how often it was used',
        required: ['name', 'count'],
        properties: { name: text, count, exit_code: integer },
      },
    },
    human_review: {
      type: 'object',
      description: 'the review, as the orchestrator saw it',
      properties: {
        reviewer: emailAddress,
        reviewed_at: timestamp,
        review_duration_seconds: count,
        approved: { type: 'boolean', description: 'true or false' },
      },
    },
    git: {
      type: 'object',
      description: 'the change',
      required: ['commit_sha'],
      properties: {
        commit_sha: {
          type: 'string',
          description: 'a full git commit id, 40 or 64 lower-case hex digits',
          pattern: COMMIT_ID_PATTERN,
        },
        repo: {
          type: 'string',
          description: '<org>/<repo>',
          pattern: REPOSITORY_PATTERN,
          maxLength: LONGEST_REPOSITORY,
        },
        repo_uri: {
          type: 'string',
          description: 'the full https address of the repository',
          pattern: REPOSITORY_URI_PATTERN,
          maxLength: LONGEST_REPOSITORY,
        },
        files_changed: texts,
        lines_added: count,
        lines_removed: count,
      },
    },
    witness: {
      type: 'object',
      description: 'who observed the run',
      required: ['run_id', 'place', 'receipt_hash'],
      properties: {
        run_id: { ...text, description: 'the run, as the receipt names it' },
        place: { type: 'string', description: WITNESS_PLACES.join(' or '), enum: WITNESS_PLACES },
        receipt_hash: digest,
      },
    },
  },
} as const satisfies RecordSchema;
