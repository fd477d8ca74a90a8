import { parsed } from '../body/json-body.ts';
import { isMembers } from '../request/model-request.ts';

/** Members in which answers have what a model wrote, and in which errors of some providers give it back. */
const WRITTEN = ['choices', 'content', 'output', 'completion'];

/** Groq's, wherever it stands, also in a text that a gateway put into its own error. */
const FAILED_GENERATION = /failed_generation\\*"\s*:\s*\\*"(?!\\*")/;

/** Events of an error that are read, all at once; more is no error. */
const MOST_EVENTS = 1_000;

/**
 * Whether an error holds what a model wrote. Groq answers 400 with it where a tool call or JSON has gone wrong.
 * @see https://console.groq.com/docs/tool-use#handling-errors
 */
export function holdsAnswer(text: string): boolean {
  if (FAILED_GENERATION.test(text)) return true;
  if (documentHolds(text.replace(/^\ufeff/, ''))) return true;
  // An error may be a stream too.
  let events = 0;
  for (const [, data = ''] of text.matchAll(/^data: ?(.*)$/gm)) {
    events += 1;
    if (events > MOST_EVENTS || documentHolds(data)) return true;
  }
  return false;
}

function documentHolds(text: string): boolean {
  return [parsed(text)].flat().some(holdsMember);
}

function holdsMember(body: unknown): boolean {
  if (!isMembers(body)) return false;
  return [body, body['error']].some((place) => isMembers(place) && WRITTEN.some((name) => isText(place[name])));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value) ? value.length > 0 : isMembers(value);
}
