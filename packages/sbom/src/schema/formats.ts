import type { Ajv, Format } from 'ajv';
import addFormats from 'ajv-formats';
import addDraft2019Formats from 'ajv-formats-draft2019';

/** No address, time or URI of a real document is longer; what is longer costs the libraries' parsers too much. */
const LONGEST = 2_000;

/**
 * Teaches a validator the formats that CycloneDX uses, as the official test suite does: an `iri-reference` may be
 * anything, since nobody has an implementation that works.
 */
export function addSafeFormats(ajv: Ajv): void {
  addFormats.default(ajv, ['date', 'date-time', 'uri']);
  addDraft2019Formats(ajv, { formats: ['idn-email'] });
  for (const name of ['date', 'date-time', 'uri', 'idn-email']) {
    const isOfFormat = testOf(ajv.formats[name]);
    ajv.addFormat(name, (text: string) => text.length <= LONGEST && isOfFormat(text));
  }
  ajv.addFormat('iri-reference', true);
}

function testOf(format: Format | undefined): (text: string) => boolean {
  if (typeof format === 'function') return format as (text: string) => boolean;
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'object' && 'validate' in format) return testOf(format.validate as Format);
  throw new TypeError('the library of formats has none of this name');
}
