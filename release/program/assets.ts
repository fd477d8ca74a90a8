import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { GRAMMAR_ASSETS, PARSER_ASSET } from '@colophon/grammars';
import { OFFICIAL_SCHEMA_FILES } from '@colophon/sbom';

const ROOT = join(import.meta.dirname, '../..');

/** Of each file that the program reads beside its code, the name that it asks for, and where it is installed. */
export function assetFiles(): ReadonlyMap<string, string> {
  const grammars = createRequire(join(ROOT, 'packages/grammars/package.json'));
  const programs = createRequire(join(ROOT, 'packages/cli/package.json'));
  const library = '@cyclonedx/cyclonedx-library';
  const schemas = join(programs.resolve(`${library}/package.json`), '../res/schema');
  return new Map([
    ...[PARSER_ASSET, ...Object.values(GRAMMAR_ASSETS)].map((name) => [name, grammars.resolve(name)] as const),
    ...OFFICIAL_SCHEMA_FILES.map((file) => [`${library}/res/schema/${file}`, join(schemas, file)] as const),
  ]);
}

/** A carried schema without its indentation, which is a third of it; anything else as it is. */
export function readCarried(file: string): Uint8Array {
  const bytes = readFileSync(file);
  return file.endsWith('.json') ? Buffer.from(JSON.stringify(JSON.parse(bytes.toString('utf8')))) : bytes;
}
