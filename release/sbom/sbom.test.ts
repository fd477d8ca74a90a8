import { expect, test } from 'vitest';
import { debianPart, licenceOf, nodePart, npmPart } from './components.ts';
import { releaseSbom } from './release-sbom.ts';
import { programSbom } from './shipped.ts';

const CREATED = new Date('2026-11-20T10:00:00Z');
const LOCKED = {
  name: 'libstdc++6',
  version: '12.2.0-14+deb12u1',
  architecture: 'amd64',
  archive: 'debian',
  path: 'pool/main/g/gcc-12/libstdc++6_12.2.0-14+deb12u1_amd64.deb',
  sha256: '5c'.repeat(32),
  size: 1,
} as const;
const CONTROL = `Package: libstdc++6
Source: gcc-12 (12.2.0)
Depends: gcc-12-base (= 12.2.0-14+deb12u1), libc6 (>= 2.36) | musl:any
`;

test.each([
  ['MIT', { license: { id: 'MIT' } }],
  ['LGPL-3.0+', { license: { id: 'LGPL-3.0-or-later' } }],
  ['(MIT OR CC0-1.0)', { expression: '(MIT OR CC0-1.0)' }],
  ['as the author says', { license: { name: 'as the author says' } }],
])('the licence %s is written as %j', (stated, choice) => {
  expect(licenceOf(stated)).toEqual(choice);
});

test('an npm package has its scope as group, and a package URL', () => {
  const { component } = npmPart({ name: '@a/b', version: '1.0.0', licence: 'MIT', homepage: 'no address', texts: [] });
  expect(component).toEqual({
    type: 'library',
    'bom-ref': 'pkg:npm/%40a/b@1.0.0',
    group: '@a',
    name: 'b',
    version: '1.0.0',
    purl: 'pkg:npm/%40a/b@1.0.0',
    licenses: [{ license: { id: 'MIT' } }],
  });
});

test('a Debian package is named as scanners look it up, with the digest of its archive and what it needs', () => {
  const { component, needs } = debianPart({ locked: LOCKED, control: CONTROL, entries: [] }, 'debian-12');
  expect(component.purl).toBe(
    'pkg:deb/debian/libstdc%2B%2B6@12.2.0-14+deb12u1?arch=amd64&distro=debian-12&upstream=gcc-12',
  );
  expect(component.hashes).toEqual([{ alg: 'SHA-256', content: LOCKED.sha256 }]);
  expect(needs).toEqual(['gcc-12-base', 'libc6', 'musl']);
});

test('needs lead to parts of the document alone, and the same parts give the same serial number', () => {
  const parts = [nodePart('26.10.0'), debianPart({ locked: LOCKED, control: CONTROL, entries: [] }, 'debian-12')];
  const shipped = { type: 'container', purl: 'pkg:oci/colophon?tag=1', parts, created: CREATED } as const;
  const bom = releaseSbom(shipped);
  const [node, library] = parts.map(({ component }) => component['bom-ref']);
  expect(bom.dependencies).toContainEqual({ ref: node, dependsOn: [library] });
  expect(releaseSbom(shipped)).toEqual(bom);
  expect(releaseSbom({ ...shipped, purl: 'pkg:oci/colophon?tag=2' }).serialNumber).not.toBe(bom.serialNumber);
});

test('the SBOM of the program has every bundled package, each with a licence', async () => {
  const { components = [] } = await programSbom(CREATED);
  expect(components.length).toBeGreaterThan(90);
  expect(components.filter(({ licenses = [] }) => licenses.length === 0)).toEqual([]);
  expect(components.map(({ name }) => name)).toContain('openpgp');
});
