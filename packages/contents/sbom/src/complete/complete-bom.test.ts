import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bom, Component, SpecVersion } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';
import { formatBom } from './bom-text.ts';
import { type Completion, completeBom } from './complete-bom.ts';

const SERIAL = 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79';
const COMPLETION: Completion = {
  serialNumber: SERIAL,
  timestamp: '2026-11-21T10:00:00Z',
  tools: [{ name: 'colophon', version: '0.1.0' }],
};
const bomOf = (more: object): Bom => ({ bomFormat: 'CycloneDX', specVersion: '1.7', ...more });
const complete = (more: object, completion: Partial<Completion> = {}) =>
  completeBom(bomOf(more), { ...COMPLETION, ...completion });
const library = (name: string, more: object = {}): Component => ({ type: 'library', name, ...more });

test('a bare document gets everything that the contract asks for (§2.5)', () => {
  const { bom } = complete(
    { components: [library('a', { version: '1', purl: 'pkg:npm/a@1' })] },
    {
      component: {
        type: 'application',
        name: 'app',
        version: '2',
        supplier: { name: 'ACME', url: ['https://acme.example'] },
      },
    },
  );
  expect(bom).toEqual({
    $schema: 'http://cyclonedx.org/schema/bom-1.7.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    serialNumber: SERIAL,
    version: 1,
    metadata: {
      timestamp: '2026-11-21T10:00:00Z',
      lifecycles: [{ phase: 'build' }],
      tools: {
        components: [{ type: 'application', 'bom-ref': 'tool:colophon@0.1.0', name: 'colophon', version: '0.1.0' }],
      },
      component: {
        type: 'application',
        'bom-ref': 'app@2',
        supplier: { name: 'ACME', url: ['https://acme.example'] },
        name: 'app',
        version: '2',
      },
    },
    components: [{ type: 'library', 'bom-ref': 'pkg:npm/a@1', name: 'a', version: '1', purl: 'pkg:npm/a@1' }],
    dependencies: [],
    compositions: [{ aggregate: 'unknown', dependencies: ['app@2', 'pkg:npm/a@1'] }],
  });
  expect(Object.keys(bom.metadata?.component ?? {})).toEqual(['type', 'bom-ref', 'supplier', 'name', 'version']);
});

test('what nobody said is in the notes, and not in the document', () => {
  const { bom, notes } = complete({});
  expect(notes.map(({ code }) => code)).toEqual([
    'completion.no_supplier',
    'completion.no_version',
    'completion.refs_made',
    'completion.dependencies_unknown',
  ]);
  expect(bom.metadata?.component).toEqual({ type: 'application', 'bom-ref': 'unknown', name: 'unknown' });
});

test('serial number, version and time are of this build, whatever the generator wrote', () => {
  const { bom } = complete({ serialNumber: 'urn:uuid:old', version: 7, metadata: { timestamp: 'old' } });
  expect([bom.serialNumber, bom.version, bom.metadata?.timestamp]).toEqual([SERIAL, 1, '2026-11-21T10:00:00Z']);
});

test('the lifecycle is the given one, else that of the generator, else build', () => {
  const lifecycles = [{ phase: 'operations' }];
  expect(complete({ metadata: { lifecycles } }).bom.metadata?.lifecycles).toEqual(lifecycles);
  expect(complete({ metadata: { lifecycles } }, { lifecycle: 'design' }).bom.metadata?.lifecycles).toEqual([
    { phase: 'design' },
  ]);
  expect(complete({ metadata: { lifecycles: [] } }).bom.metadata?.lifecycles).toEqual([{ phase: 'build' }]);
});

describe('tools', () => {
  const toolsOf = (tools: unknown, more: Partial<Completion> = {}) =>
    (complete({ metadata: { tools } }, more).bom.metadata!.tools as { components: Component[] }).components.map(
      ({ name, version, 'bom-ref': ref }) => [name, version, ref],
    );

  test('of the old shape become components', () => {
    expect(toolsOf([{ vendor: 'acme', name: 'scan', version: '1' }])).toEqual([
      ['colophon', '0.1.0', 'tool:colophon@0.1.0'],
      ['scan', '1', 'tool:scan@1'],
    ]);
  });

  test('are not named twice, and each has a ref of its own', () => {
    const components = [library('scan', { version: '1' }), library('scan', { version: '1' })];
    expect(toolsOf({ components }, { tools: [{ name: 'scan', version: '1' }] })).toEqual([
      ['scan', '1', 'tool:scan@1'],
      ['scan', '1', 'tool:scan@1#2'],
    ]);
  });
});

describe('the documented artifact', () => {
  const known = {
    type: 'file',
    name: '.',
    'bom-ref': 'abc',
    purl: 'pkg:generic/x',
    cpe: 'cpe:2.3:x',
    description: 'd',
  };

  test('keeps its ref, and loses the names of another artifact', () => {
    const { component } = complete({ metadata: { component: known } }, { component: { name: 'app' } }).bom.metadata!;
    expect(component).toEqual({ type: 'file', 'bom-ref': 'abc', name: 'app', description: 'd' });
  });

  test('keeps its names where they are confirmed', () => {
    const scoped = { type: 'application', group: '@acme', name: 'app', version: '1', purl: 'pkg:npm/%40acme/app@1' };
    const given = { group: '@acme', name: 'app', version: '1', supplier: { name: 'ACME' } };
    const { component } = complete({ metadata: { component: scoped } }, { component: given }).bom.metadata!;
    expect(component).toMatchObject({ ...scoped, supplier: { name: 'ACME' } });
  });

  test('of another version has another purl, or none', () => {
    const scoped = { type: 'application', group: '@acme', name: 'app', version: '1', purl: 'pkg:npm/%40acme/app@1' };
    const { component } = complete({ metadata: { component: scoped } }, { component: { version: '2' } }).bom.metadata!;
    expect(component).toMatchObject({ group: '@acme', name: 'app', version: '2' });
    expect(component).not.toHaveProperty('purl');
  });
});

describe('bom-refs', () => {
  test('are made of purl, else of names, and never given twice', () => {
    const { bom, notes } = complete({
      components: [
        library('a', { purl: 'pkg:npm/a@1' }),
        library('a', { purl: 'pkg:npm/a@1' }),
        library('b', { group: 'g', version: '1', components: [library('c', { 'bom-ref': 'same' })] }),
        library('d', { 'bom-ref': 'same' }),
        library('e', { 'bom-ref': 'g/b@1' }),
      ],
    });
    const refs = [...walkComponents(bom)].map(({ component }) => `${component.name} ${component['bom-ref']}`).sort();
    expect(refs).toEqual([
      'a pkg:npm/a@1',
      'a pkg:npm/a@1#2',
      'b g/b@1#2',
      'c same',
      'd same#2',
      'e g/b@1',
      'unknown unknown',
    ]);
    expect(notes.map(({ code }) => code)).toContain('completion.refs_made');
  });
});

describe('dependencies', () => {
  const components = ['a', 'b', 'c'].map((name) => library(name, { 'bom-ref': name }));
  const metadata = { component: { type: 'application', name: 'app', 'bom-ref': 'app' } };

  test('are merged, and what leads nowhere is dropped and noted', () => {
    const { bom, notes } = complete({
      metadata,
      components,
      dependencies: [
        { ref: 'app', dependsOn: ['a', 'a', 'gone'] },
        { ref: 'a', dependsOn: ['b'] },
        { ref: 'a', dependsOn: ['c'] },
        { ref: 'gone', dependsOn: ['a'] },
      ],
    });
    expect(bom.dependencies).toEqual([
      { ref: 'a', dependsOn: ['b', 'c'] },
      { ref: 'app', dependsOn: ['a'] },
    ]);
    expect(notes.find(({ code }) => code === 'completion.refs_dropped')?.message).toMatch(/: 2$/);
    expect(bom['compositions']).toEqual([
      { aggregate: 'incomplete', dependencies: ['app'] },
      { aggregate: 'unknown', dependencies: ['b', 'c'] },
    ]);
  });

  test('that nobody says are left out of the graph, the artifact too, and a composition says so', () => {
    const { bom, notes } = complete({ metadata, components, dependencies: [{ ref: 'a', dependsOn: ['b'] }] });
    expect(bom.dependencies).toEqual([{ ref: 'a', dependsOn: ['b'] }]);
    expect(bom['compositions']).toEqual([{ aggregate: 'unknown', dependencies: ['app', 'b', 'c'] }]);
    const note = notes.find(({ code }) => code === 'completion.dependencies_unknown');
    expect(note?.message).toMatch(/the artifact itself and 2 components$/);
  });

  test('that are stated to be none stay so, in both ways of saying it', () => {
    const stated = [{ ref: 'a' }, { ref: 'app', dependsOn: [] }, { ref: 'b', dependsOn: [] }, { ref: 'c' }];
    const { bom, notes } = complete({ metadata, components, dependencies: stated });
    expect([bom.dependencies, bom['compositions']]).toEqual([stated, undefined]);
    expect(notes.map(({ code }) => code)).not.toContain('completion.dependencies_unknown');
  });

  test('that all led nowhere are not none', () => {
    const dependencies = ['app', 'b', 'c'].map((ref) => ({ ref }));
    const { bom } = complete({
      metadata,
      components,
      dependencies: [...dependencies, { ref: 'a', dependsOn: ['gone'] }],
    });
    expect(bom.dependencies?.map(({ ref }) => ref)).toEqual(['app', 'b', 'c']);
    expect(bom['compositions']).toEqual([{ aggregate: 'incomplete', dependencies: ['a'] }]);
  });

  test('of which the document says how many are known are left as it says them', () => {
    const compositions = [
      { aggregate: 'unknown', dependencies: ['b'], 'bom-ref': 'x' },
      { aggregate: 'incomplete', assemblies: ['app'], dependencies: ['a'] },
    ];
    const { bom } = complete({ metadata, components, compositions, dependencies: [{ ref: 'app', dependsOn: ['a'] }] });
    expect(bom['compositions']).toEqual([
      { aggregate: 'incomplete', assemblies: ['app'], dependencies: ['a'] },
      { aggregate: 'unknown', dependencies: ['b'], 'bom-ref': 'x' },
      { aggregate: 'unknown', dependencies: ['c'] },
    ]);
  });

  test('on services stay', () => {
    const services = [{ name: 's', 'bom-ref': 's', services: [{ name: 't', 'bom-ref': 't' }] }];
    const { bom } = complete({ metadata, components, services, dependencies: [{ ref: 'app', dependsOn: ['s', 't'] }] });
    expect(bom.dependencies?.find(({ ref }) => ref === 'app')?.dependsOn).toEqual(['s', 't']);
  });
});

test('a signature inside does not survive', () => {
  const { bom, notes } = complete({ signature: { value: 'x' } });
  expect(bom).not.toHaveProperty('signature');
  expect(notes.map(({ code }) => code)).toContain('completion.signature_dropped');
});

test('a version that has no lifecycles is the mistake of the caller', () => {
  expect(() => complete({ specVersion: '1.4' satisfies SpecVersion })).toThrow(TypeError);
});

const anyComponent = fc.record(
  {
    type: fc.constant('library'),
    name: fc.constantFrom('a', 'b', 'Ä', 'ı'),
    'bom-ref': fc.constantFrom('r1', 'r2', 'r3'),
    purl: fc.constantFrom('pkg:npm/a@1', 'pkg:npm/b@1'),
    version: fc.constantFrom('1', '2'),
    hashes: fc.uniqueArray(fc.record({ alg: fc.constantFrom('MD5', 'SHA-1'), content: fc.constant('00') }), {
      selector: ({ alg }) => alg,
    }),
  },
  { requiredKeys: ['type', 'name'] },
);

test('the same content gives the same bytes, in whatever order it came, and completing it again changes nothing', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyComponent, { maxLength: 8, selector: (component) => JSON.stringify(component) }),
      fc.array(
        fc.record({
          ref: fc.constantFrom('r1', 'r2', 'x'),
          dependsOn: fc.uniqueArray(fc.constantFrom('r1', 'r2', 'r3')),
        }),
      ),
      (components, dependencies) => {
        const first = complete({ components, dependencies }).bom;
        expect(formatBom(completeBom(first, COMPLETION).bom)).toBe(formatBom(first));
        const refs = [...walkComponents(first)].map(({ component }) => component['bom-ref']);
        expect(new Set(refs).size).toBe(refs.length);
        const compositions = (first['compositions'] ?? []) as Array<{ dependencies: string[] }>;
        const unsaid = compositions.flatMap((composition) => composition.dependencies);
        const said = (first.dependencies ?? []).map(({ ref }) => ref);
        expect(refs.filter((ref) => !said.includes(ref!) && !unsaid.includes(ref!))).toEqual([]);
        expect(formatBom(complete({ components, dependencies: [...dependencies].reverse() }).bom)).toBe(
          formatBom(first),
        );
      },
    ),
  );
});
