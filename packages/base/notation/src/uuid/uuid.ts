const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** True for a UUID of any version as it is written: in lower case. @see RFC 9562 §4 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Reads a UUID in either case, as RFC 9562 §4 asks of readers.
 * @returns the UUID in lower case; undefined for anything else
 */
export function parseUuid(text: string): string | undefined {
  const uuid = text.toLowerCase();
  return isUuid(uuid) ? uuid : undefined;
}
