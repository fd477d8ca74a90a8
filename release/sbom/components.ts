import { isSpdxExpression, type LicenseChoice } from '@colophon/licences';
import type { Component } from '@colophon/sbom';
import { PackageURL } from 'packageurl-js';
import licences from 'spdx-license-list';
import type { DebianPackage } from '../image/debian-package.ts';
import type { BundledPackage } from '../notices/bundled-packages.ts';

/** A component, and the names of those among the others that it needs. */
export type Part = {
  readonly component: Component & { readonly 'bom-ref': string };
  readonly needs: readonly string[];
};

type Named = { readonly type: string; readonly namespace?: string | undefined; readonly name: string };

function purlOf({ type, namespace, name }: Named, version: string, qualifiers?: Record<string, string>): string {
  return new PackageURL(type, namespace, name, version, qualifiers).toString();
}

/** An SPDX identifier or expression as one, everything else as the name that it is. */
export function licenceOf(stated: string): LicenseChoice {
  const current = stated.replace(/\+$/, '-or-later');
  if (Object.hasOwn(licences, current)) return { license: { id: current } };
  return isSpdxExpression(current) ? { expression: current } : { license: { name: stated } };
}

/** A package of the npm registry that is inside the program. */
export function npmPart({ name: fullName, version, licence, homepage }: BundledPackage): Part {
  const [, namespace, name = fullName] = /^(@[^/]+)\/(.+)$/.exec(fullName) ?? [];
  const purl = purlOf({ type: 'npm', namespace, name }, version);
  const component = {
    type: 'library',
    'bom-ref': purl,
    ...(namespace === undefined ? {} : { group: namespace }),
    name,
    version,
    purl,
    licenses: [licenceOf(licence)],
    ...(homepage !== undefined && URL.canParse(homepage)
      ? { externalReferences: [{ type: 'website', url: homepage }] }
      : {}),
  };
  return { component, needs: [] };
}

/** Node.js, which an executable is made of. Scanners know it by its CPE. */
export function nodePart(version: string): Part {
  const purl = purlOf({ type: 'generic', name: 'node' }, version);
  const component = {
    type: 'application',
    'bom-ref': purl,
    name: 'node',
    version,
    purl,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    supplier: { name: 'OpenJS Foundation', url: ['https://openjsf.org'] },
    licenses: [licenceOf('MIT')],
  };
  return { component, needs: ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'] };
}

/** A Debian package of an image, by the digest of its archive. */
export function debianPart({ locked, control }: DebianPackage, release: string): Part {
  const { name, version, architecture, sha256 } = locked;
  const field = (wanted: string) => new RegExp(`^${wanted}: (.*)$`, 'm').exec(control)?.[1];
  const source = field('Source')?.replace(/ .*/, '');
  const purl = purlOf({ type: 'deb', namespace: 'debian', name }, version, {
    arch: architecture,
    distro: release,
    ...(source === undefined ? {} : { upstream: source }),
  });
  const component = {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    supplier: { name: 'Debian', url: ['https://www.debian.org'] },
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    licenses: [{ license: { name: `as /usr/share/doc/${name}/copyright says` } }],
  };
  const needs = (field('Depends') ?? '').split(/[,|]/).map((one) => one.trim().replace(/[ :].*/, ''));
  return { component, needs };
}
