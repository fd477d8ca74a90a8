import { parseAgentRun, runContradictions } from '@colophon/records';
import type { AdmissionProfile } from '../policy/policy.ts';
import type { Attestation } from './image-evidence.ts';
import { type Finding, shown } from './reason.ts';

/**
 * Why an agent-run statement stands for no signature of its agent; empty where it does. It says nothing that the
 * certificate denies, and under a strict policy holds what its type promises.
 * @see contract §2.3
 */
export function checkAgentRun(run: Attestation, profile: AdmissionProfile): Finding[] {
  const parsed = parseAgentRun(run.statement.predicate);
  if (profile === 'strict' && !parsed.ok) {
    return parsed.issues.map(({ path, message, expected }) => {
      const finding = {
        code: 'admission.run_malformed',
        message: `${path || 'The predicate'} of the agent run: ${message}`,
      } as const;
      return expected === undefined ? finding : { ...finding, expected };
    });
  }
  const found = runContradictions(run.statement, run.certificate_identity);
  // A bare key certifies no name: the run's own words are its claims, and only its subjects can deny them.
  const isKey = run.certificate_identity.key !== undefined;
  const denied = isKey ? found.filter(({ field }) => field.startsWith('subject.')) : found;
  return denied.map(({ field, stated, expected }) => ({
    code: 'admission.run_contradicts_certificate',
    message: `${field} of the agent run differs from the signer's certificate.`,
    expected: shown(expected ?? 'a claim of the certificate'),
    found: shown(stated),
  }));
}
