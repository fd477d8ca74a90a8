import { errorResult } from '../../packages/contract/records/src/result/result-parts.ts';
import { REMEDIATION_RESULTS } from './results/remediation-results.ts';
import { SBOM_RESULTS } from './results/sbom-results.ts';
import { SIGNING_RESULTS } from './results/signing-results.ts';
import { TRIAGE_RESULTS } from './results/triage-results.ts';

/** What `--output json` of each leaf command prints, and what every command prints where it fails. */
export const JSON_RESULTS: Readonly<Record<string, object>> = {
  error: errorResult,
  ...SIGNING_RESULTS,
  ...SBOM_RESULTS,
  ...TRIAGE_RESULTS,
  ...REMEDIATION_RESULTS,
};

/** The file in docs/json that holds the schema of a command: `sbom-validate.json`. */
export function resultFile(command: string): string {
  return `${command.replaceAll(' --', '-').replaceAll(' ', '-')}.json`;
}
