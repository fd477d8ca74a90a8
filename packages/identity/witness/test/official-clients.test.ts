import Anthropic from '@anthropic-ai/sdk';
import { startModelProvider } from '@colophon/testkit';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { observedRun, PROMPT, upstreamAt } from './observed.ts';

const tool = { name: 'edit_file', input: { path: 'src/a.ts' } };

describe.each([false, true])('the official clients, streaming: %s', (isStreamed) => {
  test('Anthropic Messages', async () => {
    const provider = await startModelProvider(onTestFinished, [
      { model: 'claude-opus-4-1-20250805', tool, inputTokens: 20, outputTokens: 30 },
    ]);
    const { base, receipt } = await observedRun(onTestFinished, [upstreamAt('anthropic', provider.url)]);
    const client = new Anthropic({ baseURL: base('anthropic'), apiKey: 'sk-ant-canary', maxRetries: 0 });
    const asked = {
      model: 'claude-opus-4-1',
      max_tokens: 1024,
      temperature: 0.5,
      messages: [{ role: 'user', content: PROMPT }],
    } as const;
    const message = isStreamed
      ? await client.messages.stream({ ...asked, messages: [...asked.messages] }).finalMessage()
      : await client.messages.create({ ...asked, messages: [...asked.messages] });
    expect(message.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
    expect(provider.requests[0]?.headers['authorization']).toBe('Bearer sk-ant-canary');
    const seen = await receipt();
    expect(seen).toMatchObject({
      input: { prompt_seen: true, context_token_count: 20 },
      upstreams: [{ name: 'anthropic', address: provider.url }],
      models: [
        {
          upstream: 'anthropic',
          requested: 'claude-opus-4-1',
          served: 'claude-opus-4-1-20250805',
          answers: 1,
          input_tokens: 20,
          output_tokens: 30,
          temperature: 0.5,
          max_tokens: 1024,
        },
      ],
      response_ids: ['msg_01'],
      tools_invoked: [{ name: 'edit_file', count: 1 }],
    });
    expect(seen.models[0]).not.toHaveProperty('incomplete');
    expect(JSON.stringify(seen)).not.toMatch(/canary|Fix the bug/);
  });

  test('OpenAI Responses', async () => {
    const provider = await startModelProvider(onTestFinished, [{ model: 'gpt-5-2025-08-07', tool }]);
    const { base, receipt } = await observedRun(onTestFinished, [upstreamAt('openai', `${provider.url}/v1`)]);
    const client = new OpenAI({ baseURL: base('openai'), apiKey: 'sk-canary', maxRetries: 0 });
    const asked = { model: 'gpt-5', input: PROMPT, max_output_tokens: 200 };
    const types: string[] = [];
    if (isStreamed) {
      for await (const event of await client.responses.create({ ...asked, stream: true })) types.push(event.type);
      expect(types.at(-1)).toBe('response.completed');
    } else expect((await client.responses.create(asked)).output_text).toBe('Done.');
    expect(provider.requests[0]).toMatchObject({
      target: '/v1/responses',
      headers: { authorization: 'Bearer sk-canary' },
    });
    expect(await receipt()).toMatchObject({
      input: { prompt_seen: true },
      models: [{ requested: 'gpt-5', served: 'gpt-5-2025-08-07', max_tokens: 200, output_tokens: 7 }],
      response_ids: ['resp_01'],
      tools_invoked: [{ name: 'edit_file', count: 1 }],
    });
  });

  test('OpenAI Chat Completions', async () => {
    const provider = await startModelProvider(onTestFinished, [{ model: 'gpt-4o-2024-08-06', tool }]);
    const { base, receipt } = await observedRun(onTestFinished, [upstreamAt('openai', `${provider.url}/v1`)]);
    const client = new OpenAI({ baseURL: base('openai'), apiKey: 'sk-canary', maxRetries: 0 });
    const asked = {
      model: 'gpt-4o',
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: PROMPT }] }],
    };
    if (isStreamed) {
      let text = '';
      for await (const chunk of await client.chat.completions.create({ ...asked, stream: true }))
        text += chunk.choices[0]?.delta.content ?? '';
      expect(text).toBe('Done.');
    } else expect((await client.chat.completions.create(asked)).choices[0]?.message.content).toBe('Done.');
    expect(await receipt()).toMatchObject({
      input: { prompt_seen: true },
      models: [{ requested: 'gpt-4o', served: 'gpt-4o-2024-08-06', answers: 1, input_tokens: 12 }],
      tools_invoked: [{ name: 'edit_file', count: 1 }],
    });
  });
});

test('several models of one run all stand in the receipt', async () => {
  const provider = await startModelProvider(onTestFinished, [
    { model: 'claude-haiku-4-5', id: 'msg_1' },
    { model: 'claude-opus-4-1', id: 'msg_2' },
    { model: 'claude-opus-4-1', id: 'msg_3' },
  ]);
  const { base, receipt } = await observedRun(onTestFinished, [upstreamAt('anthropic', provider.url)]);
  const client = new Anthropic({ baseURL: base('anthropic'), apiKey: 'k' });
  for (const model of ['claude-haiku-4-5', 'claude-opus-4-1', 'claude-sonnet-4-5']) {
    await client.messages.create({ model, max_tokens: 1, messages: [{ role: 'user', content: 'x' }] });
  }
  const { models, response_ids, input } = await receipt();
  expect(models.map(({ requested, served }) => [requested, served])).toEqual([
    ['claude-haiku-4-5', 'claude-haiku-4-5'],
    ['claude-opus-4-1', 'claude-opus-4-1'],
    ['claude-sonnet-4-5', 'claude-opus-4-1'],
  ]);
  expect(response_ids).toEqual(['msg_1', 'msg_2', 'msg_3']);
  expect(input.prompt_seen).toBe(false);
});
