import type { WireFormat } from '../endpoint/endpoint.ts';
import type { AnswerNotes } from './answer-facts.ts';
import { chatCompletions } from './chat-completions.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

/** How answers of one format say what is noted of them. */
export type AnswerFormat = {
  /** An answer that came as one JSON document. */
  document(body: unknown, notes: AnswerNotes): void;
  /** One event of a stream; its data, parsed. */
  event(data: unknown, notes: AnswerNotes): void;
};

export const ANSWER_FORMATS: Readonly<Record<WireFormat, AnswerFormat>> = {
  messages,
  responses,
  'chat-completions': chatCompletions,
};
