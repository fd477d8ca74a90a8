import { isMembers } from '../request/model-request.ts';
import type { AnswerNotes } from './answer-facts.ts';
import type { AnswerFormat } from './answer-format.ts';
import { listIn } from './messages.ts';

/** Answers of the Chat Completions API, and of the servers that speak it. @see https://platform.openai.com/docs/api-reference/chat */
export const chatCompletions: AnswerFormat = {
  document(body, notes) {
    noteCompletion(body, notes, 'message');
    if (isMembers(body) && Array.isArray(body['choices'])) notes.complete();
  },
  event(data, notes) {
    // The only event that is no JSON.
    if (data === '[DONE]') notes.complete();
    else noteCompletion(data, notes, 'delta');
  },
};

function noteCompletion(body: unknown, notes: AnswerNotes, part: 'message' | 'delta'): void {
  if (!isMembers(body)) return;
  notes.model(body['model']);
  notes.id(body['id']);
  const { usage } = body;
  if (isMembers(usage)) notes.tokens(usage['prompt_tokens'], usage['completion_tokens']);
  for (const choice of listIn(body['choices'])) {
    const message = isMembers(choice) ? choice[part] : undefined;
    if (!isMembers(message)) continue;
    for (const call of listIn(message['tool_calls']))
      if (isMembers(call)) noteCall(call['function'] ?? call['custom'], notes);
    noteCall(message['function_call'], notes);
  }
}

/** The pieces of a call that follow its first have no name. */
function noteCall(called: unknown, notes: AnswerNotes): void {
  if (isMembers(called) && called['name']) notes.tool(called['name']);
}
