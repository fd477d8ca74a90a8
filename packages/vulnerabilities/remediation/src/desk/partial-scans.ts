import { ComponentLookup } from '@colophon/findings';
import type { FindingComponent, ScanRecord } from '@colophon/records';
import { scanTie } from '@colophon/remediation-rules';
import { readInventory } from './sbom-inventory.ts';

/** A scan that lists components of the SBOM, and others that are not in it. */
export type PartialScan = {
  /** Of the scanner's output. */
  readonly name: string;
  /** How many components it lists. */
  readonly listed: number;
  readonly foreign: readonly FindingComponent[];
};

/** The scans of which a part is found again in the SBOM, and another part is not: worth a warning, and no refusal. */
export function partialScans(scans: readonly ScanRecord[], sbom: Uint8Array): readonly PartialScan[] {
  const inventory = readInventory(sbom);
  if (!inventory.ok) return [];
  const contents = new ComponentLookup(inventory.value.components);
  return scans.flatMap((scan) => {
    const { listed, foreign } = scanTie(scan, inventory.value.sbom, contents);
    return foreign.length === 0 || foreign.length === listed ? [] : [{ name: scan.source.name, listed, foreign }];
  });
}
