import { decodeBase64, encodeBase64 } from '../base64/base64.ts';

/** One PEM block (RFC 7468). */
export type PemBlock = { readonly label: string; readonly der: Uint8Array<ArrayBuffer> };

const BEGIN = '-----BEGIN ';
const DASHES = '-----';
const LABEL = /^([A-Z0-9 ]{1,40})-----/;
const LONGEST_LABEL_AND_DASHES = 45;
const STRICT_BODY = /^\r?\n[A-Za-z0-9+/=\r\n]*$/;

/**
 * Reads text that is nothing but PEM blocks, with white space around them.
 * @param layout of a block's lines: `strict` as programs write them, or `lax` with blanks anywhere (RFC 7468 §3)
 * @returns the blocks in their order; undefined where anything else stands in the text
 */
export function parsePem(text: string, layout: 'strict' | 'lax' = 'strict'): PemBlock[] | undefined {
  const blocks: PemBlock[] = [];
  const trimmed = text.trim();
  for (let at = 0; at < trimmed.length; ) {
    if (!trimmed.startsWith(BEGIN, at)) return undefined;
    const found = readBlock(trimmed, at);
    if (found?.block === undefined) return undefined;
    const { block, body, end } = found;
    if (layout === 'strict' && !(STRICT_BODY.test(body) && endsLine(trimmed, end))) return undefined;
    blocks.push(block);
    at = end;
    while (isBlank(trimmed, at)) at += 1;
  }
  return blocks.length === 0 ? undefined : blocks;
}

/**
 * Finds the blocks of these labels in a text of any kind, as people paste certificates and as programs print remarks
 * before them. Other blocks are passed over.
 * @returns the blocks in their order; undefined where one of these labels begins a block that cannot be read
 */
export function findPemBlocks(text: string, labels: readonly string[]): PemBlock[] | undefined {
  const blocks: PemBlock[] = [];
  for (let at = text.indexOf(BEGIN); at !== -1; ) {
    const found = readBlock(text, at);
    if (found !== undefined && labels.includes(found.label)) {
      if (found.block === undefined) return undefined;
      blocks.push(found.block);
    }
    at = text.indexOf(BEGIN, found?.block === undefined ? at + BEGIN.length : found.end);
  }
  return blocks;
}

/** 64 characters a line and a newline at the end, as OpenSSL and Go write it. */
export function formatPem(label: string, der: Uint8Array): string {
  const lines = encodeBase64(der).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** What begins at `at`; without `block` where its content or its end is not that of a block. */
function readBlock(
  text: string,
  at: number,
): { label: string; block?: PemBlock; body: string; end: number } | undefined {
  const start = at + BEGIN.length;
  const label = LABEL.exec(text.slice(start, start + LONGEST_LABEL_AND_DASHES))?.[1];
  if (label === undefined) return undefined;
  const bodyStart = start + label.length + DASHES.length;
  // Base64 has no dash, so the next dashes are the block's end or there is none: no text is searched twice.
  const bodyEnd = text.indexOf(DASHES, bodyStart);
  const endLine = `-----END ${label}-----`;
  if (bodyEnd === -1 || !text.startsWith(endLine, bodyEnd)) return { label, body: '', end: bodyStart };
  const body = text.slice(bodyStart, bodyEnd);
  const end = bodyEnd + endLine.length;
  const der = decodeBase64(body.replace(/\s/g, ''));
  return der === undefined || der.length === 0 ? { label, body, end } : { label, block: { label, der }, body, end };
}

function endsLine(text: string, at: number): boolean {
  let next = at;
  while (text[next] === ' ' || text[next] === '\t') next += 1;
  return next === text.length || text[next] === '\n' || (text[next] === '\r' && text[next + 1] === '\n');
}

function isBlank(text: string, at: number): boolean {
  return /^\s$/.test(text[at] ?? '');
}
