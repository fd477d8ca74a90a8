import type { ScanRecord } from '@colophon/records';
import type { Assessment } from '@colophon/triage';

/** The findings of scans as one list, each vulnerability of a component once: every command counts the same ones. */
export async function combinedFindings(scans: readonly ScanRecord[]): Promise<Assessment> {
  const [only] = scans;
  // One scan is merged in itself already.
  if (scans.length === 1 && only !== undefined) return { findings: only.findings, notes: [] };
  const { combineFindings } = await import('@colophon/triage');
  return combineFindings(scans.map(({ findings }) => findings));
}
