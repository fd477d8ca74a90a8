import { describe, expect, it } from 'vitest';
import { endpointOf, mayHaveCredential } from './endpoint.ts';

describe('a request that a model answers is read', () => {
  it.each([
    ['/v1/messages', 'messages'],
    ['/messages', 'messages'],
    ['/anthropic/v1/messages', 'messages'],
    ['/v1/files/messages', 'messages'],
    ['//v1//messages', 'messages'],
    ['/v1/responses', 'responses'],
    ['/openai/responses', 'responses'],
    ['/v1/chat/completions', 'chat-completions'],
    ['/openai/deployments/gpt-4o/chat/completions', 'chat-completions'],
    ['/v1beta/openai/chat/completions', 'chat-completions'],
  ])('POST %s', (path, format) => {
    expect(endpointOf('POST', path)).toBe(format);
  });
});

describe('a request that no model answers is let pass', () => {
  it.each([
    ['GET', '/v1/models'],
    ['HEAD', '/'],
    ['OPTIONS', '/v1/messages'],
    ['GET', '/v1/models/meta-llama/Llama-3:free'],
    ['GET', '/v1/messages'],
    ['GET', ''],
    ['GET', '/health'],
    ['GET', '/api/tags'],
    ['GET', '/v1'],
    ['GET', '/v1/models/'],
    ['GET', '//v1/models'],
    ['GET', '/v1/models/llama3%3Alatest'],
    ['GET', '/v1/model/info'],
    ['GET', '/health/readiness'],
    ['GET', '/api/v1/generation'],
    ['GET', '/openai/deployments'],
    ['GET', '/v1/conversations/conv_01'],
    ['GET', '/v1/files'],
    ['GET', '/v1/files/file-01'],
    ['DELETE', '/v1/responses/resp_01'],
    ['DELETE', '/v1/chat/completions/chatcmpl-01'],
    ['POST', '/messages/count_tokens'],
    ['POST', '/anthropic/v1/messages/count_tokens'],
    ['POST', '/openai/v1/embeddings'],
    ['POST', '/v1beta/openai/embeddings'],
    ['POST', '/openai/deployments/ada-002/embeddings'],
    ['POST', '/v1/messages/count_tokens'],
    ['POST', '/v1/responses/input_tokens'],
    ['POST', '/v1/messages/batches/msgbatch_01/cancel'],
    ['POST', '/v1/embeddings'],
    ['POST', '/v1/moderations'],
    ['POST', '/v1/rerank'],
    ['POST', '/tokenize'],
    ['POST', '/v1/files'],
    ['POST', '/v1/uploads/upload_01/parts'],
    ['POST', '/v1/uploads/upload_01/complete'],
    ['POST', '/v1/conversations'],
    ['POST', '/v1/conversations/conv_01/items'],
    ['POST', '/v1/containers/cntr_01/files'],
    ['POST', '/v1/vector_stores/vs_01/files/file-01'],
    ['POST', '/v1/vector_stores/vs_01/file_batches/vsfb_01/cancel'],
  ])('%s %s', (method, path) => {
    expect(endpointOf(method, path)).toBe('no-model');
  });
});

describe('a request that is not known counts, since any model may answer it', () => {
  it.each([
    ['POST', '/v1/complete'],
    ['POST', '/v1/completions'],
    ['POST', '/v1/messages/batches'],
    ['POST', '/v1/vector_stores/vs_01/search'],
    ['POST', '/v1/files/file-01/url'],
    ['POST', '/v1/batches'],
    ['POST', '/v1/responses/compact'],
    ['POST', '/v1/realtime/client_secrets'],
    ['POST', '/v1beta/models/gemini-2.5-pro:generateContent'],
    ['POST', '/'],
    ['PUT', '/v1/complete'],
    ['PATCH', '/v1/complete'],
    ['QUERY', '/v1/complete'],
    // What a server may take for one that is known.
    ['POST', '/v1/messages/'],
    ['POST', '/v1/Messages'],
    ['POST', '/v1/mess%61ges'],
    ['POST', '/v1/messages;a=b'],
    ['POST', '/v1/messages%20'],
    ['POST', '/v1/messages%3F'],
    ['POST', '/v1/chat//completions'],
    ['POST', '/v1/chat%2fcompletions'],
    // What has the name of one without a model somewhere before its end.
    ['POST', '/v1/files/v1/complete'],
    ['POST', '/v1/files/file-01/complete'],
    ['POST', '/v1/models/complete'],
    ['POST', '/v1/embeddings/complete'],
    ['POST', '/v1/conversations/complete'],
    ['POST', '/v1/conversations/conv_01/items/complete'],
    ['POST', '/v1/containers/cntr_01/files/complete'],
    ['POST', '/v1/vector_stores/complete'],
    ['POST', '/openai/deployments/files/completions'],
    ['POST', '/v1/messages/count_tokens/'],
    ['POST', '/v1/embeddings?'],
    ['POST', '/v1/embeddings\n'],
    ['POST', '/xembeddings'],
    // What a server may read to another end, or from another place on.
    ['POST', '/v1/chat/completions%3f/files'],
    ['POST', '/v1/chat/completions?/files'],
    ['POST', '/v1/chat/completions%23/messages'],
    ['POST', '/v1/messages%00/models'],
    ['POST', '/v1/messages;/models'],
    ['POST', '/models/attacker/files'],
    ['POST', '/v1/messages/models'],
    ['POST', '/v1/chat/completions/files'],
    ['POST', '/v1//embeddings'],
    ['POST', '/openai/deployments/files/files'],
  ])('%s %s', (method, path) => {
    expect(endpointOf(method, path)).toBe('unknown');
  });
});

describe('a request that reads what a model wrote before is told from others', () => {
  it.each([
    '/v1/responses/resp_01',
    '/v1/responses',
    '/v1/batches',
    '/v1/messages/batches/msgbatch_01',
    '/v1beta/batches/batch-01',
    '/v1/responses/resp_01/input_items',
    '/v1/evals/eval_01/runs/run_01/output_items',
    '/v1/sessions/sess_01/events',
    '/v1/files/file-01/url',
    '/api/v1/generation/content',
    '/v1/models/../files/file-01/content',
    '/v1/models/./x',
    '/slots',
    '/responses/resp_01',
    '/openai/v1/responses/resp_01',
    '/v1/conversations/conv_01/items',
    '/v1/conversations/conv_01/items/msg_01',
    '/v1/chat/completions',
    '/v1/chat/completions/chatcmpl-01',
    '/v1/chat/completions/chatcmpl-01/messages',
    '/v1/files/file-01/content',
    '/v1/containers/cntr_01/files/cfile_01/content',
    '/v1/messages/batches/msgbatch_01/results',
    '/v1/batches/batch_01/results',
    '/v1/threads/thread_01/messages',
    '/v1/threads/thread_01/messages/msg_01',
    '/v1/threads/thread_01/runs/run_01/steps',
    // What a server may take for one of them.
    '/v1/responses/resp_01/',
    '/v1//responses//resp_01',
    '/V1/Responses/resp_01',
    '/v1/respons%65s/resp_01',
    '/v1/files/file-01/content;a=b',
    '/v1/files/file-01/content%3f',
  ])('GET %s', (path) => {
    expect(endpointOf('GET', path)).toBe('written-before');
    // It may name the place where the text is.
    expect(endpointOf('HEAD', path)).toBe('written-before');
    for (const method of ['DELETE', 'OPTIONS']) expect(endpointOf(method, path)).toBe('no-model');
  });

  it('also where it stops a model', () => {
    expect(endpointOf('POST', '/v1/responses/resp_01/cancel')).toBe('written-before');
  });

  it('also where it has a body', () => {
    const headers = { 'content-length': '2' };
    expect(endpointOf('GET', '/v1/chat/completions', headers)).toBe('chat-completions');
    expect(endpointOf('GET', '/v1/responses/resp_01', headers)).toBe('unknown');
  });
});

describe('a request that only reads counts as one that asks', () => {
  it.each([
    ['has a body of known length', { 'content-length': '2' }],
    ['has a body in chunks', { 'transfer-encoding': 'chunked' }],
    ['names another method', { 'x-http-method-override': 'POST' }],
    ['names another method in the older way', { 'x-http-method': 'POST' }],
    ['names another method in a third way', { 'x-method-override': 'POST' }],
  ])('where it %s', (_, headers) => {
    expect(endpointOf('GET', '/v1/messages', headers)).toBe('messages');
    expect(endpointOf('DELETE', '/v1/complete', headers)).toBe('unknown');
    expect(endpointOf('GET', '/v1/models', headers)).toBe('no-model');
  });

  it('but not for an empty body', () => {
    expect(endpointOf('GET', '/v1/messages', { 'content-length': '0' })).toBe('no-model');
  });
});

describe('a request has the credential of the witness', () => {
  it.each([
    '/v1/messages',
    '/v1/messages/count_tokens',
    '/v1/responses/input_tokens',
    '/v1/responses/compact',
    '/v1/responses/resp_01',
    '/v1/responses/resp_01/cancel',
    '/v1/files/file-01/content',
    '/v1/completions',
    '/v1/messages/batches',
    '/v1/messages/batches/msgbatch_01/results',
    '/v1beta/models/gemini-2.5-pro:generateContent',
    '/openai/deployments/dall-e-3/images/generations',
  ])('at %s', (path) => {
    expect(mayHaveCredential(endpointOf('POST', path), path)).toBe(true);
  });

  it.each([
    ['GET', '/v1/models'],
    ['HEAD', '/'],
    ['GET', '/v1/files'],
    ['DELETE', '/v1/files/file-01'],
    ['GET', '/v1/responses'],
    ['GET', '/v1/batches'],
    ['GET', '/v1/messages/batches/msgbatch_01'],
    ['GET', '/v1/responses/resp_01'],
    ['GET', '/v1/files/file-01/content'],
  ])('of %s %s', (method, path) => {
    expect(mayHaveCredential(endpointOf(method, path), path)).toBe(true);
  });

  // Known for reading; what they make elsewhere nobody knows.
  it.each(['/v1/models/m', '/v1/models/m/keys', '/', '/v1/credits', '/health/tokens', '/model/info'])(
    'but not where something is made at %s',
    (path) => {
      expect(mayHaveCredential(endpointOf('POST', path), path)).toBe(false);
      expect(mayHaveCredential(endpointOf('GET', path, { 'content-length': '2' }), path)).toBe(false);
    },
  );

  // Each makes a credential somewhere, or shows one.
  it.each([
    '/v1/realtime/client_secrets',
    '/v1/organization/admin_api_keys',
    '/v1/organizations/api_keys',
    '/key/generate',
    '/user/new',
    '/api/oauth/claude_cli/create_api_key',
    '/v1alpha/auth_tokens',
    '/v1/api-keys',
    '/v1/keys.json',
    '/v1/%6beys',
    '/credentials',
    '/config/yaml',
    '/get/config/callbacks',
    '/v1/users/u',
    '/v1/sessions/sess_01/events',
    '/v1/Completions',
  ])('but not at %s', (path) => {
    for (const method of ['POST', 'GET', 'DELETE'])
      expect(mayHaveCredential(endpointOf(method, path), path), method).toBe(false);
  });
});
