import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  attributeBom,
  type Bom,
  compileOfficialSchema,
  convertBom,
  parseBom,
  type RunEvidence,
  walkComponents,
} from '../src/index.ts';
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

function evidence(files: readonly string[]): RunEvidence {
  return {
    run: {
      agent: { name: 'code-writer', version: '1' },
      model: { id: 'model-1', provider: 'acme' },
      input: { prompt_hash: `sha256:${'5'.repeat(64)}` },
      policy: { pack_hash: `sha256:${'c'.repeat(64)}` },
      git: { commit_sha: 'a'.repeat(40), files_changed: [...files] },
    },
    identity: { issuer: 'https://issuer.example', subject: 'agent:code-writer', claims: {}, sources: {} },
    loggedAt: '2026-11-21T10:00:00Z',
    bundle: `sha256:${'b'.repeat(64)}`,
    url: 'run.sigstore.json',
  };
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

  test('that are attributed are valid, and the same evidence changes them once', () => {
    const schemas = {
      '1.6': compileOfficialSchema(readOfficialSchema, '1.6'),
      '1.7': compileOfficialSchema(readOfficialSchema, '1.7'),
    };
    for (const [file, bom] of documents()) {
      const isOld = bom.specVersion < '1.6';
      const schema = isOld ? schemas['1.7'] : schemas[bom.specVersion as '1.6'];
      if (!isOld && !schema.isValid(bom)) continue;
      const names = [...walkComponents(bom)].filter(({ component }) => component.type === 'file');
      const run = evidence(['src/new.ts', ...names.map(({ component }) => component.name)]);
      const options = {
        profile: 'standard',
        addFiles: new Map([['src/new.ts', 'e'.repeat(64)]]),
        root: '/',
        ...(isOld && { version: { specVersion: '1.7' as const, schema } }),
      } as const;
      const once = attributeBom(bom, [run], options);
      expect(once.supported.length, file).toBeGreaterThan(0);
      if (!schema.isValid(once.bom)) expect.fail(`${file}: ${JSON.stringify(schema.explain(once.bom, 3))}`);
      expect(attributeBom(once.bom, [run], options).changed, file).toBe(false);
    }
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
