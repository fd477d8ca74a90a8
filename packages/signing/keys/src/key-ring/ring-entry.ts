import { isJsonObject, type JsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { formatInstant, parseInstant } from '@colophon/notation';
import { KeyError } from '../key-error/key-error.ts';

/** A key of a ring, as its state file has it. Times are RFC 3339 in UTC. */
export type RingEntry = {
  /** Name of the private key's file, beside the state file. */
  readonly file: string;
  readonly kid: string;
  /** When it came into the key set; the first key of a ring has been in it from the start. */
  readonly published_at?: string;
  /** From when it signs, until a later key does; the first key from the start. */
  readonly signs_from?: string;
  /** When it leaves the key set; absent while no other key is to sign after it. */
  readonly published_until?: string;
  /** Since when it is neither used nor published. */
  readonly revoked_at?: string;
};

/** Milliseconds since 1970 of a time that an entry has; `otherwise` where it has none. */
export function instantOf(time: string | undefined, otherwise: number): number {
  return time === undefined ? otherwise : parseInstant(time)!;
}

const FORMAT = 1;
/** A key is some 300 bytes: rotated every day, this is ten years. */
const MAX_STATE_BYTES = 1024 * 1024;
const MEMBERS = ['file', 'kid', 'published_at', 'signs_from', 'published_until', 'revoked_at'];
const TIMES = ['published_at', 'signs_from', 'published_until', 'revoked_at'] as const;

/** The text of a state file. */
export function writeRing(entries: readonly RingEntry[]): string {
  return `${JSON.stringify({ format: FORMAT, keys: entries }, null, 2)}\n`;
}

/**
 * The keys of a state file, in the order in which they sign.
 * @param path of the file, for the error
 * @throws KeyError `key.ring_invalid`
 */
export function parseRing(path: string, bytes: Uint8Array): readonly RingEntry[] {
  const refuse = (why: string): never => {
    throw new KeyError('key.ring_invalid', `${path} is no list of keys that can be used: ${why}`);
  };
  const parsed = parseStrictJson(bytes, { maxBytes: MAX_STATE_BYTES });
  if (!parsed.ok) return refuse(`it is not strict JSON (${parsed.issues[0]?.code})`);
  const document = parsed.value;
  if (!isJsonObject(document)) return refuse('it is no object');
  if (document['format'] !== FORMAT) return refuse(`its format is not ${FORMAT}`);
  const stranger = Object.keys(document).find((name) => name !== 'format' && name !== 'keys');
  if (stranger !== undefined) return refuse('it has a member beside format and keys');
  const { keys } = document;
  if (!Array.isArray(keys)) return refuse('keys is no list');
  const entries = keys.map((value: JsonValue, index) => parseEntry(value, (why) => refuse(`key ${index + 1}: ${why}`)));
  const fault = faultOfOrder(entries);
  return fault === undefined ? entries : refuse(fault);
}

function parseEntry(value: JsonValue, refuse: (why: string) => never): RingEntry {
  if (!isJsonObject(value)) return refuse('it is no object');
  if (Object.keys(value).some((name) => !MEMBERS.includes(name))) return refuse('it has an unknown member');
  const { file, kid } = value;
  // A plain name: the state file leads to no key of another folder.
  if (typeof file !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.pem$/.test(file)) return refuse('file');
  if (typeof kid !== 'string' || !/^[A-Za-z0-9_-]{43}$/.test(kid)) return refuse('kid');
  const fault = TIMES.find((name) => value[name] !== undefined && !isInstant(value[name]));
  if (fault !== undefined) return refuse(fault);
  return value as JsonObject & RingEntry;
}

function isInstant(value: JsonValue): boolean {
  const instant = typeof value === 'string' ? parseInstant(value) : undefined;
  return instant !== undefined && formatInstant(instant) === value;
}

/** Keys sign one after the other, each is in the set before it signs and while it does, and one stays. */
function faultOfOrder(entries: readonly RingEntry[]): string | undefined {
  if (new Set(entries.map(({ kid }) => kid)).size < entries.length) return 'a kid is there twice';
  if (new Set(entries.map(({ file }) => file)).size < entries.length) return 'a file is there twice';
  let before = Number.NEGATIVE_INFINITY;
  for (const [index, { published_at, signs_from, published_until, revoked_at }] of entries.entries()) {
    if (revoked_at !== undefined) continue;
    const isFirst = index === 0 && published_at === undefined && signs_from === undefined;
    if (!isFirst && (published_at === undefined || signs_from === undefined)) {
      return `key ${index + 1} does not say since when it is published and from when it signs`;
    }
    const signsFrom = instantOf(signs_from, before);
    if (signsFrom < before) return `key ${index + 1} signs before the one above it`;
    if (instantOf(published_at, signsFrom) > signsFrom) return `key ${index + 1} signs before it is published`;
    if (instantOf(published_until, Number.POSITIVE_INFINITY) <= signsFrom)
      return `key ${index + 1} ends before it signs`;
    before = signsFrom;
  }
  const stays = entries.some(
    ({ revoked_at, published_until }) => revoked_at === undefined && published_until === undefined,
  );
  return stays ? undefined : 'no key in it stays published';
}
