/** Headers of one connection, which are not passed on (RFC 9110 §7.6.1). */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
]);

/**
 * What clients of models say of the content, of themselves, their session and the request, and that no provider takes for
 * another key, model or address. Every gateway has names of its own for those, so nothing else passes beside the
 * witness's credential.
 */
const OF_CLIENTS: readonly RegExp[] = [
  /^(?:accept(?:-(?:charset|encoding|language))?|content-(?:encoding|language|length|type)|user-agent|date|pragma)$/,
  /^(?:cache-control|sec-fetch-mode|http-referer|x-title|priority)$/,
  /^(?:anthropic-(?:beta|dangerous-direct-browser-access|version)|openai-(?:beta|intent|organization|project))$/,
  /^(?:x-stainless-[a-z-]+|x-app|x-goog-api-client|x-initiator|originator|version|copilot-(?:integration-id|vision-request))$/,
  /^(?:editor-(?:plugin-)?version|x-github-api-version|x-interaction-(?:id|type)|x-agent-task-id)$/,
  /^(?:idempotency-key|(?:x-)?(?:client-)?request-id)$/,
  /^(?:baggage|sentry-trace|traceparent|tracestate)$/,
  /^(?:x-claude-code-[a-z-]+|x-codex-[a-z-]+|(?:x-)?(?:session|thread|conversation|turn)[-_]id|x-session-affinity)$/,
];

/**
 * Headers as they are passed on: names and values in turn, in their order and spelling.
 * @param raw as Node read them
 * @param credential stands in place of whatever is not known to be harmless beside it
 */
export function passedHeaders(
  raw: readonly string[],
  credential?: { readonly header: string; readonly value: string },
): string[] {
  const named = namedByConnection(raw);
  const passed: string[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    if (OF_CONNECTION.has(name) || named.has(name)) continue;
    if (credential !== undefined && (!isOfClient(name) || name === credential.header.toLowerCase())) continue;
    passed.push(raw[i]!, raw[i + 1]!);
  }
  if (credential !== undefined) passed.push(credential.header, credential.value);
  return passed;
}

function isOfClient(name: string): boolean {
  return OF_CLIENTS.some((shape) => shape.test(name));
}

function namedByConnection(raw: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    if (raw[i]!.toLowerCase() !== 'connection') continue;
    for (const name of raw[i + 1]!.split(',')) names.add(name.trim().toLowerCase());
  }
  // Whoever names them would change what the body is.
  for (const name of ['content-length', 'content-encoding', 'content-type']) names.delete(name);
  return names;
}
