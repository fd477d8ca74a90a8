import { parsePackageUrl } from '@colophon/notation';
import { type Bom, walkComponents } from '@colophon/sbom';
import type { LockedProject } from '../lockfile/locked-project.ts';

/**
 * The packages of a lockfile that a document has not: by purl without qualifiers, or by name and version where there is
 * none. A version that the lockfile does not say is any.
 */
export function missedPackages(bom: Bom, { packages }: LockedProject): string[] {
  const known = new Set<string>();
  for (const { component } of walkComponents(bom)) {
    for (const version of [component.version, undefined]) {
      known.add(nameOf(component.group, component.name, version));
      if (component.purl !== undefined) known.add(purlOf(component.purl, version !== undefined));
    }
  }
  return packages.flatMap(({ group, name, version, purl }) => {
    const isKnown =
      known.has(nameOf(group, name, version)) || (purl !== undefined && known.has(purlOf(purl, version !== undefined)));
    return isKnown ? [] : [version === undefined ? name : `${name}@${version}`];
  });
}

function purlOf(purl: string, hasVersion: boolean): string {
  const { type, namespace, name, version } = parsePackageUrl(purl) ?? {};
  return JSON.stringify([type ?? purl, namespace, name, hasVersion ? version : undefined]);
}

function nameOf(group: string | undefined, name: string, version: string | undefined): string {
  const plain = (group ? `${group}/${name}` : name).toLowerCase().replace(/[-_.]+/g, '-');
  return `${plain} ${version ?? ''}`;
}
