import { buffer } from 'node:stream/consumers';
import { hashPrompt, parseAgentName, readClaim } from '@colophon/records';
import type { AskedRun } from '@colophon/witness';
import { CliError } from '../cli-error/cli-error.ts';
import { hashPolicyPackFiles, hashPromptFile, hashPromptMessagesFile } from '../run-context/run-context.ts';
import type { AgentRunFlags } from './agent-run-flags.ts';

/** What is hashed before the command starts, and what its standard input is where it is not that of this process. */
export type PreparedRun = {
  readonly asked: Omit<AskedRun, 'issuer' | 'caller'>;
  readonly input?: Uint8Array;
};

/** @throws CliError `cli.usage`, `cli.file_unreadable` */
export async function prepareRun(flags: AgentRunFlags): Promise<PreparedRun> {
  const { agent, agentVersion, policyPack, prompt, promptMessages } = flags;
  if (prompt !== undefined && promptMessages !== undefined) {
    throw new CliError('cli.usage', 'the prompt is given twice', { expected: '--prompt, or --prompt-messages' });
  }
  if ([prompt, promptMessages, ...policyPack].filter((file) => file === '-').length > 1) {
    throw new CliError('cli.usage', 'standard input is read once', { expected: '-, in one place', found: 'several' });
  }
  const agentName = parseAgentName(agent);
  if (agentName === undefined) {
    throw new CliError('cli.usage', '--agent is no name of an agent', {
      expected: '1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit',
      found: agent,
    });
  }
  const version = readClaim('agent_version', agentVersion);
  if (version === undefined) {
    throw new CliError('cli.usage', '--agent-version is no version', {
      expected: '1 to 256 printable characters without spaces',
      found: agentVersion,
    });
  }
  const policyPackHash = await hashPolicyPackFiles(policyPack);
  const named = { agentName, agentVersion: version, policyPackHash };
  if (prompt === '-') {
    const input = await buffer(process.stdin);
    return { asked: { ...named, promptHash: hashPrompt(input) }, input };
  }
  const promptHash =
    prompt !== undefined
      ? await hashPromptFile(prompt)
      : promptMessages === undefined
        ? undefined
        : await hashPromptMessagesFile(promptMessages);
  return { asked: promptHash === undefined ? named : { ...named, promptHash } };
}
