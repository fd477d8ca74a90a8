import { isMembers } from '../request/model-request.ts';
import type { AnswerNotes } from './answer-facts.ts';
import type { AnswerFormat } from './answer-format.ts';
import { listIn } from './messages.ts';

const ENDED = ['completed', 'incomplete', 'failed', 'cancelled'];

/** Answers of the Responses API. @see https://platform.openai.com/docs/api-reference/responses-streaming */
export const responses: AnswerFormat = {
  document(body, notes) {
    noteResponse(body, notes);
    if (!isMembers(body)) return;
    for (const item of listIn(body['output'])) noteItem(item, notes);
    // A response in the background is read later, and by its id.
    if (isMembers(body) && body['object'] === 'response') notes.complete();
  },
  event(data, notes) {
    if (!isMembers(data)) return;
    if ('response' in data) noteResponse(data['response'], notes);
    if (data['type'] === 'response.output_item.done') noteItem(data['item'], notes);
    if (ENDED.some((state) => data['type'] === `response.${state}`)) notes.complete();
  },
};

function noteResponse(response: unknown, notes: AnswerNotes): void {
  if (!isMembers(response)) return;
  notes.model(response['model']);
  notes.id(response['id']);
  const { usage } = response;
  if (isMembers(usage)) notes.tokens(usage['input_tokens'], usage['output_tokens']);
}

/** A call has the name of its function; a tool of the provider's own has only a type, such as `web_search_call`. */
function noteItem(item: unknown, notes: AnswerNotes): void {
  if (!isMembers(item) || typeof item['type'] !== 'string' || !item['type'].endsWith('_call')) return;
  notes.tool(item['name'] ?? item['type'].slice(0, -'_call'.length));
}
