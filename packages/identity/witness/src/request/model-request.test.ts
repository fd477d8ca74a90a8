import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '@colophon/json';
import { describe, expect, it } from 'vitest';
import { UNREAD } from '../body/json-body.ts';
import { WIRE_FORMATS, type WireFormat } from '../endpoint/endpoint.ts';
import {
  containsPrompt,
  MOST_PROMPT_CHARACTERS,
  mayAnswerElsewhere,
  promptOf,
  readModelRequest,
} from './model-request.ts';

const hashOf = (bytes: string | Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const PROMPT = 'Fix the bug in the parser: "ü".\nNow.';
const user = (content: unknown) => ({ role: 'user', content });

describe('readModelRequest', () => {
  it.each([
    [
      { model: 'gpt-4o', temperature: 0.5, max_tokens: 10 },
      { model: 'gpt-4o', temperature: 0.5, maxTokens: 10 },
    ],
    [
      { temperature: 0, max_tokens: 0 },
      { temperature: 0, maxTokens: 0 },
    ],
    [{ max_completion_tokens: 1, max_output_tokens: 2, max_tokens: 3 }, { maxTokens: 1 }],
    [{ max_output_tokens: 2 }, { maxTokens: 2 }],
    [{ max_completion_tokens: null, max_tokens: 3 }, { maxTokens: 3 }],
    [{ model: 5, temperature: '1', max_tokens: 1.5 }, {}],
    [{ max_tokens: -1, temperature: Number.NaN }, {}],
    [{ max_tokens: 2 ** 53, temperature: 1e21 }, {}],
    [[], {}],
    [null, {}],
    ['text', {}],
  ])('reads %j as %j', (body, request) => {
    expect(readModelRequest(body)).toEqual(request);
  });
});

describe('a prompt is seen', () => {
  it.each<[string, WireFormat, unknown]>([
    ['as the text of a message', 'messages', { messages: [user(PROMPT)] }],
    ['without a role', 'messages', { messages: [{ content: PROMPT }] }],
    ['with a newline at the end of the text', 'messages', { messages: [user(`${PROMPT}\n`)] }],
    ['as a block among others', 'messages', { messages: [user([{ type: 'image' }, { type: 'text', text: PROMPT }])] }],
    ['in the second message', 'messages', { messages: [user('x'), user([{ type: 'text', text: PROMPT }])] }],
    ['as what the system says', 'messages', { system: PROMPT, messages: [user('x')] }],
    ['as a block of what the system says', 'messages', { system: [{ type: 'text', text: PROMPT }], messages: [] }],
    ['in a chat', 'chat-completions', { messages: [{ role: 'system', content: 'x' }, user(PROMPT)] }],
    ['of a developer', 'chat-completions', { messages: [{ role: 'developer', content: PROMPT }] }],
    ['as the input of a response', 'responses', { input: PROMPT }],
    ['as a part of the input', 'responses', { input: [{ ...user([{ type: 'input_text', text: PROMPT }]) }] }],
    ['as instructions', 'responses', { instructions: PROMPT, input: 'x' }],
  ])('%s', (_, format, body) => {
    expect(containsPrompt(format, body, hashOf(PROMPT))).toBe(true);
  });

  it('that has a newline at its end, which a shell drops', () => {
    expect(containsPrompt('messages', { messages: [user(PROMPT)] }, hashOf(`${PROMPT}\n`))).toBe(true);
  });

  it('as all of the messages, however their JSON is written', () => {
    const messages = [{ role: 'system', content: 'x' }, user([{ type: 'text', text: PROMPT }])];
    const written = [{ content: 'x', role: 'system' }, user([{ text: PROMPT, type: 'text' }])];
    const hash = hashOf(canonicalJson(messages as JsonValue));
    expect(containsPrompt('messages', { messages: written }, hash)).toBe(true);
    expect(containsPrompt('responses', { input: written }, hash)).toBe(true);
    expect(containsPrompt('messages', { messages: [...written, user('more')] }, hash)).toBe(false);
  });
});

describe('a prompt is not seen', () => {
  it.each<[string, WireFormat, unknown]>([
    ['as another text', 'messages', { messages: [user(`${PROMPT} `)] }],
    ['as a part of a text', 'messages', { messages: [user(`Please: ${PROMPT}`)] }],
    ['with two newlines more', 'messages', { messages: [user(`${PROMPT}\n\n`)] }],
    ['in what the model said before', 'messages', { messages: [{ role: 'assistant', content: PROMPT }] }],
    [
      'in a block of what the model said before',
      'messages',
      { messages: [{ role: 'assistant', content: [{ type: 'text', text: PROMPT }] }] },
    ],
    ['in what a tool answered', 'messages', { messages: [user([{ type: 'tool_result', content: PROMPT }])] }],
    [
      'in a block of what a tool answered',
      'messages',
      { messages: [user([{ type: 'tool_result', content: [{ type: 'text', text: PROMPT }] }])] },
    ],
    [
      'in what a remote tool answered',
      'messages',
      { messages: [user([{ type: 'mcp_tool_result', content: [{ type: 'text', text: PROMPT }] }])] },
    ],
    ['in what a tool of a chat answered', 'chat-completions', { messages: [{ role: 'tool', content: PROMPT }] }],
    ['in what a function answered', 'chat-completions', { messages: [{ role: 'function', content: PROMPT }] }],
    ['in the output of a function', 'responses', { input: [{ type: 'function_call_output', output: PROMPT }] }],
    [
      'in the parts of such an output',
      'responses',
      { input: [{ type: 'custom_tool_call_output', content: [{ type: 'input_text', text: PROMPT }] }] },
    ],
    [
      'in what the model thought before',
      'responses',
      { input: [{ type: 'reasoning', content: [{ type: 'reasoning_text', text: PROMPT }] }] },
    ],
    ['in other members', 'messages', { messages: [user('x')], metadata: { prompt: PROMPT }, tools: [PROMPT] }],
    ['in the input of another format', 'messages', { input: PROMPT }],
    ['in the messages of another format', 'responses', { messages: [user(PROMPT)] }],
    ['in a body that is no object', 'messages', [user(PROMPT)]],
    ['as instructions of a message', 'messages', { instructions: PROMPT, messages: [user('x')] }],
    ['as instructions of a chat', 'chat-completions', { instructions: PROMPT, messages: [user('x')] }],
    ['as system of a chat', 'chat-completions', { system: PROMPT, messages: [user('x')] }],
    ['as system of a response', 'responses', { system: PROMPT, input: 'x' }],
  ])('%s', (_, format, body) => {
    expect(containsPrompt(format, body, hashOf(PROMPT))).toBe(false);
  });
});

it('the search for a prompt ends, whatever lies in a request', () => {
  const lists = Array(1_000).fill(Array(300).fill([[]]));
  expect(containsPrompt('messages', { messages: [user(lists)] }, hashOf(PROMPT))).toBe(false);
  let deep: unknown = user(PROMPT);
  for (let i = 0; i < 200_000; i += 1) deep = [deep];
  expect(containsPrompt('messages', { messages: [deep] }, hashOf('other'))).toBe(false);
});

it('more than a prompt can be is not hashed', () => {
  const long = 'x'.repeat(MOST_PROMPT_CHARACTERS + 1);
  const messages = [{ role: 'user', content: long }];
  expect(promptOf('responses', { input: long })).toBeUndefined();
  expect(promptOf('messages', { messages })).toBeUndefined();
  expect(containsPrompt('messages', { messages }, hashOf(long))).toBe(false);
  expect(containsPrompt('messages', { messages }, hashOf(canonicalJson(messages)))).toBe(false);
});

it('a prompt beyond the first ten thousand values is not looked for', () => {
  const within = (lists: number) =>
    Array.from({ length: lists }, (_, index) => Array(1_000).fill(index === lists - 1 ? PROMPT : 'x'));
  expect(containsPrompt('messages', { messages: [user(within(5))] }, hashOf(PROMPT))).toBe(true);
  expect(containsPrompt('messages', { messages: [user(within(20))] }, hashOf(PROMPT))).toBe(false);
});

it('a prompt in the first of a thousand messages is found', () => {
  const messages = [user([{ type: 'text', text: PROMPT }]), ...Array(2_000).fill(user([{ text: 'x' }, { text: 'y' }]))];
  expect(containsPrompt('messages', { messages }, hashOf(PROMPT))).toBe(true);
});

it('no JSON makes the reading of a request throw', () => {
  const odd = { toString: 1, valueOf: 1 };
  const part = { role: odd, type: odd, text: odd, content: odd };
  const given = { type: odd, text: odd, content: [{ ...part, role: 'user' }] };
  const body = { model: odd, temperature: odd, max_tokens: odd, messages: [part, given], input: [given], system: odd };
  for (const format of WIRE_FORMATS) {
    expect(readModelRequest(body)).toEqual({});
    expect(containsPrompt(format, body, hashOf(PROMPT))).toBe(false);
    expect(promptOf(format, body)).toMatch(/^sha256:/);
  }
});

describe('what a model answers may be elsewhere than in the answer', () => {
  const own = { name: 'edit', input_schema: {} };
  it.each<[WireFormat, unknown, boolean]>([
    ['responses', {}, true],
    ['responses', { store: true }, true],
    ['responses', { store: null }, true],
    ['responses', { store: false, background: true }, true],
    ['responses', { store: false, background: 1 }, true],
    ['responses', { store: false, background: false }, false],
    ['responses', { store: false, background: null }, false],
    ['responses', { store: false }, false],
    ['responses', UNREAD, true],
    ['responses', [], true],
    ['chat-completions', {}, false],
    ['chat-completions', { store: false }, false],
    ['chat-completions', { store: null }, false],
    ['chat-completions', { store: true }, true],
    ['chat-completions', { store: 'true' }, true],
    ['chat-completions', UNREAD, true],
    ['messages', { store: true }, true],
    ['messages', { background: true }, true],
    ['messages', UNREAD, true],
    // Tools that the provider runs, or that are not known.
    ['messages', { mcp_servers: [{ url: 'https://a.example' }] }, true],
    ['messages', { mcp_servers: null }, false],
    ['messages', { container: 'c_1' }, true],
    ['messages', { tools: [own, { type: 'code_execution_20250825', name: 'code_execution' }] }, true],
    ['messages', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }, true],
    ['messages', { tools: [{ type: 'bash_code_execution_20250825' }] }, true],
    ['messages', { tools: [own, { type: 'custom', ...own }, { type: 'bash_20250124', name: 'bash' }] }, false],
    ['messages', { tools: [{ type: 'text_editor_20250728' }, { type: 'memory_20250818' }] }, false],
    ['messages', { mcp_servers: [] }, false],
    ['messages', { tools: [{ google_search: {} }] }, true],
    ['messages', { tools: [{ TYPE: 'mcp', server_url: 'https://a.example' }] }, true],
    ['messages', { tools: { edit: own } }, true],
    ['messages', { tools: ['edit'] }, true],
    ['messages', { tools: [{ type: 1 }] }, true],
    ['responses', { store: false, tools: [{ type: 'mcp', server_url: 'https://a.example' }] }, true],
    ['responses', { store: false, tools: [{ type: 'function', name: 'edit' }, { type: 'local_shell' }] }, false],
    ['responses', { store: false, tools: [{ type: 'tool_search', execution: 'client' }] }, false],
    ['responses', { store: false, tools: [{ type: 'tool_search', execution: 'server' }] }, true],
    ['responses', { store: false, tools: [{ type: 'shell', environment: { type: 'local' } }] }, false],
    ['responses', { store: false, tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }, true],
    ['responses', { store: false, input: [{ type: 'additional_tools', tools: [{ type: 'mcp' }] }] }, true],
    ['responses', { store: false, input: [{ type: 'additional_tools', tools: [{ type: 'function' }] }] }, false],
    ['responses', { store: false, conversation: 'conv_1' }, true],
    ['responses', { store: false, prompt: { id: 'pmpt_1' } }, true],
    ['chat-completions', { web_search_options: {} }, true],
    ['chat-completions', { tools: [{ type: 'function', function: own }] }, false],
    ['chat-completions', { new_member: 1 }, true],
    // What agents send.
    [
      'messages',
      { model: 'm', messages: [], system: [], max_tokens: 1, stream: true, metadata: {}, thinking: {}, tools: [own] },
      false,
    ],
    [
      'responses',
      { model: 'm', input: [], store: false, include: [], prompt_cache_key: 'k', client_metadata: {} },
      false,
    ],
  ])('of %s with %j: %s', (format, body, is) => {
    expect(mayAnswerElsewhere(format, body)).toBe(is);
  });
});

describe('promptOf', () => {
  it.each<[WireFormat, unknown, string | undefined]>([
    ['responses', { input: PROMPT }, hashOf(PROMPT)],
    ['responses', { input: [user('x')] }, hashOf(canonicalJson([user('x')] as JsonValue))],
    ['messages', { messages: [user('x')] }, hashOf(canonicalJson([user('x')] as JsonValue))],
    ['messages', { input: PROMPT }, undefined],
    ['messages', { messages: [user(Number.POSITIVE_INFINITY)] }, undefined],
    ['messages', null, undefined],
  ])('of %s in %j is %s', (format, body, hash) => {
    expect(promptOf(format, body)).toBe(hash);
  });
});
