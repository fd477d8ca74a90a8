import { hasBlank, type IriFault, iriFaultOf } from '../schema/iri-reference.ts';
import type { ReferencePlace } from '../schema/reference-places.ts';
import type { Finding } from './bom-issue.ts';
import type { DocumentReader } from './document-reader.ts';

const CODE = 'sbom.reference_invalid';
const LONGEST_QUOTE = 60;

/**
 * What is to be said of a text where an `iri-reference` has to stand (RFC 3987): a warning, since the official test suite
 * lets everything pass; an error for a reader that refuses the whole document.
 */
export function referenceFinding({ path, text }: ReferencePlace, reader?: DocumentReader): Finding | undefined {
  const fault = iriFaultOf(text);
  if (fault === undefined) {
    if (reader === undefined || !hasBlank(text)) return undefined;
    const message = `${quote(text)} holds a blank beyond ASCII, and ${NAMES[reader]} refuses the document for it.`;
    return { path, code: CODE, severity: 'error', message, expected: 'the blank percent-encoded, or left out' };
  }
  // Java's `URI`, which decides there, takes the whole for the name of a registry.
  const isRead = reader === undefined || fault.kind === 'port';
  const { problem, expected } = describe(text, fault);
  const message = `${quote(text)} is no reference (RFC 3987): ${problem}.`;
  return { path, code: CODE, severity: isRead ? 'warning' : 'error', message, expected };
}

const NAMES: Readonly<Record<DocumentReader, string>> = { 'dependency-track': 'Dependency-Track' };

function describe(text: string, { at, kind }: IriFault): { readonly problem: string; readonly expected: string } {
  const place = `at character ${at + 1}`;
  switch (kind) {
    case 'percent':
      return { problem: `a % without two hex digits ${place}`, expected: '%25 for a percent sign' };
    case 'colon':
      return { problem: `a colon ${place}, and no scheme before it`, expected: 'a URI such as ssh://host/path' };
    case 'port':
      return { problem: `a port that is no number ${place}`, expected: 'digits, or a slash instead of the colon' };
    case 'ip_literal':
      return { problem: `no IPv6 address behind the [ ${place}`, expected: 'an address such as [2001:db8::1]' };
    case 'character':
      return characterProblem(text.codePointAt(at) as number, place);
  }
}

function characterProblem(point: number, place: string): { readonly problem: string; readonly expected: string } {
  const character = String.fromCodePoint(point);
  const hex = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
  const name = point === 0x20 ? 'a space' : /[\x21-\x7e]/.test(character) ? JSON.stringify(character) : hex;
  const isHalf = point >= 0xd800 && point <= 0xdfff;
  const expected = isHalf || character === '@' ? 'only characters that RFC 3987 allows there' : encodedOf(character);
  return { problem: `${name} ${place}`, expected };
}

/** Also for what `encodeURIComponent` leaves as it is. */
function encodedOf(character: string): string {
  const bytes = new TextEncoder().encode(character);
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
}
