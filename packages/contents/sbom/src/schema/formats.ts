import type { Ajv, Format } from 'ajv';
import addFormats from 'ajv-formats';
import { isInternationalEmail } from './email-address.ts';
import { hasBlank, iriFaultOf } from './iri-reference.ts';

/** No time or URI of a real document is longer; and the library splits a time at every T. */
const LONGEST = 2_000;

/**
 * Teaches a validator the formats that CycloneDX uses, as the official test suite does: an `iri-reference` may be
 * anything. One that is odd is told, and decides nothing.
 */
export function addSafeFormats(ajv: Ajv, onOddReference: () => void): void {
  addFormats.default(ajv, ['date', 'date-time', 'uri']);
  for (const name of ['date', 'date-time', 'uri']) {
    const isOfFormat = testOf(ajv.formats[name]);
    ajv.addFormat(name, (text: string) => text.length <= LONGEST && isOfFormat(text));
  }
  ajv.addFormat('idn-email', isInternationalEmail);
  ajv.addFormat('iri-reference', (text: string) => {
    if (isOddReference(text)) onOddReference();
    return true;
  });
}

/** Whether a text is no IRI reference (RFC 3987), or one with a blank that some readers of IRIs refuse. */
export function isOddReference(text: string): boolean {
  return iriFaultOf(text) !== undefined || hasBlank(text);
}

function testOf(format: Format | undefined): (text: string) => boolean {
  if (typeof format === 'function') return format as (text: string) => boolean;
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'object' && 'validate' in format) return testOf(format.validate as Format);
  throw new TypeError('the library of formats has none of this name');
}
