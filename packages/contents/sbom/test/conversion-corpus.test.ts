import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
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

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data');
const FOLDERS = ['cdx-conformance', 'sbom', 'sbom-small'].map((name) => join(DATA, name)).filter(existsSync);

/** Each document with its name; a test for each, so that what one of them takes does not grow with their number. */
const DOCUMENTS = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => [name, join(folder, name)] as const),
);

function read(path: string): Bom | undefined {
  const parsed = parseBom(readFileSync(path));
  return parsed.ok ? parsed.value : undefined;
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
  let schemas: Readonly<Record<'1.6' | '1.7', ReturnType<typeof compileOfficialSchema>>>;
  beforeAll(() => {
    schemas = {
      '1.6': compileOfficialSchema(readOfficialSchema, '1.6'),
      '1.7': compileOfficialSchema(readOfficialSchema, '1.7'),
    };
  });

  test('are many', () => {
    expect(DOCUMENTS.length).toBeGreaterThan(200);
  });

  describe.each(['1.6', '1.7'] as const)('become valid documents of %s', (specVersion) => {
    test.each(DOCUMENTS)('%s', (_name, path) => {
      const bom = read(path);
      if (bom === undefined || bom.specVersion === specVersion) return;
      const schema = schemas[specVersion];
      const converted = convertBom(bom, { profile: 'standard', version: { specVersion, schema } });
      if (!schema.isValid(converted.bom)) expect.fail(JSON.stringify(schema.explain(converted.bom, 3)));
    });
  });

  describe('that are attributed are valid, and the same evidence changes them once', () => {
    test.each(DOCUMENTS)('%s', (_name, path) => {
      const bom = read(path);
      if (bom === undefined) return;
      const isOld = bom.specVersion < '1.6';
      const schema = isOld ? schemas['1.7'] : schemas[bom.specVersion as '1.6'];
      if (!isOld && !schema.isValid(bom)) return;
      const names = [...walkComponents(bom)].filter(({ component }) => component.type === 'file');
      const run = evidence(['src/new.ts', ...names.map(({ component }) => component.name)]);
      const options = {
        profile: 'standard',
        addFiles: new Map([['src/new.ts', 'e'.repeat(64)]]),
        root: '/',
        ...(isOld && { version: { specVersion: '1.7' as const, schema } }),
      } as const;
      const once = attributeBom(bom, [run], options);
      expect(once.supported.length).toBeGreaterThan(0);
      if (!schema.isValid(once.bom)) expect.fail(JSON.stringify(schema.explain(once.bom, 3)));
      expect(attributeBom(once.bom, [run], options).changed).toBe(false);
    });
  });

  describe('come back from the contract’s profile as they were', () => {
    test.each(DOCUMENTS)('%s', (_name, path) => {
      const bom = read(path);
      if (bom === undefined) return;
      const standard = convertBom(bom, { profile: 'standard' }).bom;
      const spec = convertBom(standard, { profile: 'spec' });
      expect(spec.losses).toEqual([]);
      expect(convertBom(spec.bom, { profile: 'standard' }).bom).toEqual(standard);
    });
  });
});
