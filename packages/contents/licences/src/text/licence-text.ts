import { decodeBase64 } from '@colophon/encoding';
import { type IdentifiedText, identifyText } from './identified-text.ts';
import { readKnownTexts } from './known-text.ts';
import { TextSearch } from './text-search.ts';

/** The texts of the SPDX list, ready to be recognised. */
export type LicenceTexts = {
  identify(text: string): IdentifiedText;
  /** SPDX's own text of a licence. */
  textOf(id: string): string | undefined;
};

/** Loads the texts of the SPDX list: 5 MB, so only where a document carries a text. */
export async function loadLicenceTexts(): Promise<LicenceTexts> {
  const [{ default: list }, { default: variations }] = await Promise.all([
    import('spdx-license-list/full.js'),
    import('./licence-variants.json', { with: { type: 'json' } }),
  ]);
  const known = readKnownTexts(list, variations);
  const search = new TextSearch(known);
  return {
    identify: (text) => identifyText(text, known, search),
    textOf: (id) => (Object.hasOwn(list, id) ? list[id]!.licenseText : undefined),
  };
}

/** Characters. Of a longer text nothing is read: files of a whole bundle have 150,000. */
export const MAX_LICENCE_TEXT = 1024 * 1024;

/** A licence's text in a document: absent, readable, or there and not to be read. */
export type StatedText =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly why: string };

/** The text of a licence as somebody wrote it, decoded. */
export function readLicenceText(text: unknown): StatedText {
  const { content, encoding } = (text ?? {}) as { content?: unknown; encoding?: unknown };
  if (typeof content !== 'string' || content.trim() === '') return { kind: 'none' };
  if (content.length > 2 * MAX_LICENCE_TEXT) return TOO_LONG;
  const decoded = encoding === undefined ? content : encoding === 'base64' ? fromBase64(content) : undefined;
  if (decoded === undefined) return { kind: 'unreadable', why: 'not what its encoding says' };
  return decoded.length > MAX_LICENCE_TEXT ? TOO_LONG : { kind: 'text', text: decoded };
}

const TOO_LONG: StatedText = { kind: 'unreadable', why: `more than ${MAX_LICENCE_TEXT} characters` };

/** Tools break long base64 into lines, and some leave its padding out. */
function fromBase64(content: string): string | undefined {
  const bytes = decodeBase64(content.replace(/[\t\n\f\r ]/g, ''), { padding: 'optional' });
  return bytes && new TextDecoder().decode(bytes);
}
