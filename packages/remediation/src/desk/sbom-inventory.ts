import { digestOf } from '@colophon/feeds';
import type { ParseResult } from '@colophon/records';
import { parseBom, walkComponents } from '@colophon/sbom';
import {
  type FindingComponent,
  formatInstant,
  parseInstant,
  productIdentifier,
  type ScannedSbom,
} from '@colophon/triage';

/** What an SBOM says of itself, and what is in it. */
export type SbomInventory = {
  readonly sbom: ScannedSbom;
  readonly components: readonly FindingComponent[];
  /** What a VEX statement may call the documented artifact. */
  readonly identifiers: readonly string[];
};

/** Takes stock of an SBOM from its bytes. */
export function readInventory(bytes: Uint8Array): ParseResult<SbomInventory> {
  const parsed = parseBom(bytes);
  if (!parsed.ok) return parsed;
  const bom = parsed.value;
  const { component: artifact, timestamp } = bom.metadata ?? {};
  const instant = timestamp === undefined ? undefined : parseInstant(timestamp);
  const digest = digestOf(bytes);
  return {
    ok: true,
    value: {
      sbom: {
        digest,
        ...(bom.serialNumber !== undefined && { serialNumber: bom.serialNumber }),
        ...(bom.version !== undefined && { version: bom.version }),
        ...(instant !== undefined && { timestamp: formatInstant(instant) }),
        ...(artifact?.name !== undefined && { artifact: artifact.name }),
        ...(artifact?.version !== undefined && { artifactVersion: artifact.version }),
      },
      components: [...walkComponents(bom)].flatMap(({ component: { name, version, purl } }) =>
        typeof name === 'string'
          ? [{ name, ...(version !== undefined && { version }), ...(purl !== undefined && { purl }) }]
          : [],
      ),
      identifiers: [productIdentifier(artifact ?? {}), artifact?.['bom-ref'], bom.serialNumber, digest].flatMap(
        (one) => one ?? [],
      ),
    },
  };
}
