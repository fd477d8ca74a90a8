import type { Assessment } from '@colophon/findings';
import type { ScanRecord } from '@colophon/records';

/** The findings of scans as one list, each vulnerability of a component once: every command counts the same ones. */
export async function combinedFindings(scans: readonly ScanRecord[]): Promise<Assessment> {
  const [only] = scans;
  // One scan is merged in itself already.
  if (scans.length === 1 && only !== undefined) return { findings: only.findings, notes: [] };
  const { combineFindings } = await import('@colophon/findings');
  return combineFindings(scans.map(({ findings }) => findings));
}
