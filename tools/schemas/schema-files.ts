import { join } from 'node:path';
import { FILE_SCHEMAS } from './file-schemas.ts';
import { JSON_RESULTS, resultFile } from './json-results.ts';
import { RECORD_SCHEMAS } from './record-schemas.ts';
import { referring } from './references.ts';
import { SHARED_PARTS } from './shared-parts.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
const ADDRESS = 'https://colophon.example/schema/';

export const SCHEMA_FOLDER = join(import.meta.dirname, '../../docs/json');

/** The file of what the others have in common. */
export const COMMON_FILE = 'common.v1.json';

/** Each schema of docs/json by its file name, whole as it is declared. */
export const WHOLE_SCHEMAS: Readonly<Record<string, object>> = {
  ...FILE_SCHEMAS,
  ...RECORD_SCHEMAS,
  ...Object.fromEntries(Object.entries(JSON_RESULTS).map(([command, schema]) => [resultFile(command), schema])),
};

/** Each file of docs/json as it is written: it names what stands in the common one, and says the rest. */
export function schemaFiles(): Readonly<Record<string, string>> {
  const refer = referring(SHARED_PARTS, `${COMMON_FILE}#/$defs/`);
  const within = referring(SHARED_PARTS, '#/$defs/');
  const parts = Object.entries(SHARED_PARTS).map(([name, part]) => [name, within.inside(part)]);
  const common = {
    $schema: DRAFT,
    $id: `${ADDRESS}${COMMON_FILE}`,
    title: 'what the other schemas have in common, version 1',
    $defs: Object.fromEntries(parts),
  };
  const others = Object.entries(WHOLE_SCHEMAS).map(([file, schema]) => {
    const {
      $schema: _,
      $id: __,
      ...rest
    } = refer.whole(schema) as { readonly $schema?: string; readonly $id?: string };
    return [file, written({ $schema: DRAFT, $id: `${ADDRESS}${file}`, ...rest })];
  });
  return { [COMMON_FILE]: written(common), ...Object.fromEntries(others) };
}

const LIST_OF_WORDS = /\[\n\s*("[^"\n]*"(?:,\n\s*"[^"\n]*")*)\n\s*\]/g;

function written(schema: object): string {
  const text = JSON.stringify(schema, null, 2);
  return `${text.replace(LIST_OF_WORDS, (_, words: string) => `[${words.replace(/\n\s*/g, ' ')}]`)}\n`;
}
