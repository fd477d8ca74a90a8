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

/** Headers by which clients show who they are, by the end of their names: every gateway has one of its own. */
const CREDENTIAL =
  /(?:^|[-_])(?:authorization|auth|token|secret|cookie|vk|(?:api|subscription|virtual|litellm|access)[-_]?key)$/;

/** Headers in which gateways take another server or path than they were asked for. */
const REDIRECTING: readonly RegExp[] = [
  /^(?:x-portkey-|helicone-|x-forwarded-|forwarded$)/,
  /(?:^|-)(?:target|base|upstream|custom|original|rewrite|destination)-(?:.*-)?(?:url|uri|host|path|endpoint)$/,
  /(?:^|-)api-base$/,
];

/**
 * Headers as they are passed on: names and values in turn, in their order and spelling.
 * @param raw as Node read them
 * @param credential stands in place of every credential that is among them
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
    if (credential !== undefined && (isOwn(name) || name === credential.header.toLowerCase())) continue;
    passed.push(raw[i]!, raw[i + 1]!);
  }
  if (credential !== undefined) passed.push(credential.header, credential.value);
  return passed;
}

/** Whether it is for the witness to say, where it has the credential. */
function isOwn(name: string): boolean {
  return CREDENTIAL.test(name) || REDIRECTING.some((shape) => shape.test(name));
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
