import type { Bom } from '@colophon/sbom';
import { expect, test } from 'vitest';
import { withStableRefs } from './stable-refs.ts';

const A = '3e671687-395b-41f5-a30f-a58921a69b79';
const B = '8bc48492-0580-4a89-923d-f3567f6f1fc7';
const C = 'c37256c7-ac9d-4e4c-945a-fe37be0a6b5c';

const bomOf = (artifact: string, first: string, second: string) =>
  ({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: 'urn:uuid:d1b7a6b4-9d0c-4c19-8d2b-0a4d8b1b2f60',
    metadata: { component: { type: 'application', name: 'app', version: '1.0.0', 'bom-ref': artifact } },
    components: [
      { type: 'application', name: 'go.mod', 'bom-ref': first },
      { type: 'application', name: 'go.mod', 'bom-ref': second, components: [] },
      { type: 'library', name: 'a', 'bom-ref': 'pkg:npm/a@1', purl: 'pkg:npm/a@1' },
    ],
    dependencies: [
      { ref: artifact, dependsOn: [first, second] },
      { ref: second, dependsOn: ['pkg:npm/a@1'] },
    ],
    compositions: [{ aggregate: 'complete', assemblies: [first] }],
  }) as unknown as Bom;

test('refs made at random or from a place become names, and what refers to them follows', () => {
  const stable = bomOf('app@1.0.0', 'go.mod', 'go.mod#2');
  expect(withStableRefs(bomOf(A, B, C))).toEqual(stable);
  expect(withStableRefs(bomOf('77a0590857199e54', C, B))).toEqual(stable);
});

test('refs that say something stay, and names that are taken are not given again', () => {
  const bom = bomOf('root', 'one', 'two');
  expect(withStableRefs(bom)).toBe(bom);
  expect(withStableRefs(bomOf('go.mod', 'pkg:npm/b@1', B)).components?.[1]?.['bom-ref']).toBe('go.mod#2');
});

test('a ref that is no text is left to the check against the schema', () => {
  const bom = bomOf('root', 'one', 5 as never);
  expect(withStableRefs(bom)).toBe(bom);
});
