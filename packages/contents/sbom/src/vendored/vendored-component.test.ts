import { parseLicenceList } from '@colophon/licences';
import { expect, test } from 'vitest';
import { readAttribution } from '../attribution/read-attribution.ts';
import { vendoredFindings } from '../check/vendored-check.ts';
import type { Bom, Component } from '../document/bom.ts';
import { decideLicences } from '../licence-gate/decide-licences.ts';
import { patchBom } from '../patch/patch-bom.ts';
import { parseSourcePurl, type SourcePurl } from './source-purl.ts';
import { type Vendored, vendoredComponent } from './vendored-component.ts';
import { vendoredEdits } from './vendored-edits.ts';

function purl(text: string): SourcePurl {
  const parsed = parseSourcePurl(text);
  return parsed.ok ? parsed.value : expect.fail(text);
}
const named = [{ license: { id: 'GPL-3.0-only', acknowledgement: 'declared' } }];
const VENDORED: Vendored = {
  path: 'src/pad.js',
  files: ['src/pad.js'],
  hashes: [{ alg: 'SHA-256', content: 'ab'.repeat(32) }],
  source: purl('pkg:npm/%40acme/left-pad@1.3.0'),
  licence: { licenses: named, named, shown: 'GPL-3.0-only', notes: [] },
  similarity: { score: 0.8999, evidence: 'src/pad.js is like index.js' },
  agent: { agent: 'coder', model: 'm-1' },
};
const property = (component: Component, name: string) => component.properties?.find((one) => one.name === name)?.value;

test('it has every convention of the contract, in either profile', () => {
  for (const profile of ['standard', 'spec'] as const) {
    const component = vendoredComponent(VENDORED, { profile });
    expect([...vendoredFindings(component, '', 'vendor', '1.7')]).toEqual([]);
    expect(component).toMatchObject({
      type: 'library',
      'bom-ref': 'vendored:src/pad.js',
      name: '@acme/left-pad-vendored',
      version: '0.0.0-vendored',
      scope: 'required',
      licenses: named,
      evidence: {
        identity: [
          {
            confidence: 0.89,
            methods: [{ technique: profile === 'spec' ? 'ast-similarity' : 'ast-fingerprint', confidence: 0.89 }],
          },
        ],
      },
    });
    expect(component.purl).toBeUndefined();
  }
});

test('variant B says who made it from what, and that somebody declares it', () => {
  const component = vendoredComponent(VENDORED, { profile: 'standard' });
  expect(readAttribution(component)).toEqual({
    authored_by: 'autonomous_agent',
    agent: 'coder',
    model: 'm-1',
    source_package: '@acme/left-pad@1.3.0',
    source_similarity: '0.89',
    vendoring_method: 'inline-rewrite',
    basis: 'declared',
  });
  const renamed = vendoredComponent(VENDORED, { profile: 'standard', namespace: 'acme' });
  expect(property(renamed, 'acme:source-package')).toBe('@acme/left-pad@1.3.0');
});

test('what a person made names no agent', () => {
  const { agent: _, ...byPerson } = VENDORED;
  const component = vendoredComponent({ ...byPerson, name: 'pad-utility' }, { profile: 'standard' });
  expect(readAttribution(component)).toBeUndefined();
  expect(component.name).toBe('pad-utility');
  expect(property(component, 'vendor:source-package')).toBe('@acme/left-pad@1.3.0');
  expect(property(component, 'colophon:ai:basis')).toBeUndefined();
});

test('the gate sees where it comes from', () => {
  const allow = parseLicenceList('MIT');
  const bom: Bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    components: [vendoredComponent(VENDORED, { profile: 'standard' })],
  };
  expect(decideLicences(bom, allow.ok ? { allow: allow.value } : {}).offending).toMatchObject([
    {
      agent_authored: true,
      origin: { source_package: '@acme/left-pad@1.3.0', purl: VENDORED.source.purl, licences: ['GPL-3.0-only'] },
    },
  ]);
});

const SOURCE = { serialNumber: 'urn:uuid:0', timestamp: '2026-01-01T00:00:00Z', tool: { name: 'colophon' } };
const component = vendoredComponent(VENDORED, { profile: 'standard' });
function added(bom: Bom) {
  const { edits, ...about } = vendoredEdits(bom, component);
  const patched = patchBom(bom, { edits }, SOURCE);
  return patched.ok ? { ...patched.value, ...about } : expect.fail(JSON.stringify(patched.issues));
}
const EMPTY: Bom = { bomFormat: 'CycloneDX', specVersion: '1.7', version: 4, serialNumber: 'urn:uuid:1' };
const ROOTED: Bom = {
  ...EMPTY,
  metadata: { component: { type: 'application', 'bom-ref': 'root', name: 'shop' } },
  components: [{ type: 'library', 'bom-ref': 'a', name: 'a' }],
  dependencies: [{ ref: 'root', dependsOn: ['a'] }, { ref: 'a' }],
};

test('a document gets it once, with an edge from the artifact and the next version', () => {
  const { bom } = added(ROOTED);
  expect([bom.version, bom.serialNumber]).toEqual([5, 'urn:uuid:1']);
  expect(bom.components?.map((one) => one['bom-ref'])).toEqual(['a', 'vendored:src/pad.js']);
  expect(bom.dependencies).toEqual([
    { ref: 'root', dependsOn: ['a', 'vendored:src/pad.js'] },
    { ref: 'a' },
    { ref: 'vendored:src/pad.js' },
  ]);
  const again = added(bom);
  expect([again.isChanged, again.bom]).toEqual([false, bom]);
});

test('a component of that bom-ref is replaced where it stands', () => {
  const nested: Bom = {
    ...EMPTY,
    components: [
      { type: 'library', name: 'a', components: [{ type: 'file', 'bom-ref': 'vendored:src/pad.js', name: 'old' }] },
    ],
  };
  const { bom, replaced, isConnected } = added(nested);
  expect(bom.components?.[0]?.components).toEqual([component]);
  expect([replaced?.name, isConnected]).toEqual(['old', false]);
});

test('a document without components and graph gets both', () => {
  const { bom } = added({
    ...EMPTY,
    metadata: { component: { type: 'application', 'bom-ref': 'root', name: 'shop' } },
  });
  expect(bom.components).toEqual([component]);
  expect(bom.dependencies).toEqual([
    { ref: 'root', dependsOn: ['vendored:src/pad.js'] },
    { ref: 'vendored:src/pad.js' },
  ]);
});
