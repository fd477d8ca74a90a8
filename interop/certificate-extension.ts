/** The UTF8String or raw text of one extension, found by its encoded OID. */
export function extensionText(der: Buffer, oid: string): string | undefined {
  const arcs = oid.split('.').map(Number);
  const bytes = [arcs[0]! * 40 + arcs[1]!, ...arcs.slice(2).flatMap(base128)];
  const at = der.indexOf(Buffer.from([0x06, bytes.length, ...bytes]));
  if (at === -1) return undefined;
  let octets = at + 2 + bytes.length;
  if (der[octets] === 0x01) octets += 3;
  const { start, length } = content(der, octets);
  // .2, .3 and .5 are raw text; the later ones are wrapped in a UTF8String.
  const inner = der[start] === 0x0c && length > 1 ? content(der, start) : { start, length };
  return der.subarray(inner.start, inner.start + inner.length).toString('utf8');
}

function content(der: Buffer, at: number): { start: number; length: number } {
  const first = der[at + 1]!;
  if (first < 0x80) return { start: at + 2, length: first };
  const size = first & 0x7f;
  return { start: at + 2 + size, length: der.readUIntBE(at + 2, size) };
}

function base128(arc: number): number[] {
  const groups = [arc & 0x7f];
  for (let rest = arc >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}
