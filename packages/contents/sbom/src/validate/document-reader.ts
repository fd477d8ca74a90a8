import type { Bom } from '../document/bom.ts';
import type { Finding } from './bom-issue.ts';

/** Programs that refuse documents which their schema allows. */
export const DOCUMENT_READERS = ['dependency-track'] as const;
export type DocumentReader = (typeof DOCUMENT_READERS)[number];

/** Dependency-Track decides 1.2 and 1.3 by the strict schemas, and they have names of their own. */
const STRICT_NAMES: Readonly<Record<string, string>> = {
  '1.2': 'http://cyclonedx.org/schema/bom-1.2a.schema.json',
  '1.3': 'http://cyclonedx.org/schema/bom-1.3.schema.json',
};

/**
 * What else a reader makes of a document. Dependency-Track reads 1.6 from 4.11.4 on, and 1.7 from 5.1 on, which only the
 * server itself can say.
 */
export function* readerFindings({ specVersion, $schema }: Bom): Generator<Finding> {
  const name = STRICT_NAMES[specVersion];
  if (name !== undefined && $schema !== undefined && $schema !== name) {
    const message = 'Dependency-Track refuses another name of the schema, and takes a document without one.';
    yield { path: '/$schema', code: 'sbom.reader_version', severity: 'error', message, expected: name };
  }
  if (specVersion !== '1.7') return;
  yield {
    path: '/specVersion',
    code: 'sbom.reader_version',
    severity: 'warning',
    message: 'Dependency-Track before 5.1 refuses CycloneDX 1.7.',
    expected: '1.6, which every one from 4.11.4 on reads; colophon sbom upload converts where it has to',
  };
}
