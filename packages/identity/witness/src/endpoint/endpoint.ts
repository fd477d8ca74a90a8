import type { IncomingHttpHeaders } from 'node:http';

/** The formats of requests and answers that a witness reads. */
export const WIRE_FORMATS = ['messages', 'responses', 'chat-completions'] as const;
export type WireFormat = (typeof WIRE_FORMATS)[number];

/**
 * What a request to a provider is: one that a model answers, in a format that is read; one that no model answers with
 * text; one that reads what a model wrote before; or one that is not known, whose answer may be of any model.
 */
export type Endpoint = WireFormat | 'no-model' | 'written-before' | 'unknown';

/** Characters that every server reads as they are written; of others, one may take them for the end of the path. */
const PLAIN = '[A-Za-z0-9._~:@-]';

/** Whatever stands before it, since the answer is read, and has to name its model. */
const GENERATING: ReadonlyArray<readonly [path: RegExp, format: WireFormat]> = [
  [anywhere('messages'), 'messages'],
  [anywhere('responses'), 'responses'],
  [anywhere('chat/completions'), 'chat-completions'],
];

function anywhere(end: string): RegExp {
  return new RegExp(`^(?:/${PLAIN}*)*/${end}$`);
}

/**
 * Paths whose answers hold no text of a model: counting, lists, files, vectors, judgements of a text.
 * @see https://docs.anthropic.com/en/api, https://platform.openai.com/docs/api-reference
 */
const WITHOUT_MODEL: readonly RegExp[] = [
  'messages/count_tokens|responses/input_tokens|tokenize|detokenize|embeddings|moderations|rerank',
  'deployments/ID/embeddings',
  'models|files|uploads|conversations|containers|vector_stores',
  '(?:(?:messages/)?batches|uploads|vector_stores/vs_ID/file_batches)/ID/cancel',
  'uploads/ID/(?:parts|complete)',
  'conversations/conv_ID(?:/items)?',
  'containers/cntr_ID/files',
  'vector_stores/vs_ID(?:/(?:file_batches|files(?:/ID)?))?',
].map(fromVersion);

/**
 * What can be read and holds no text of a model: lists and states. Everything else may be what one wrote before: some servers
 * list responses with their outputs, and Gemini's batch has its answers in itself.
 */
const STATES: readonly RegExp[] = [
  'messages|models(?:/(?!\\.{1,2}(?:/|$))(?:[\\w.:@-]|%3A)+)*|model/info|deployments(?:/ID)?|tags|ps|props',
  'version|hello|ping|info|metrics|credits|generation|(?:health|ready|live)[a-z]*(?:/[a-z]+)?',
  'files(?:/ID)?|uploads(?:/ID)?|conversations/ID|embeddings/ID',
  'containers(?:/ID(?:/files(?:/ID)?)?)?|vector_stores(?:/ID(?:/(?:files|file_batches)(?:/ID)?)?)?',
].map(fromVersion);

/** Known places of what a model wrote before. */
const WRITTEN_BEFORE: readonly RegExp[] = [
  'responses/ID(?:/input_items|/cancel)?|chat/completions(?:/ID(?:/messages)?)?|conversations/ID/items(?:/ID)?',
  '(?:containers/ID/)?files/ID/content|(?:messages/)?batches/ID(?:/results)?',
].map(fromVersion);

/** Where models answer in formats that are not read: of no known model. */
const UNREAD: readonly RegExp[] = [
  '(?:deployments/ID/)?completions|complete|responses/compact|(?:messages/)?batches|models/ID:\\w+',
  '(?:deployments/ID/)?(?:images/(?:generations|edits|variations)|audio/(?:speech|transcriptions|translations))',
].map(fromVersion);

/** Where something is made, or read that a model wrote. */
const KNOWN = [...WITHOUT_MODEL, ...WRITTEN_BEFORE, ...UNREAD];

/** A whole path: versions and the names of interfaces, and then this. */
function fromVersion(path: string): RegExp {
  return new RegExp(`^(?:/(?:v[0-9][a-z0-9]*|api|openai|anthropic))*/(?:${path.replaceAll('ID', '[\\w.-]+')})$`);
}

/** Versions and names of interfaces alone. */
const ROOT = /^(?:\/(?:v[0-9][a-z0-9]*|api|openai|anthropic))*\/?$/;

/** Gives back what was written until then. */
const CANCELLED = fromVersion('responses/ID/cancel');

/** Methods that read; an answer to HEAD may lead to the text too. */
const READING: readonly string[] = ['GET', 'HEAD'];

/** Methods that ask for nothing to be made. */
const ONLY_READ: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'DELETE'];

/** Headers in which some servers are told another method. */
const METHOD_OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override'];

/**
 * Says what a request is.
 * @param path below that of the upstream, without query
 */
export function endpointOf(method: string, path: string, headers: IncomingHttpHeaders = {}): Endpoint {
  if (isReading(method, headers)) return READING.includes(method) && !isState(path) ? 'written-before' : 'no-model';
  if (CANCELLED.test(path)) return 'written-before';
  const known = GENERATING.find(([whole]) => whole.test(path));
  if (known !== undefined) return known[1];
  return WITHOUT_MODEL.some((whole) => whole.test(path)) ? 'no-model' : 'unknown';
}

function isReading(method: string, headers: IncomingHttpHeaders): boolean {
  return ONLY_READ.includes(method) && !mayAsk(headers);
}

/** Slashes that a server may take for one, or for none, change nothing. */
function isState(path: string): boolean {
  const single = path.replace(/\/+/g, '/').replace(/\/$/, '');
  return ROOT.test(single) || STATES.some((whole) => whole.test(single));
}

/**
 * Whether a request may have the credential of the witness: at the places that are known, of which lists and states are
 * known for reading alone. Elsewhere a gateway may make a credential or show one, and with that an agent would go round
 * the witness.
 * @param path below that of the upstream, without query
 */
export function mayHaveCredential(endpoint: Endpoint, path: string): boolean {
  if (endpoint === 'no-model' && isState(path)) return true;
  return [...GENERATING.map(([whole]) => whole), ...KNOWN].some((whole) => whole.test(path));
}

/** Whether a request that only reads may be taken for one that asks: it has a body, or names another method. */
function mayAsk(headers: IncomingHttpHeaders): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  return hasBody || METHOD_OVERRIDES.some((name) => headers[name] !== undefined);
}
