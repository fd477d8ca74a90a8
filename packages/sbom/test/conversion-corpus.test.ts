import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Bom, compileOfficialSchema, convertBom, parseBom } from '../src/index.ts';
import { readOfficialSchema } from './official-schemas.ts';

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../shared/data');
const FOLDERS = ['cdx-conformance', 'sbom', 'sbom-small'].map((name) => join(DATA, name)).filter(existsSync);

function* documents(): Generator<readonly [file: string, bom: Bom]> {
  for (const folder of FOLDERS) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.json')) continue;
      const parsed = parseBom(readFileSync(join(folder, name)));
      if (parsed.ok) yield [name, parsed.value];
    }
  }
}

describe.skipIf(FOLDERS.length === 0)('real documents', () => {
  test.each(['1.6', '1.7'] as const)('of every version become valid documents of %s', (specVersion) => {
    const schema = compileOfficialSchema(readOfficialSchema, specVersion);
    let seen = 0;
    for (const [file, bom] of documents()) {
      if (bom.specVersion === specVersion) continue;
      const converted = convertBom(bom, { profile: 'standard', version: { specVersion, schema } });
      if (!schema.isValid(converted.bom)) expect.fail(`${file}: ${JSON.stringify(schema.explain(converted.bom, 3))}`);
      seen++;
    }
    expect(seen).toBeGreaterThan(200);
  });

  test('come back from the contract’s profile as they were', () => {
    for (const [file, bom] of documents()) {
      const standard = convertBom(bom, { profile: 'standard' }).bom;
      const spec = convertBom(standard, { profile: 'spec' });
      expect(spec.losses, file).toEqual([]);
      expect(convertBom(spec.bom, { profile: 'standard' }).bom, file).toEqual(standard);
    }
  });
});
