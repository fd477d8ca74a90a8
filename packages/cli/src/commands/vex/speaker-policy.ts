import type { SpeakerRule } from '@colophon/triage';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { readBounded } from '../../input/bounded-input.ts';

const MOST_POLICY_BYTES = 256 * 1024;

/**
 * Who may speak for which products, by a policy file of remediation; nothing where it does not say.
 * @throws CliError `cli.policy_invalid` with every issue, `cli.file_unreadable`
 */
export async function authorsIn(file: string): Promise<readonly SpeakerRule[] | undefined> {
  const { parseRemediationPolicy } = await import('@colophon/triage');
  const text = Buffer.from(await readBounded(file, MOST_POLICY_BYTES)).toString();
  const policy = parseRemediationPolicy(text, { name: file });
  if (policy.ok) return policy.value.authors;
  throw new CliError('cli.policy_invalid', `${file} is no policy that can be used`, EXIT.usage, {
    checked: file,
    issues: policy.issues,
  });
}
