import { isMembers } from '../request/model-request.ts';
import type { AnswerNotes } from './answer-facts.ts';
import type { AnswerFormat } from './answer-format.ts';

/** Answers of the Messages API. @see https://docs.anthropic.com/en/api/messages-streaming */
export const messages: AnswerFormat = {
  document(body, notes) {
    noteMessage(body, notes);
    if (!isMembers(body) || body['type'] === 'error') return;
    for (const block of listIn(body['content'])) noteBlock(block, notes);
    notes.complete();
  },
  event(data, notes) {
    if (!isMembers(data)) return;
    // Only the first event has the message; where a later one names a model as well, it is held against it.
    notes.model(data['model']);
    switch (data['type']) {
      case 'message_start':
        noteMessage(data['message'], notes);
        break;
      case 'content_block_start':
        noteBlock(data['content_block'], notes);
        break;
      case 'message_delta':
        if (isMembers(data['delta'])) notes.model(data['delta']['model']);
        noteUsage(data['usage'], notes);
        break;
      case 'message_stop':
        notes.complete();
        break;
      default:
    }
  },
};

function noteMessage(message: unknown, notes: AnswerNotes): void {
  if (!isMembers(message)) return;
  notes.model(message['model']);
  notes.id(message['id']);
  noteUsage(message['usage'], notes);
}

/** Input that came from a cache, or went there, was read as well. */
function noteUsage(usage: unknown, notes: AnswerNotes): void {
  if (!isMembers(usage)) return;
  const input = usage['input_tokens'];
  const cached = [usage['cache_creation_input_tokens'], usage['cache_read_input_tokens']];
  const add = (total: number, count: unknown) => total + (typeof count === 'number' ? count : 0);
  notes.tokens(typeof input === 'number' ? cached.reduce<number>(add, input) : undefined, usage['output_tokens']);
  // Of a turn that several models served: one that declined and its fallback, or one that gave advice.
  for (const iteration of listIn(usage['iterations'])) if (isMembers(iteration)) notes.model(iteration['model']);
}

const TOOL_CALLS: readonly unknown[] = ['tool_use', 'server_tool_use', 'mcp_tool_use'];

function noteBlock(block: unknown, notes: AnswerNotes): void {
  if (!isMembers(block)) return;
  // Where one model's output gives way to another one's; the first is named as it was requested.
  if (block['type'] === 'fallback') notes.changed();
  if (TOOL_CALLS.includes(block['type'])) notes.tool(block['name']);
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
