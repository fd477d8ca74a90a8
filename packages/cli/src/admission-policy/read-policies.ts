import { type Policy, parsePolicy } from '@colophon/admission';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { ownNamespace } from '../home/namespace.ts';
import { readInput } from '../input/input.ts';
import { dataFlag, type Session } from '../program/program.ts';

/** A policy, and the file that it was read from. */
export type PolicyFile = { readonly name: string; readonly content: Uint8Array; readonly policy: Policy };

/** Reads admission policies. @throws CliError `cli.file_unreadable`, `cli.policy_invalid` with every issue */
export async function readPolicies(
  files: readonly string[],
  command: Command,
  session: Session,
): Promise<readonly PolicyFile[]> {
  return Promise.all(files.map(async (name) => policyIn(name, await readInput(name), command, session)));
}

/** The same of content that is at hand. */
export function policyIn(name: string, content: Uint8Array, command: Command, { env }: Session): PolicyFile {
  const { predicateBase } = ownNamespace(env, dataFlag(command));
  const parsed = parsePolicy(Buffer.from(content).toString(), { name, predicateBase });
  if (parsed.ok) return { name, content, policy: parsed.value };
  throw new CliError('cli.policy_invalid', `${name} is no policy`, { checked: name, issues: parsed.issues });
}
