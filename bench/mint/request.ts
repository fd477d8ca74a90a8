import type { ServerKind } from './contender.ts';

/** The six fields of a token request (contract §2.2). */
export const FIELDS = [
  'agent_name',
  'agent_version',
  'model_id',
  'prompt_hash',
  'policy_pack_hash',
  'human_reviewer',
] as const;

/** A token request as an orchestrator sends it. */
export const RUN_CONTEXT = {
  agent_name: 'code-writer',
  agent_version: '1.4.2',
  model_id: 'large-model-2026-05-14',
  prompt_hash: `sha256:${'5a'.repeat(32)}`,
  policy_pack_hash: `sha256:${'c3'.repeat(32)}`,
  human_reviewer: 'alice@example.com',
};

const CLIENT_CREDENTIALS = { grant_type: 'client_credentials', client_id: 'bench', client_secret: 'bench-secret' };

/** One whole HTTP request, ready to be written to a socket again and again. */
export function tokenRequest(kind: ServerKind): Buffer {
  const isForm = kind === 'oidc-provider';
  const body = isForm
    ? new URLSearchParams({ ...CLIENT_CREDENTIALS, ...RUN_CONTEXT }).toString()
    : JSON.stringify(RUN_CONTEXT);
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return Buffer.from(
    [
      `POST ${isForm ? '/token' : '/oauth/token'} HTTP/1.1`,
      'Host: localhost',
      `Content-Type: ${type}`,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
}
