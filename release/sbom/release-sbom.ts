import { type Bom, type Component, completeBom, formatBom } from '@colophon/sbom';
import { contentUuid } from '../../packages/program/cli/src/build-time/build-time.ts';
import { MANIFEST, NAMES } from '../names.ts';
import type { Part } from './components.ts';

const NIL_SERIAL = 'urn:uuid:00000000-0000-0000-0000-000000000000';

/** What a document is about: one form in which the program is shipped. */
export type Shipped = {
  readonly type: 'application' | 'container';
  readonly purl: string;
  readonly parts: readonly Part[];
  /** An operating system and the like, which nothing depends on. */
  readonly surroundings?: readonly Component[];
  readonly created: Date;
};

/** The CycloneDX document of what is shipped: the same for the same parts. Its parts are all that it consists of. */
export function releaseSbom({ type, purl, parts, surroundings = [], created }: Shipped): Bom {
  const refs = new Map(parts.map(({ component }) => [component.name, component['bom-ref']]));
  const refsOf = (names: readonly string[]) => [...new Set(names.flatMap((name) => refs.get(name) ?? []))];
  const known = parts.filter(({ needs }) => needs.length > 0);
  const component = { type, 'bom-ref': purl, name: NAMES.program, version: MANIFEST.version, purl };
  const described: Bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component },
    components: [...parts.map((part) => part.component), ...surroundings],
    dependencies: [
      { ref: purl, dependsOn: parts.map((part) => part.component['bom-ref']) },
      ...known.map((part) => ({ ref: part.component['bom-ref'], dependsOn: refsOf(part.needs) })),
    ],
  };
  const completion = {
    timestamp: created.toISOString().replace('.000', ''),
    lifecycle: 'build',
    tools: [{ name: NAMES.program, version: MANIFEST.version }],
    component: {
      licenses: [{ license: { id: MANIFEST.license } }],
      supplier: { name: 'Colophon', url: ['https://colophon.example'] },
    },
  };
  const { bom } = completeBom(described, { ...completion, serialNumber: NIL_SERIAL });
  return { ...bom, serialNumber: `urn:uuid:${contentUuid(formatBom(bom))}` };
}
