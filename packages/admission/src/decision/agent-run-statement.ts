import { parseAgentRun, type VerifiedSignature } from '@colophon/records';
import { claimOf } from './image-evidence.ts';
import { type Finding, shown } from './reason.ts';

/**
 * Why an agent-run statement stands for no signature of its agent; empty where it does. It holds what its type promises,
 * and the agent and the commit in it are those of the certificate.
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
  const { agent, git } = parsed.value;
  return [
    ...compare('agent.name', agent.name, certifiedAgent(run)),
    ...compare('git.commit_sha', git.commit_sha, claimOf(run, 'commit_sha')),
  ];
}

/** The agent behind a certificate: its claim, else the name in `agent:<name>`. */
function certifiedAgent(run: VerifiedSignature): string | undefined {
  const prefix = 'agent:';
  const { subject } = run.identity;
  return claimOf(run, 'agent_name') ?? (subject.startsWith(prefix) ? subject.slice(prefix.length) : undefined);
}

function compare(field: string, stated: string, certified: string | undefined): Finding[] {
  if (stated === certified) return [];
  const message = `${field} of the agent run is not what the certificate that signed it says.`;
  const expected = shown(certified ?? 'a claim of the certificate');
  return [{ code: 'admission.run_contradicts_certificate', message, expected, found: shown(stated) }];
}
