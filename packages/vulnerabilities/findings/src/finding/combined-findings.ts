import type { ScanRecord } from '@colophon/records';
import { type Assessment, combineFindings } from './assess-findings.ts';

/** The findings of scans as one list, each vulnerability of a component once: every command counts the same ones. */
export function combinedFindings(scans: readonly ScanRecord[]): Assessment {
  const [only] = scans;
  // One scan is merged in itself already.
  if (scans.length === 1 && only !== undefined) return { findings: only.findings, notes: [] };
  return combineFindings(scans.map(({ findings }) => findings));
}
