import { STATUS_CODES } from 'node:http';
import { parsed, UNREAD } from '../body/json-body.ts';
import { isMembers } from '../request/model-request.ts';

/** Members in which answers have what a model wrote, and in which errors of some providers give it back. */
const WRITTEN = ['choices', 'content', 'output', 'completion'];

/** Groq's, wherever it stands, also in a text that a gateway put into its own error. */
const FAILED_GENERATION = /failed_generation\\*"\s*:\s*\\*"(?!\\*")/;

/** Events of an error that are read, all at once; more is no error. */
const MOST_EVENTS = 1_000;

/** Characters of the sentence of a server that failed. */
const MOST_SENTENCE = 400;

/** Words in sentences: no quotation, no markup, and no colon after which something is given back. */
const SENTENCE = /^(?:[\w ,.;!?'()/@#-]|:(?! ))*$/;

/** The page of a gateway: no server of models answers with one. */
const PAGE = /^<(?:!doctype html|html)[\s>]/i;

/**
 * What Envoy writes where it has no answer.
 * @see https://github.com/envoyproxy/envoy/blob/main/source/common/router/router.cc
 */
const ENVOY =
  /^(?:no healthy upstream|upstream request timeout|upstream connect error or disconnect\/reset before headers\.(?: retried and the latest)? reset reason: [a-z _-]{1,60})$/;

/**
 * Whether an error may hold what a model wrote. Groq answers 400 with it where a tool call or JSON has gone wrong; Ollama
 * and llama.cpp answer 500 with what they could not parse. So where a server failed, its error is
 * known to hold nothing only where it is a status, or short sentences that give nothing back.
 * @param status of the answer, 400 or more
 * @see https://console.groq.com/docs/tool-use#handling-errors
 */
export function mayHoldAnswer(text: string, status: number): boolean {
  // A byte order mark too.
  const whole = text.trim();
  if (whole === '') return false;
  if (holdsMembers(whole)) return true;
  return status >= 500 && !isBare(whole);
}

/**
 * Errors that say that the server did not begin: 501, 505, and 529 of Anthropic.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.6
 */
const NOT_BEGUN = [501, 505, 529];

/** Those of a client that say that somebody waited in vain: LiteLLM for the provider, a provider for a tool, Google for the client. */
const WAITED_IN_VAIN = [408, 424, 499];

/**
 * What Envoy writes with 503 where no server got the request. It also writes it where a server got one and went away
 * (`connection termination`, `remote reset`), or where a try before the last one did (`retried and the latest`).
 * @see https://github.com/envoyproxy/envoy/blob/main/source/common/router/router.cc
 */
const NO_SERVER =
  /^(?:no healthy upstream|upstream connect error or disconnect\/reset before headers\. reset reason: (?:(?:local |remote )?connection failure|connection timeout|overflow|(?:local|remote) refused stream reset))$/;

/** What a server that refuses adds, sentence by sentence; nothing that somebody else can have written. */
const ADDED = [
  '(?:please )?(?:try again|retry)(?: your request)?(?: later| shortly)?',
  'please try again and back off exponentially',
  'you can retry your request, or contact us through our help center at [a-z.]+ if the error persists',
  'sorry about that',
  'maximum pending requests exceeded',
  'spikes in demand are usually temporary',
  '\\(please include the request id [\\w-]+ in your (?:email|message)\\.?\\)',
  '\\(ref: [\\w-]+\\)',
];

/**
 * Why servers of models and their providers refuse a request with 503: the whole of what they say, since an error may give
 * back a part of the request. A name of a model has no blanks.
 */
const REFUSED: readonly RegExp[] = [
  /^(?:(?:engine_|model_|server_)?(?:is_)?overloaded(?:_error)?|slow[ _]down|loading model|(?:we are )?at capacity)\.?$/i,
  new RegExp(
    [
      '^(?:(?:the|that|this|our) )?(?:model )?[\\w./:-]+ (?:(?:is|are) )?(?:currently )?',
      '(?:(?:at|over) capacity|busy|loading|overloaded|experiencing high demand)(?: currently)?',
      '(?: or not ready yet| with other requests)?',
      `(?:[.,!]? {1,2}(?:${ADDED.join('|')}))*[.!]?$`,
    ].join(''),
    'i',
  ),
  /^too many (?:connections|requests)(?:,? (?:please wait )?before (?:processing request|trying again))?\.?$/i,
];

/**
 * Whether a model may have answered all the same to a request with such an error: the server failed later, or is a gateway
 * that did not wait. Gateways answer 503 for both, so one counts as a refusal only where its text says so.
 * @param status of the answer, 400 or more
 */
export function mayHaveBegun(status: number, text: string): boolean {
  if (status < 500) return WAITED_IN_VAIN.includes(status);
  return status === 503 ? !isRefusal(text.trim()) : !NOT_BEGUN.includes(status);
}

function isRefusal(text: string): boolean {
  const document = parsed(text);
  if (document === UNREAD) return NO_SERVER.test(text);
  return whysIn(document).some((said) => REFUSED.some((refusal) => refusal.test(said)));
}

/** Where an error says why: elsewhere it may name the model or the tool that was asked for. */
function whysIn(document: unknown): string[] {
  if (!isMembers(document)) return [];
  const { error } = document;
  const places = isMembers(error) ? [document, error] : [document];
  const said = places.flatMap((place) => ['message', 'type', 'code', 'detail', 'error'].map((name) => place[name]));
  return said.filter((text) => typeof text === 'string');
}

/** Whether every text of an error of a server is a sentence or a status. */
function isBare(text: string): boolean {
  const document = parsed(text);
  if (document === UNREAD) return isStatus(text);
  return textsIn(document).every((said) => said.length <= MOST_SENTENCE && SENTENCE.test(said));
}

/** What a gateway says by itself: its page, a line that names a status and nothing else, or why it has no answer. */
function isStatus(text: string): boolean {
  if (PAGE.test(text) || ENVOY.test(text)) return true;
  const said = text.replace(/\.$/, '').toLowerCase();
  return Object.entries(STATUS_CODES).some(([code, name = '']) => {
    return [name, `${code} ${name}`].some((known) => known.toLowerCase() === said);
  });
}

/** Texts and names, at any depth: lists in one another without end would be too deep for calls. */
function textsIn(document: unknown): string[] {
  const found: string[] = [];
  const waiting: unknown[] = [document];
  // What is pushed meanwhile is walked too.
  for (const next of waiting) {
    if (typeof next === 'string') found.push(next);
    else if (isMembers(next)) {
      for (const [name, member] of Object.entries(next)) waiting.push(name, member);
    } else if (Array.isArray(next)) for (const member of next) waiting.push(member);
  }
  return found;
}

/** Whether a member of an error, or of an event of a stream of errors, has what a model wrote. */
function holdsMembers(text: string): boolean {
  if (FAILED_GENERATION.test(text)) return true;
  if (documentHolds(text)) return true;
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
