import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Cleanup } from '../cleanup/cleanup.ts';

/** One request as a provider got it, byte for byte. */
export type ProviderRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The body as JSON; undefined where it is none. */
  readonly json: Record<string, unknown> | undefined;
};

/** What a scripted answer says. */
export type Reply = {
  /** The model that it names; undefined leaves it out. */
  readonly model?: string | undefined;
  readonly text?: string;
  readonly tool?: { readonly name: string; readonly input: Record<string, unknown> };
  readonly id?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
};

export type ModelProvider = {
  readonly url: string;
  readonly requests: ProviderRequest[];
  /** What is answered next; the last one stays. */
  script: Array<Reply | RequestListener>;
};

/** A server that answers as Anthropic and OpenAI document it: Messages, Responses and Chat Completions, streamed or not. */
export async function startModelProvider(
  cleanup: Cleanup,
  script: Array<Reply | RequestListener>,
): Promise<ModelProvider> {
  const requests: ProviderRequest[] = [];
  const server: Server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    const json = jsonOf(body);
    requests.push({
      method: request.method ?? '',
      target: request.url ?? '',
      headers: request.headers,
      body,
      json,
    });
    const next = provider.script.length > 1 ? provider.script.shift() : provider.script[0];
    if (typeof next === 'function') next(request, response);
    else answerAs(request.url ?? '', json ?? {}, next ?? {}, response);
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  cleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  const provider: ModelProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: [...script],
  };
  return provider;
}

/** The answer to a request, as a stream where the request asks for one. */
export function answerAs(
  target: string,
  request: Record<string, unknown>,
  reply: Reply,
  response: ServerResponse,
): void {
  const [path = ''] = target.split('?');
  const isStreamed = request['stream'] === true;
  const answer = path.endsWith('/messages') ? messages : path.endsWith('/responses') ? responses : chat;
  if (!isStreamed) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.document(reply)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (const event of answer.events(reply)) response.write(event);
  response.end();
}

function usage({ inputTokens = 12, outputTokens = 7 }: Reply) {
  return { input: inputTokens, output: outputTokens };
}

function named(model: string | undefined): { model?: string } {
  return model === undefined ? {} : { model };
}

/** An event as Anthropic and the Responses API write it: its type stands twice. */
export function typedEvent(data: { readonly type: string } & Record<string, unknown>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

const messages = {
  document(reply: Reply) {
    const { model, text = 'Done.', tool, id = 'msg_01' } = reply;
    const content: unknown[] = [{ type: 'text', text }];
    if (tool !== undefined) content.push({ type: 'tool_use', id: 'toolu_01', name: tool.name, input: tool.input });
    const { input, output } = usage(reply);
    return {
      id,
      type: 'message',
      role: 'assistant',
      ...named(model),
      content,
      stop_reason: tool === undefined ? 'end_turn' : 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: output },
    };
  },
  *events(reply: Reply) {
    const { text = 'Done.', tool } = reply;
    const { content: _, usage: counts, ...message } = messages.document(reply);
    yield typedEvent({
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...counts, output_tokens: 1 } },
    });
    yield typedEvent({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    yield typedEvent({ type: 'ping' });
    for (const part of text.match(/.{1,4}/gs) ?? []) {
      yield typedEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: part } });
    }
    yield typedEvent({ type: 'content_block_stop', index: 0 });
    if (tool !== undefined) {
      const block = { type: 'tool_use', id: 'toolu_01', name: tool.name, input: {} };
      const json = JSON.stringify(tool.input);
      yield typedEvent({ type: 'content_block_start', index: 1, content_block: block });
      yield typedEvent({
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: json },
      });
      yield typedEvent({ type: 'content_block_stop', index: 1 });
    }
    yield typedEvent({
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: counts.output_tokens },
    });
    yield typedEvent({ type: 'message_stop' });
  },
};

const responses = {
  document(reply: Reply) {
    const { model, text = 'Done.', tool, id = 'resp_01' } = reply;
    const { input, output } = usage(reply);
    return {
      id,
      object: 'response',
      created_at: 1_764_000_000,
      status: 'completed',
      ...named(model),
      output: responseItems(text, tool),
      usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
    };
  },
  *events(reply: Reply) {
    const response = responses.document(reply);
    const { usage: _, ...begun } = { ...response, status: 'in_progress', output: [] };
    yield typedEvent({ type: 'response.created', sequence_number: 0, response: begun });
    yield typedEvent({ type: 'response.in_progress', sequence_number: 1, response: begun });
    let number = 2;
    for (const [index, item] of response.output.entries()) {
      yield typedEvent({ type: 'response.output_item.added', sequence_number: number++, output_index: index, item });
      yield typedEvent({ type: 'response.output_item.done', sequence_number: number++, output_index: index, item });
    }
    yield typedEvent({ type: 'response.completed', sequence_number: number, response });
  },
};

function responseItems(text: string, tool: Reply['tool']): Array<Record<string, unknown>> {
  const message = {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  if (tool === undefined) return [message];
  const call = { id: 'fc_01', type: 'function_call', call_id: 'call_01', name: tool.name, status: 'completed' };
  return [message, { ...call, arguments: JSON.stringify(tool.input) }];
}

const chat = {
  document(reply: Reply) {
    const { model, text = 'Done.', tool, id = 'chatcmpl-01' } = reply;
    const { input, output } = usage(reply);
    const calls = tool === undefined ? {} : { tool_calls: [callOf(tool)] };
    return {
      id,
      object: 'chat.completion',
      created: 1_764_000_000,
      ...named(model),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: text, ...calls },
          finish_reason: tool === undefined ? 'stop' : 'tool_calls',
        },
      ],
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    };
  },
  *events(reply: Reply) {
    const { text = 'Done.', tool } = reply;
    const { choices, usage: counts, ...whole } = chat.document(reply);
    const chunk = { ...whole, object: 'chat.completion.chunk' };
    const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
    const delta = (part: Record<string, unknown>, reason: string | null = null) =>
      event({ ...chunk, choices: [{ index: 0, delta: part, finish_reason: reason }] });
    yield delta({ role: 'assistant', content: '' });
    for (const part of text.match(/.{1,4}/gs) ?? []) yield delta({ content: part });
    if (tool !== undefined) {
      const { function: called, ...call } = callOf(tool);
      yield delta({ tool_calls: [{ ...call, index: 0, function: { name: called.name, arguments: '' } }] });
      yield delta({ tool_calls: [{ index: 0, function: { arguments: called.arguments } }] });
    }
    yield delta({}, choices[0]!.finish_reason);
    yield event({ ...chunk, choices: [], usage: counts });
    yield 'data: [DONE]\n\n';
  },
};

function callOf(tool: NonNullable<Reply['tool']>) {
  return {
    id: 'call_01',
    type: 'function',
    function: { name: tool.name, arguments: JSON.stringify(tool.input) },
  };
}

function jsonOf(body: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
