/** One PEM block (RFC 7468). */
export type PemBlock = { readonly label: string; readonly der: Uint8Array };

const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----\r?\n([A-Za-z0-9+/=\r\n]*?)-----END \1-----[ \t]*(?:\r?\n|$)/y;

/**
 * Reads text that is nothing but PEM blocks, with white space around them.
 * @returns the blocks in their order; undefined where anything else stands in the text.
 */
export function parsePem(text: string): PemBlock[] | undefined {
  const blocks: PemBlock[] = [];
  const trimmed = text.trim();
  let at = 0;
  while (at < trimmed.length) {
    BLOCK.lastIndex = at;
    const match = BLOCK.exec(trimmed);
    if (match === null) return undefined;
    const der = decodeBase64(match[2]!.replace(/[\r\n]/g, ''));
    if (der === undefined || der.length === 0) return undefined;
    blocks.push({ label: match[1]!, der });
    at = BLOCK.lastIndex;
    while (/\s/.test(trimmed[at] ?? '')) at += 1;
  }
  return blocks.length === 0 ? undefined : blocks;
}

/** 64 characters a line and a newline at the end, as Go's encoder writes it. */
export function formatPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** Standard base64 with its padding and nothing else; undefined for every other spelling (RFC 4648 §3.5). */
export function decodeBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined;
}
