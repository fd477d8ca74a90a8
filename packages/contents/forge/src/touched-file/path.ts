const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A name that was read byte by byte, as text; undefined where it is no UTF-8, which no program could be given. */
export function decodePath(latin1: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return undefined;
  }
}
