import type { IncomingHttpHeaders } from 'node:http';
import { createParser } from 'eventsource-parser';
import { type ByteAllowance, keptBytes } from '../body/byte-allowance.ts';
import type { BodySink } from '../body/decoded-body.ts';
import { jsonBody, MOST_VALUES, parsed, UNREAD, valuesIn } from '../body/json-body.ts';
import type { WireFormat } from '../endpoint/endpoint.ts';
import { type AnswerFacts, AnswerNotes } from './answer-facts.ts';
import { ANSWER_FORMATS, type AnswerFormat } from './answer-format.ts';

/** Bytes of one event; a response with all of its output stands in one. */
const MOST_EVENT_BYTES = 16 * 1024 * 1024;

/** A sink for an answer, and what the answer has said so far; undefined where that is not known before its end. */
export type AnswerSink = BodySink & { soFar(): AnswerFacts | undefined };

/**
 * A sink for an answer of this format, which gives what the answer says to `done`, once; undefined where it cannot be
 * read to its end, since another model may be named there.
 * @param headers of the answer, which say whether it is a stream of events, or one document
 */
export function answerBody(
  format: WireFormat,
  headers: IncomingHttpHeaders,
  allowance: ByteAllowance,
  done: (facts: AnswerFacts | undefined) => void,
): AnswerSink {
  const notes = new AnswerNotes();
  // What OpenAI's own agent takes for the model that answered, where a request was given to another one.
  const named = headers['openai-model'];
  if (typeof named === 'string' && named !== '') notes.header(named);
  const isStream = /^text\/event-stream\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  const from = { format: ANSWER_FORMATS[format], notes };
  return isStream ? eventBody(from, allowance, done) : documentBody(from, allowance, done);
}

/** How an answer is read, and what is noted of it. */
type Reading = { readonly format: AnswerFormat; readonly notes: AnswerNotes };

function documentBody(
  { format, notes }: Reading,
  allowance: ByteAllowance,
  done: (facts: AnswerFacts | undefined) => void,
): AnswerSink {
  const sink = jsonBody(allowance, (document) => {
    if (document !== UNREAD) format.document(document, notes);
    done(document === UNREAD ? undefined : notes.facts());
  });
  return { ...sink, soFar: () => undefined };
}

/** Events are read as they come, and dropped; what has come since the last one is kept. */
function eventBody(
  { format, notes }: Reading,
  allowance: ByteAllowance,
  done: (facts: AnswerFacts | undefined) => void,
): AnswerSink {
  const decoder = new TextDecoder();
  let kept = 0;
  let values = 0;
  let isReadable = true;
  let isOver = false;
  const drop = () => {
    allowance.release(kept);
    kept = 0;
    values = 0;
  };
  const finish = (facts: AnswerFacts | undefined) => {
    if (isOver) return;
    isOver = true;
    drop();
    done(facts);
  };
  const parser = createParser({
    onEvent: ({ data }) => {
      drop();
      // How some servers keep a connection open.
      if (data === '') return;
      const event = data === '[DONE]' ? data : parsed(data);
      if (event === UNREAD) isReadable = false;
      else format.event(event, notes);
    },
  });
  return {
    write(bytes) {
      const size = keptBytes(bytes);
      values += valuesIn(bytes);
      const isTooMuch = kept + bytes.length > MOST_EVENT_BYTES || values > MOST_VALUES;
      if (isTooMuch || !allowance.take(size)) isReadable = false;
      else {
        kept += size;
        parser.feed(decoder.decode(bytes, { stream: true }));
      }
      if (!isReadable) finish(undefined);
      return isReadable;
    },
    end(isWhole) {
      // Clients take the last event also where the blank line after it is missing.
      if (isWhole && isReadable && !isOver) parser.feed(`${decoder.decode()}\n\n`);
      finish(isReadable ? notes.facts() : undefined);
    },
    fail() {
      isReadable = false;
      finish(undefined);
    },
    soFar: () => (isReadable ? notes.facts() : undefined),
  };
}
