import { identifyComponent } from '@colophon/findings';
import { formatInstant, parseInstant } from '@colophon/notation';
import type { FindingComponent, ScannedSbom } from '@colophon/records';
import type { Bom } from '@colophon/sbom';
import { digestOf } from './file-digest.ts';

/** The SBOM that was scanned, and whether something is in it. */
export type KnownSbom = {
  readonly sbom: ScannedSbom;
  readonly bytes: Uint8Array;
  has(component: FindingComponent): boolean;
};

/**
 * What a scan's record says of the SBOM that was scanned. A component is in it by its package URL, qualifiers left out
 * that say nothing, or by name and version where it has none.
 */
export function scannedSbom(bom: Bom, bytes: Uint8Array): KnownSbom {
  const { serialNumber, version, metadata } = bom;
  const { timestamp, component } = metadata ?? {};
  const instant = timestamp === undefined ? undefined : parseInstant(timestamp);
  const packages = new Set<string>();
  const names = new Set<string>();
  const waiting: unknown[] = [component, ...(bom.components ?? [])];
  for (let next = waiting.pop(); next !== undefined || waiting.length > 0; next = waiting.pop()) {
    const { name, version, purl, group, components = [] } = (next ?? {}) as BomPart;
    for (const component of components) waiting.push(component);
    if (name === undefined) continue;
    const about = { ...(version === undefined ? {} : { version }), ...(purl === undefined ? {} : { purl }) };
    const identity = identifyComponent({ name, ...about });
    if (identity.package !== undefined) packages.add(`${identity.package}@${identity.version ?? ''}`);
    for (const known of [...identity.names, name, `${group}/${name}`]) {
      names.add(`${known.toLowerCase()}@${version ?? ''}`);
    }
  }
  return {
    sbom: {
      digest: digestOf(bytes),
      ...(serialNumber === undefined ? {} : { serialNumber }),
      ...(version === undefined ? {} : { version }),
      ...(instant === undefined ? {} : { timestamp: formatInstant(instant) }),
      ...(component?.name === undefined ? {} : { artifact: component.name }),
      ...(component?.version === undefined ? {} : { artifactVersion: component.version }),
    },
    bytes,
    has: (found) => {
      const identity = identifyComponent(found);
      return identity.package !== undefined && packages.has(`${identity.package}@${identity.version ?? ''}`)
        ? true
        : identity.names.some((name) => names.has(`${name}@${found.version ?? ''}`));
    },
  };
}

type BomPart = {
  readonly name?: string;
  readonly group?: string;
  readonly version?: string;
  readonly purl?: string;
  readonly components?: readonly BomPart[];
};
