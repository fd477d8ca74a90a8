import { digestOf } from '../digest/digest.ts';

/** One file of a policy pack; the path as it shall be hashed, relative and with `/`. */
export type PolicyFile = { readonly path: string; readonly bytes: Uint8Array };

// sha256sum escapes the backslash and the line ends; the other control characters belong in no path either.
const NOT_IN_A_PATH = /[\p{Cc}\\]/u;

const utf8 = new TextEncoder();

/**
 * `sha256:<hex>` of a policy pack (contract §2.1): of a single file its exact bytes; of several files the bytes of
 * the list `<hex>  <path>\n`, its lines sorted by their bytes, so that
 * `sha256sum FILE… | LC_ALL=C sort | sha256sum` computes the same.
 *
 * @throws TypeError for no file at all, a path that occurs twice, is empty, or holds a backslash or control character.
 */
export function hashPolicyPack(pack: Uint8Array | readonly PolicyFile[]): string {
  if (pack instanceof Uint8Array) return digestOf(pack);
  const paths = new Set(pack.map(({ path }) => path));
  if (pack.length === 0) throw new TypeError('a policy pack has at least one file');
  if (paths.size < pack.length) throw new TypeError('a path occurs twice in the policy pack');
  for (const path of paths) {
    if (path === '' || NOT_IN_A_PATH.test(path)) throw new TypeError('a path of the policy pack cannot be listed');
  }
  if (pack.length === 1) return digestOf(pack[0]!.bytes);
  const lines = pack.map(({ path, bytes }) => `${digestOf(bytes).slice('sha256:'.length)}  ${path}\n`);
  return digestOf(utf8.encode(lines.sort(compareBytes).join('')));
}

/** Code points in ascending order are UTF-8 bytes in ascending order; UTF-16 code units are not. */
function compareBytes(one: string, other: string): number {
  const a = utf8.encode(one);
  const b = utf8.encode(other);
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? a.length - b.length : a[at]! - (b[at] ?? -1);
}
