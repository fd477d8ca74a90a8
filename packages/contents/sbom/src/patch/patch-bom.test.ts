import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bom } from '../document/bom.ts';
import type { Edit } from './apply-operation.ts';
import { parsePatch } from './operation.ts';
import { type Changes, patchBom } from './patch-bom.ts';

const SOURCE = {
  serialNumber: 'urn:uuid:00000000-0000-8000-8000-000000000000',
  timestamp: '2026-11-21T10:00:00Z',
  tool: { name: 'colophon', version: '0.1.0' },
};
const BOM: Bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.7',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 4,
  metadata: { timestamp: '2026-01-01T00:00:00Z', component: { type: 'application', name: 'app', 'bom-ref': 'app' } },
  components: [
    { type: 'library', name: 'a', 'bom-ref': 'a', purl: 'pkg:npm/a@1', properties: [{ name: 'x', value: '1' }] },
    { type: 'library', name: 'b', 'bom-ref': 'b', components: [{ type: 'library', name: 'c', 'bom-ref': 'c' }] },
    { type: 'library', name: 'a', 'bom-ref': 'a2', purl: 'pkg:npm/a@1' },
  ],
};
const before = JSON.stringify(BOM);

function patch(changes: Changes, bom = BOM) {
  const patched = patchBom(bom, changes, SOURCE);
  expect(JSON.stringify(BOM)).toBe(before);
  return patched;
}
function patched(changes: Changes, bom = BOM) {
  const result = patch(changes, bom);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}
const edit = (...edits: Edit[]) => patched({ edits }).bom;
const codes = (changes: Changes, bom = BOM) => {
  const result = patch(changes, bom);
  return result.ok ? [] : result.issues.map(({ code }) => code);
};

test('a patched document is the next version under the same serial number, of now, by this tool too', () => {
  const bom = edit({ op: 'set', path: '/metadata/component/version', value: '2' });
  expect(bom).toMatchObject({ serialNumber: BOM.serialNumber, version: 5 });
  expect(bom.metadata).toMatchObject({
    timestamp: '2026-11-21T10:00:00Z',
    tools: {
      components: [{ type: 'application', 'bom-ref': 'tool:colophon@0.1.0', name: 'colophon', version: '0.1.0' }],
    },
    component: { version: '2' },
  });
});

test.each<[string, Edit[]]>([
  ['a value that is there', [{ op: 'set', path: '/metadata/component/name', value: 'app' }]],
  ['a test', [{ op: 'test', path: '/version', value: 4 }]],
  [
    'there and back',
    [
      { op: 'add', path: '/metadata/component/version', value: '1' },
      { op: 'remove', path: '/metadata/component/version' },
    ],
  ],
])('what changes nothing leaves the document as it is: %s', (_name, edits) => {
  expect(patched({ edits })).toMatchObject({ isChanged: false, bom: BOM });
});

test('a document without serial number gets one, and without version it was the first', () => {
  const { serialNumber: _s, version: _v, ...nameless } = BOM;
  const result = patched({ edits: [{ op: 'set', path: '/metadata/component/version', value: '2' }] }, nameless as Bom);
  expect(result).toMatchObject({ serialNumberAdded: true, bom: { serialNumber: SOURCE.serialNumber, version: 2 } });
});

test('tools of versions before 1.5 are written as those have them', () => {
  const old = { ...BOM, specVersion: '1.4', metadata: { ...BOM.metadata, tools: [{ vendor: 'v', name: 't' }] } } as Bom;
  const { bom } = patched({ edits: [{ op: 'set', path: '/metadata/component/version', value: '2' }] }, old);
  expect(bom.metadata?.tools).toEqual([
    { vendor: 'v', name: 't' },
    { name: 'colophon', version: '0.1.0' },
  ]);
});

test('a signature inside the document is left out, and said so', () => {
  const signed = { ...BOM, signature: { value: 'x' } };
  const result = patched({ edits: [{ op: 'remove', path: '/components/0' }] }, signed);
  expect(result.signatureDropped).toBe(true);
  expect(result.bom).not.toHaveProperty('signature');
});

describe('edits', () => {
  test('make the objects on the way, and add to lists', () => {
    const bom = edit(
      { op: 'set', path: '/metadata/supplier/name', value: 'ACME' },
      { op: 'set', path: '/components/0/properties/-', value: { name: 'y', value: '2' } },
      { op: 'set', path: '/components/0/properties/0/value', value: '3' },
      { op: 'set', path: '/metadata/properties/-', value: { name: 'z', value: '4' } },
    );
    expect(bom.metadata?.supplier).toEqual({ name: 'ACME' });
    expect(bom.metadata?.properties).toEqual([{ name: 'z', value: '4' }]);
    expect(bom.components?.[0]?.properties).toEqual([
      { name: 'x', value: '3' },
      { name: 'y', value: '2' },
    ]);
  });

  test('are those of RFC 6902', () => {
    const bom = edit(
      { op: 'add', path: '/components/1', value: { type: 'library', name: 'n' } },
      { op: 'remove', path: '/components/0' },
      { op: 'copy', from: '/components/0', path: '/components/-' },
      { op: 'replace', path: '/components/0/name', value: 'm' },
      { op: 'move', from: '/components/0/name', path: '/components/0/version' },
    );
    expect(bom.components?.map(({ name, version }) => [name, version])).toEqual([
      [undefined, 'm'],
      ['b', undefined],
      ['a', undefined],
      ['n', undefined],
    ]);
  });

  test('a value that stands in two places does not change in both', () => {
    const value = { name: 'z', value: '1' };
    const bom = edit(
      { op: 'add', path: '/components/0/properties/-', value },
      { op: 'add', path: '/components/0/properties/-', value },
      { op: 'replace', path: '/components/0/properties/1/value', value: '2' },
    );
    expect(bom.components?.[0]?.properties?.map((property) => property.value)).toEqual(['1', '2', '1']);
  });

  test.each<[string, Edit]>([
    ['', { op: 'replace', path: '', value: {} }],
    ['/version', { op: 'set', path: '/version', value: 9 }],
    ['/serialNumber', { op: 'remove', path: '/serialNumber' }],
    ['/specVersion', { op: 'replace', path: '/specVersion', value: '1.6' }],
    ['/bomFormat', { op: 'add', path: '/bomFormat', value: 'x' }],
    ['/metadata/timestamp', { op: 'set', path: '/metadata/timestamp', value: 'x' }],
    ['/metadata', { op: 'remove', path: '/metadata' }],
    ['/version by move', { op: 'move', from: '/version', path: '/components/0/version' }],
    ['/version by copy', { op: 'copy', from: '/components/0/name', path: '/version' }],
  ])('%s is not for a patch to change', (_name, operation) => {
    expect(codes({ edits: [operation] })).toEqual(['patch.protected']);
  });

  test('a value may be copied from what is protected', () => {
    expect(edit({ op: 'copy', from: '/serialNumber', path: '/metadata/component/description' })).toMatchObject({
      metadata: { component: { description: BOM.serialNumber } },
    });
  });

  test.each([
    '/__proto__/x',
    '/metadata/__proto__/polluted',
    '/components/0/constructor/prototype/x',
    'metadata',
    '/a~2',
  ])('%s is no place', (path) => {
    expect(codes({ edits: [{ op: 'set', path, value: 'x' }] })).toEqual(['patch.operation_invalid']);
    expect(codes({ edits: [{ op: 'copy', from: path, path: '/metadata/component/x' }] })).toEqual([
      'patch.operation_invalid',
    ]);
    expect({}).not.toHaveProperty('polluted');
  });

  test.each<Edit>([
    { op: 'remove', path: '/nothing' },
    { op: 'remove', path: '/toString' },
    { op: 'replace', path: '/components/3', value: {} },
    { op: 'add', path: '/components/4', value: {} },
    { op: 'add', path: '/components/x', value: {} },
    { op: 'add', path: '/components/01', value: {} },
    { op: 'add', path: '/nothing/x', value: {} },
    { op: 'add', path: '/components/0/name/x', value: {} },
    { op: 'copy', from: '/nothing', path: '/x' },
    { op: 'set', path: '/components/9', value: {} },
    { op: 'set', path: '/components/0/name/x', value: {} },
    { op: 'test', path: '/nothing', value: 1 },
  ])('$op $path: nothing is there', (operation) => {
    expect(codes({ edits: [operation] })).toEqual(['patch.place_missing']);
  });

  test('a test that does not hold refuses all', () => {
    const edits: Edit[] = [
      { op: 'remove', path: '/components/0' },
      { op: 'test', path: '/components/0/name', value: 'a' },
    ];
    expect(codes({ edits })).toEqual(['patch.test_failed']);
  });

  test('a test compares values, whatever their order, length and names', () => {
    const holds = (value: unknown) => codes({ edits: [{ op: 'test', path: '/components/0', value }] });
    const [component] = BOM.components as [object];
    expect(holds(Object.fromEntries(Object.entries(component).reverse()))).toEqual([]);
    expect(holds({ ...component, toString: 0 })).toEqual(['patch.test_failed']);
    expect(holds(Array.from({ length: 50_000 }, String))).toEqual(['patch.test_failed']);
  });
});

describe('components', () => {
  test('are changed by bom-ref, nested ones too', () => {
    const change = {
      license: 'mit',
      supplierName: 'ACME',
      supplierUrl: ['https://acme.example'],
      scope: 'optional',
      properties: [{ name: 'y', value: '2' }],
    };
    const result = patched({ components: [{ component: 'c', change }] });
    expect(result.components).toBe(1);
    expect(result.bom.components?.[1]?.components?.[0]).toEqual({
      type: 'library',
      name: 'c',
      'bom-ref': 'c',
      supplier: { name: 'ACME', url: ['https://acme.example'] },
      scope: 'optional',
      licenses: [{ license: { id: 'MIT', acknowledgement: 'concluded' } }],
      properties: [{ name: 'y', value: '2' }],
    });
  });

  test('are changed by purl, all that have it', () => {
    const change = { properties: [{ name: 'x', value: '9' }] };
    const { bom, components } = patched({ components: [{ component: 'pkg:npm/a@1', change }] });
    expect(components).toBe(2);
    expect(bom.components?.map(({ properties }) => properties)).toEqual([
      [{ name: 'x', value: '9' }],
      undefined,
      [{ name: 'x', value: '9' }],
    ]);
  });

  test.each([
    ['Apache-2.0', { license: { id: 'Apache-2.0', acknowledgement: 'concluded' } }],
    ['MIT OR Apache-2.0', { expression: 'MIT OR Apache-2.0', acknowledgement: 'concluded' }],
    ['LicenseRef-acme', { expression: 'LicenseRef-acme', acknowledgement: 'concluded' }],
    ['Acme House Licence', { license: { name: 'Acme House Licence', acknowledgement: 'concluded' } }],
  ])('the licence %s', (license, written) => {
    const { bom } = patched({ components: [{ component: 'a', change: { license } }] });
    expect(bom.components?.[0]?.licenses).toEqual([written]);
  });

  test('one that is not there refuses all', () => {
    const components = [
      { component: 'a', change: { scope: 'optional' } },
      { component: 'nobody', change: { scope: 'optional' } },
    ];
    expect(codes({ components })).toEqual(['patch.component_unknown']);
  });

  test('the name of a package alone leads to what it is called here', () => {
    const result = patch({ components: [{ component: 'npm/a', change: { scope: 'optional' } }] });
    expect(!result.ok && result.issues[0]?.expected).toBe('perhaps pkg:npm/a@1');
  });
});

test.each([
  [{}],
  [[1]],
  [[{ op: 'destroy', path: '/x' }]],
  [[{ op: 'add', path: 'x', value: 1 }]],
  [[{ op: 'add', path: '/x' }]],
  [[{ op: 'move', path: '/x' }]],
])('%j is no JSON Patch', (document) => {
  const parsed = parsePatch(document);
  expect(parsed.ok ? [] : parsed.issues.map(({ code }) => code)).toEqual(['patch.operation_invalid']);
});

test('whatever is asked of whatever document, it is patched or refused', () => {
  const path = fc
    .array(fc.constantFrom('metadata', 'components', 'component', 'tools', '0', '1', '-', '', '__proto__', 'x'), {
      maxLength: 4,
    })
    .map((tokens) => tokens.map((token) => `/${token}`).join(''));
  const operation = fc.record({
    op: fc.constantFrom('add', 'replace', 'test', 'remove', 'move', 'copy', 'set'),
    path,
    from: path,
    value: fc.jsonValue(),
  });
  const document = fc.record(
    {
      metadata: fc.oneof(fc.jsonValue(), fc.record({ tools: fc.jsonValue(), component: fc.jsonValue() })),
      components: fc.jsonValue(),
      signature: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      document,
      fc.array(operation, { maxLength: 4 }),
      fc.constantFrom('1.4', '1.7'),
      (odd, edits, specVersion) => {
        const bom = { bomFormat: 'CycloneDX', specVersion, version: 1, ...odd } as unknown as Bom;
        const result = patchBom(bom, { edits: edits as Edit[], components: [{ component: 'a', change: {} }] }, SOURCE);
        expect(typeof result.ok).toBe('boolean');
        patchBom(bom, { edits: edits as Edit[] }, SOURCE);
        expect({}).not.toHaveProperty('x');
      },
    ),
    { numRuns: 1000 },
  );
});
