import { parseRemediationPolicy, type RemediationPolicy } from '@colophon/remediation-rules';
import { CliError } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';

/** A character has up to four bytes; what is too long is said by the reader. */
const MOST_POLICY_BYTES = 256 * 1024;

/** @throws CliError `cli.policy_invalid` with every issue, `cli.file_unreadable` */
export async function readRemediationPolicy(file: string): Promise<RemediationPolicy> {
  const text = Buffer.from(await readBounded(file, MOST_POLICY_BYTES)).toString();
  const parsed = parseRemediationPolicy(text, { name: file });
  if (parsed.ok) return parsed.value;
  throw new CliError('cli.policy_invalid', `${file} is no policy of remediation`, {
    checked: file,
    issues: parsed.issues,
  });
}
