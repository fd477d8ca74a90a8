import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Bom, Component } from '../document/bom.ts';
import { diffBoms } from './diff-boms.ts';

const library = (name: string, version?: string, more: object = {}): Component => ({
  type: 'library',
  name,
  ...(version && { version, purl: `pkg:npm/${name}@${version}`, 'bom-ref': `${name}@${version}` }),
  ...more,
});
const bomOf = (components: readonly Component[], more: object = {}): Bom => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.7',
  components,
  ...more,
});
const diff = (before: readonly Component[], after: readonly Component[]) => diffBoms(bomOf(before), bomOf(after));
const names = (list: ReadonlyArray<{ readonly component: string }>) => list.map(({ component }) => component);

test('a document says the same as itself', () => {
  const bom = bomOf([library('a', '1'), library('b')], { dependencies: [{ ref: 'a@1', dependsOn: ['b'] }] });
  expect(diffBoms(bom, bom)).toEqual({
    different: false,
    document_changes: [],
    added_components: [],
    removed_components: [],
    changed_components: [],
    unchanged_count: 2,
    added_dependencies: [],
    removed_dependencies: [],
  });
});

test('another version of a package is a change, not a loss and a gain', () => {
  const {
    added_components: added,
    removed_components: removed,
    changed_components: changed,
  } = diff([library('a', '1.0.0')], [library('a', '1.1.0')]);
  expect({ added, removed }).toEqual({ added: [], removed: [] });
  expect(changed).toEqual([
    {
      component: 'pkg:npm/a@1.1.0',
      changes: [
        { field: 'version', before: '1.0.0', after: '1.1.0' },
        { field: 'purl', before: 'pkg:npm/a@1.0.0', after: 'pkg:npm/a@1.1.0' },
      ],
    },
  ]);
});

test('of several versions of one package the same ones belong together', () => {
  const before = ['1.0.0', '2.0.0', '10.0.0'].map((version) => library('a', version));
  const after = ['2.0.0', '11.0.0', '1.0.1', '12.0.0'].map((version) => library('a', version));
  const {
    added_components: added,
    removed_components: removed,
    changed_components: changed,
    unchanged_count: unchanged,
  } = diff(before, after);
  expect(unchanged).toBe(1);
  expect(changed.map(({ changes }) => changes[0])).toEqual([
    { field: 'version', before: '1.0.0', after: '1.0.1' },
    { field: 'version', before: '10.0.0', after: '11.0.0' },
  ]);
  expect([names(added), removed]).toEqual([['pkg:npm/a@12.0.0'], []]);
});

test('without purl the group and name say what it is, and at last the bom-ref', () => {
  const before = [library('x', undefined, { group: 'g', version: '1' }), library('old', undefined, { 'bom-ref': 'r' })];
  const after = [library('x', undefined, { group: 'g', version: '2' }), library('new', undefined, { 'bom-ref': 'r' })];
  const { added_components: added, removed_components: removed, changed_components: changed } = diff(before, after);
  expect([added, removed]).toEqual([[], []]);
  expect(changed).toEqual([
    { component: 'g/x@2', changes: [{ field: 'version', before: '1', after: '2' }] },
    { component: 'new', changes: [{ field: 'name', before: 'old', after: 'new' }] },
  ]);
});

test('a purl that one of them leaves out makes no other component', () => {
  const bare = { type: 'library', name: 'a', version: '1' };
  for (const [before, after] of [
    [bare, library('a', '1')],
    [library('a', '1'), bare],
  ] as const) {
    const {
      added_components: added,
      removed_components: removed,
      changed_components: changed,
    } = diff([before], [after]);
    expect([added, removed, changed[0]?.changes.map(({ field }) => field)]).toEqual([[], [], ['purl']]);
  }
  expect(
    diff([library('a', '1')], [library('a', '1', { purl: 'pkg:pypi/a@1', 'bom-ref': 'x' })]).added_components,
  ).toHaveLength(1);
});

test('licences, hashes, supplier, scope and anything else are named', () => {
  const [change] = diff(
    [library('a', '1', { licenses: [{ license: { id: 'MIT' } }], hashes: [{ alg: 'MD5', content: '00' }] })],
    [
      library('a', '1', {
        licenses: [{ expression: 'MIT OR ISC' }],
        scope: 'optional',
        supplier: { name: 's' },
        author: 'x',
      }),
    ],
  ).changed_components;
  expect(change?.changes).toEqual([
    { field: 'scope', after: 'optional' },
    { field: 'supplier', after: '{"name":"s"}' },
    { field: 'licenses', before: 'MIT', after: 'MIT OR ISC' },
    { field: 'hashes', before: 'MD5:00' },
    { field: 'author', after: 'x' },
  ]);
});

test('what agents wrote is told, gained, lost and changed', () => {
  const marked = (agent: string) => ({ 'x-ai-generated': { agent } });
  const { changed_components: changed, added_components: added } = diff(
    [library('gain', '1'), library('lose', '1', marked('a')), library('other', '1', marked('a'))],
    [
      library('gain', '1', marked('a')),
      library('lose', '1'),
      library('other', '1', marked('b')),
      library('z', '1', marked('a')),
    ],
  );
  expect(changed.map(({ attribution }) => attribution)).toEqual([
    'now agent-authored',
    'no longer agent-authored',
    'changed',
  ]);
  expect(added).toEqual([{ component: 'pkg:npm/z@1', agent_authored: true }]);
});

test('order and refs make no difference', () => {
  const before = bomOf([library('a', '1', { 'bom-ref': 'r1' }), library('b', '1', { 'bom-ref': 'r2' })], {
    dependencies: [{ ref: 'r1', dependsOn: ['r2'] }],
  });
  const after = bomOf([library('b', '1', { 'bom-ref': 's2' }), library('a', '1', { 'bom-ref': 's1' })], {
    dependencies: [{ ref: 's2' }, { ref: 's1', dependsOn: ['s2'] }],
  });
  expect(diffBoms(before, after).different).toBe(false);
});

test('dependencies are those of components, whatever their version', () => {
  const edges = (...pairs: Array<[string, string]>) => pairs.map(([ref, to]) => ({ ref, dependsOn: [to] }));
  const artifact = (name: string) => ({ component: { type: 'application', name, 'bom-ref': name } });
  const before = bomOf([library('a', '1'), library('b', '1')], {
    metadata: artifact('app'),
    dependencies: edges(['app', 'a@1'], ['a@1', 'b@1']),
  });
  const after = bomOf([library('a', '2'), library('b', '1'), library('c', '1')], {
    metadata: artifact('app'),
    dependencies: edges(['app', 'a@2'], ['a@2', 'c@1']),
  });
  const { added_dependencies, removed_dependencies } = diffBoms(before, after);
  expect(added_dependencies).toEqual([{ from: 'pkg:npm/a@2', to: 'pkg:npm/c@1' }]);
  expect(removed_dependencies).toEqual([{ from: 'pkg:npm/a@2', to: 'pkg:npm/b@1' }]);
});

test('the document itself: what tells documents apart is shown and is no difference', () => {
  const of = (time: string, name: string): Bom =>
    bomOf([], {
      serialNumber: `urn:uuid:${time}`,
      version: 1,
      metadata: { timestamp: time, component: library(name) },
    });
  const same = diffBoms(of('1', 'a'), of('2', 'a'));
  expect(same.document_changes.map(({ field }) => field)).toEqual(['/serialNumber', '/metadata/timestamp']);
  expect(same.different).toBe(false);
  expect(diffBoms(of('1', 'a'), of('1', 'b'))).toMatchObject({
    different: true,
    document_changes: [{ field: '/metadata/component/name', before: 'a', after: 'b' }],
  });
});

test('a long text is shortened', () => {
  const [change] = diff([library('a', '1', { copyright: 'x'.repeat(1e6) })], [library('a', '1')]).changed_components;
  expect(change?.changes[0]?.before?.length).toBeLessThan(300);
});

const anyBom = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2', '3')), { selector: String })
  .map((list) => bomOf(list.map(([name, version]) => library(name, version))));

test('there and back: what one way adds the other removes, and nothing is counted twice', () => {
  fc.assert(
    fc.property(anyBom, anyBom, (a, b) => {
      const there = diffBoms(a, b);
      const back = diffBoms(b, a);
      expect([there.added_components.length, there.removed_components.length]).toEqual([
        back.removed_components.length,
        back.added_components.length,
      ]);
      expect(there.changed_components.length).toBe(back.changed_components.length);
      expect(there.unchanged_count + there.changed_components.length + there.removed_components.length).toBe(
        a.components?.length,
      );
      expect(there.unchanged_count + there.changed_components.length + there.added_components.length).toBe(
        b.components?.length,
      );
    }),
  );
});

test('documents that break their schema are compared as far as they can be read', () => {
  const member = fc.constantFrom(
    'type',
    'name',
    'version',
    'purl',
    'bom-ref',
    'licenses',
    'hashes',
    'supplier',
    'components',
  );
  const component = fc.oneof(fc.jsonValue(), fc.dictionary(member, fc.jsonValue()));
  const document = fc.record(
    {
      metadata: fc.oneof(fc.jsonValue(), fc.record({ component })),
      components: fc.oneof(fc.jsonValue(), fc.array(component)),
      dependencies: fc.oneof(fc.jsonValue(), fc.array(fc.record({ ref: fc.jsonValue(), dependsOn: fc.jsonValue() }))),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(document, document, (a, b) => {
      const [left, right] = [a, b].map(
        (more) => ({ bomFormat: 'CycloneDX', specVersion: '1.7', ...more }) as unknown as Bom,
      );
      expect(diffBoms(left!, left!).different).toBe(false);
      diffBoms(left!, right!);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['pkg:github/a/b@main/x', 'pkg:github/a/b@main/y'],
  ['PKG:npm/a@1.0.0', 'pkg:npm/a@1.0.1'],
  ['pkg:npm/%40scope/a@1.0.0?vcs_url=git@github.com:a/b', 'pkg:npm/%40scope/a@1.0.1'],
])('%s and %s are one package in two versions', (before, after) => {
  const of = (purl: string): Component => ({ type: 'library', name: 'a', version: purl.replace(/^[^?]*@/, ''), purl });
  const found = diff([of(before)], [of(after)]);
  expect([found.added_components, found.removed_components]).toEqual([[], []]);
  expect(found.changed_components).toHaveLength(1);
});
