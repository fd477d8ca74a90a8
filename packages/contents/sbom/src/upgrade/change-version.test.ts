import { expect, test } from 'vitest';
import { readOfficialSchema } from '../../test/official-schemas.ts';
import type { Bom, SpecVersion } from '../document/bom.ts';
import { compileOfficialSchema } from '../schema/official-check.ts';
import { type AttributedVersion, changeVersion } from './change-version.ts';

const SCHEMAS = {
  '1.6': compileOfficialSchema(readOfficialSchema, '1.6'),
  '1.7': compileOfficialSchema(readOfficialSchema, '1.7'),
};
const bomOf = (specVersion: SpecVersion, more: object): Bom => ({
  bomFormat: 'CycloneDX',
  specVersion,
  version: 1,
  ...more,
});
const changed = (bom: Bom, to: AttributedVersion) => {
  const result = changeVersion(bom, to, SCHEMAS[to]);
  expect(SCHEMAS[to].isValid(result.bom)).toBe(true);
  return result;
};

test('an older document says in the members of today what it said, and loses nothing', () => {
  const old = bomOf('1.5', {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    metadata: {
      tools: [{ vendor: 'acme', name: 'maker', version: '1', hashes: [{ alg: 'MD5', content: 'a'.repeat(32) }] }],
      manufacture: { name: 'Acme' },
      component: { type: 'application', name: 'shop' },
    },
    components: [
      { type: 'library', name: 'x', author: 'Dana', evidence: { identity: { field: 'name', confidence: 1 } } },
    ],
  });
  const { bom, losses, notes } = changed(old, '1.7');
  expect(losses).toEqual([]);
  expect(notes).toHaveLength(5);
  expect(bom).toEqual({
    ...bomOf('1.7', {}),
    $schema: 'http://cyclonedx.org/schema/bom-1.7.schema.json',
    metadata: {
      tools: {
        components: [
          {
            type: 'application',
            publisher: 'acme',
            name: 'maker',
            version: '1',
            hashes: [{ alg: 'MD5', content: 'a'.repeat(32) }],
          },
        ],
      },
      component: { type: 'application', name: 'shop', manufacturer: { name: 'Acme' } },
    },
    components: [
      {
        type: 'library',
        name: 'x',
        authors: [{ name: 'Dana' }],
        evidence: { identity: [{ field: 'name', confidence: 1 }] },
      },
    ],
  });
});

test('what is there in the new place already is not written over', () => {
  const old = bomOf('1.6', {
    metadata: {
      manufacture: { name: 'Old' },
      component: { type: 'application', name: 'shop', manufacturer: { name: 'New' } },
      tools: [{ vendor: 'nameless' }],
    },
    components: [{ type: 'library', name: 'x', author: 'Dana', authors: [{ name: 'Eve' }] }],
  });
  expect(changed(old, '1.7').bom).toEqual({ ...old, specVersion: '1.7' });
});

test('licences that 1.4 and 1.7 mix stay apart in 1.6, expressions as names', () => {
  const licenses = [{ license: { id: 'MIT' } }, { expression: 'MIT OR ISC' }, { expression: 'Apache-2.0' }];
  const components = [{ type: 'library', name: 'x', version: '1', licenses }];
  expect(changed(bomOf('1.4', { components }), '1.7').losses).toEqual([]);
  const { bom, losses } = changed(bomOf('1.7', { components }), '1.6');
  expect(bom.components?.[0]?.licenses).toEqual([
    { license: { id: 'MIT' } },
    { license: { name: 'MIT OR ISC' } },
    { license: { id: 'Apache-2.0' } },
  ]);
  expect(losses).toMatchObject([{ path: '/components/0/licenses/1', what: 'MIT OR ISC' }]);
});

test('what 1.6 does not know is left out, and as little as will do', () => {
  const { bom, losses } = changed(
    bomOf('1.7', {
      citations: [{ timestamp: '2026-11-21T10:00:00Z', pointers: ['/version'], attributedTo: 'x' }],
      components: [
        {
          type: 'library',
          name: 'x',
          'bom-ref': 'x',
          isExternal: true,
          versionRange: 'vers:npm/>=1',
          externalReferences: [
            { type: 'patent', url: 'https://a.example' },
            { type: 'vcs', url: 'https://b.example', properties: [{ name: 'a', value: 'b' }] },
          ],
        },
      ],
    }),
    '1.6',
  );
  expect(bom.components).toEqual([
    { type: 'library', name: 'x', 'bom-ref': 'x', externalReferences: [{ type: 'vcs', url: 'https://b.example' }] },
  ]);
  expect(bom).not.toHaveProperty('citations');
  expect(new Set(losses.map(({ path }) => path))).toEqual(
    new Set([
      '/citations',
      '/components/0/isExternal',
      '/components/0/versionRange',
      '/components/0/externalReferences/0/type',
      '/components/0/externalReferences/1/properties',
      '/components/0/externalReferences/0',
    ]),
  );
});

test('members that 1.2 left open have no place later, and are named', () => {
  const old = bomOf('1.2', { components: [{ type: 'library', name: 'x', version: '1', house: { rules: 1 } }] });
  const { losses } = changed(old, '1.7');
  expect(losses).toMatchObject([{ path: '/components/0/house', what: '{"rules":1}' }]);
});
