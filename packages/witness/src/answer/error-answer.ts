import { isMembers } from '../request/model-request.ts';

/** Members in which answers have what a model wrote, and in which errors of some providers give it back. */
const WRITTEN = ['choices', 'content', 'output', 'completion', 'failed_generation'];

/**
 * Whether an error holds what a model wrote. Groq answers 400 with it where a tool call or JSON has gone wrong.
 * @see https://console.groq.com/docs/tool-use#handling-errors
 */
export function holdsAnswer(body: unknown): boolean {
  if (!isMembers(body)) return false;
  return [body, body['error']].some((place) => isMembers(place) && WRITTEN.some((name) => isText(place[name])));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value) ? value.length > 0 : isMembers(value);
}
