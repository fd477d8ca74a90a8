import type { IncomingHttpHeaders } from 'node:http';

/** The formats of requests and answers that a witness reads. */
export const WIRE_FORMATS = ['messages', 'responses', 'chat-completions'] as const;
export type WireFormat = (typeof WIRE_FORMATS)[number];

/**
 * What a request to a provider is: one that a model answers, in a format that is read; one that no model answers with
 * text; or one that is not known, whose answer may be of any model.
 */
export type Endpoint = WireFormat | 'no-model' | 'unknown';

/** By the end of the path, since every provider has a base path of its own. */
const GENERATING: ReadonlyArray<readonly [end: RegExp, format: WireFormat]> = [
  [/\/messages$/, 'messages'],
  [/\/responses$/, 'responses'],
  [/\/chat\/completions$/, 'chat-completions'],
];

/**
 * Paths whose answers hold no text of a model: counting, lists, files, vectors, judgements of a text.
 * @see https://docs.anthropic.com/en/api, https://platform.openai.com/docs/api-reference
 */
const WITHOUT_MODEL: readonly RegExp[] = [
  /\/(?:messages\/count_tokens|responses\/input_tokens|tokenize|detokenize|embeddings|moderations|rerank)$/,
  /\/(?:models|files|uploads|conversations|containers|vector_stores)$/,
  /\/(?:responses|batches|uploads|file_batches)\/[\w-]+\/cancel$/,
  /\/uploads\/[\w-]+\/(?:parts|complete)$/,
  /\/conversations\/conv_\w+(?:\/items)?$/,
  /\/containers\/cntr_\w+\/files$/,
  /\/vector_stores\/vs_\w+(?:\/(?:search|file_batches|files(?:\/[\w-]+)?))?$/,
];

/** Methods that ask for nothing to be made. */
const ONLY_READ: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'DELETE'];

/** Headers in which some servers are told another method. */
const METHOD_OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override'];

/**
 * Says what a request is.
 * @param path without query
 */
export function endpointOf(method: string, path: string, headers: IncomingHttpHeaders = {}): Endpoint {
  // What is read later was made by a request that was seen.
  if (ONLY_READ.includes(method) && !mayAsk(headers)) return 'no-model';
  const known = GENERATING.find(([end]) => end.test(path));
  if (known !== undefined) return known[1];
  return WITHOUT_MODEL.some((end) => end.test(path)) ? 'no-model' : 'unknown';
}

/** Whether a request that only reads may be taken for one that asks: it has a body, or names another method. */
function mayAsk(headers: IncomingHttpHeaders): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  return hasBody || METHOD_OVERRIDES.some((name) => headers[name] !== undefined);
}
