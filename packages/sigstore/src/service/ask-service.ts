/** How the peers (certificate authority, log, timestamp authority) are asked. */
export type PeerOptions = {
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Of one request; 20,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a request is repeated when nobody answered or the peer was overloaded; 2. */
  readonly retries?: number | undefined;
  /** Bytes of an answer; one that is longer is not read on. MOST_ANSWER_BYTES. */
  readonly mostBytes?: number | undefined;
};

export const DEFAULT_PEER_TIMEOUT_MS = 20_000;
export const DEFAULT_PEER_RETRIES = 2;

/** Bytes; an answer that is longer is not read on. */
export const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/** The wait before the first repetition; it doubles each time. */
const FIRST_PAUSE_MS = 200;

/** What a peer said, whatever its status. */
export type PeerAnswer = {
  readonly status: number;
  readonly isOk: boolean;
  readonly body: Uint8Array;
  readonly location: string | null;
  /** The Link header (RFC 8288). */
  readonly link: string | null;
};

/** Nobody answered: no connection, no answer in time, or one that is too long. Never carries what was sent. */
export class PeerUnreachable extends Error {
  override readonly name = 'PeerUnreachable';
}

/** Overloaded or passing: worth asking again. */
const PASSING = new Set([429, 502, 503, 504]);

/** Media types: of what is sent, and of what is wanted back. */
export type PeerMedia = { readonly contentType: string; readonly accept: string };

const JSON_MEDIA: PeerMedia = { contentType: 'application/json', accept: 'application/json' };

/**
 * Sends bytes as they are and everything else as JSON, or asks with GET where `body` is undefined. Follows no redirect:
 * what stands in the request is a credential at times.
 * @throws PeerUnreachable
 */
export async function askPeer(
  url: string,
  body: unknown,
  options: PeerOptions = {},
  media: PeerMedia = JSON_MEDIA,
): Promise<PeerAnswer> {
  const { retries = DEFAULT_PEER_RETRIES } = options;
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries;
    try {
      const answer = await askOnce(url, body, options, media);
      if (isLast || !PASSING.has(answer.status)) return answer;
    } catch (error) {
      if (isLast) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** attempt));
  }
}

async function askOnce(
  url: string,
  body: unknown,
  options: PeerOptions,
  { contentType, accept }: PeerMedia,
): Promise<PeerAnswer> {
  const { fetch = globalThis.fetch, timeoutMs = DEFAULT_PEER_TIMEOUT_MS, mostBytes = MOST_ANSWER_BYTES } = options;
  try {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { accept, ...(body !== undefined && { 'content-type': contentType }) },
      ...(body !== undefined && { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return {
      status: response.status,
      isOk: response.status >= 200 && response.status < 300,
      body: await readBody(response, mostBytes),
      location: response.headers.get('location'),
      link: response.headers.get('link'),
    };
  } catch (error) {
    throw new PeerUnreachable(`${withoutSecrets(url)} did not answer: ${reasonOf(error)}`);
  }
}

async function readBody(response: Response, mostBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > mostBytes) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The system's own code where there is one: messages of fetch say only that it failed. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as { name: string; message: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return 'timeout';
  return cause?.code ?? oneLine(message);
}

/** Most characters of a peer's own words that stand in an error of ours. */
const MOST_REASON_LENGTH = 200;

/**
 * The reason that a peer gives in its answer, fit to be shown: one printable line, short, and nothing that looks like
 * a token, whoever sent it there.
 */
export function peerReason(answer: PeerAnswer): string {
  let text: unknown;
  let code: unknown;
  try {
    const { message, detail, error_description, error, details } =
      JSON.parse(Buffer.from(answer.body).toString()) ?? {};
    text = message ?? detail ?? error_description ?? error;
    // Where our own authority puts its stable code in Fulcio's form of an error.
    code = details?.[0]?.reason;
  } catch {
    text = undefined;
  }
  const reason = typeof text === 'string' && text !== '' ? oneLine(text) : 'no reason given';
  return typeof code === 'string' && /^[a-z]+\.[a-z_]{1,60}$/.test(code) ? `${reason} [${code}]` : reason;
}

/** Somebody else's text as it may be shown: one printable line, short, and nothing that looks like a token. */
export function oneLine(text: string): string {
  return (
    text
      // A peer's stable code (`authority.entry_not_found`) has dots too, but neither capitals nor digits.
      .replace(/[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*)?/g, (found) =>
        /^[a-z_.]+$/.test(found) ? found : '<token>',
      )
      .replace(/[A-Za-z0-9+/_=-]{100,}/g, '<data>')
      .replace(/[^\x20-\x7e]+/g, ' ')
      .slice(0, MOST_REASON_LENGTH)
  );
}

/** A URL as it may be shown: without user, password, query and fragment. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return 'a URL that cannot be read';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** The address of an API path under a base that may have a path of its own. */
export function underBase(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}${path}`;
}
