import { parseAgentRun, runContradictions, type Statement, type VerifiedSignature } from '@colophon/records';
import { type Finding, shown } from './reason.ts';

/**
 * Why an agent-run statement stands for no signature of its agent; empty where it does. It holds what its type promises,
 * and says nothing that the certificate denies.
 * @see contract §2.3
 */
export function checkAgentRun(run: VerifiedSignature): Finding[] {
  const parsed = parseAgentRun(run.statement?.predicate);
  if (!parsed.ok) {
    return parsed.issues.map(({ path, message, expected }) => {
      const finding = {
        code: 'admission.run_malformed',
        message: `${path || 'The predicate'} of the agent run: ${message}`,
      } as const;
      return expected === undefined ? finding : { ...finding, expected };
    });
  }
  return runContradictions(run.statement as Statement, run.identity).map(({ field, stated, expected }) => ({
    code: 'admission.run_contradicts_certificate',
    message: `${field} of the agent run is not what the certificate that signed it says.`,
    expected: shown(expected ?? 'a claim of the certificate'),
    found: shown(stated),
  }));
}
