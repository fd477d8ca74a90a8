import { type Policy, parsePolicy } from '@colophon/admission';
import { systemReason } from '@colophon/durable-file';
import { policyFilesAt } from '@colophon/gate';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { ownNamespace } from '../home/namespace.ts';
import { readInput, unreadable } from '../input/input.ts';
import { dataFlag, type Session } from '../program/program.ts';

/** A policy, and the file that it was read from. */
export type PolicyFile = { readonly name: string; readonly content: Uint8Array; readonly policy: Policy };

/**
 * Reads admission policies: files, and folders of them.
 * @throws CliError `cli.file_unreadable`, `cli.policy_invalid` with every issue of every file
 */
export async function readPolicies(
  paths: readonly string[],
  command: Command,
  session: Session,
): Promise<readonly PolicyFile[]> {
  const names = [...new Set(paths.flatMap(filesAt))];
  const contents = await Promise.all(names.map(readInput));
  const policies: PolicyFile[] = [];
  const refused: CliError[] = [];
  for (const [index, content] of contents.entries()) {
    try {
      policies.push(policyIn(names[index] as string, content, command, session));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      refused.push(error);
    }
  }
  const [first, ...others] = refused;
  if (first !== undefined) throw others.length === 0 ? first : allOf(refused);
  return policies;
}

/** Several files that are no policies, in one error. */
function allOf(refused: readonly CliError[]): CliError {
  const issues = refused.flatMap(({ facts: { checked, issues: found = [] } }) =>
    found.map((issue) => ({ ...issue, message: `${checked}: ${issue.message}` })),
  );
  const checked = refused.map(({ facts }) => facts.checked).join(', ');
  return new CliError('cli.policy_invalid', `${refused.length} files are no policies`, { checked, issues });
}

function filesAt(path: string): string[] {
  if (path === '-') return [path];
  let files: string[];
  try {
    files = policyFilesAt(path);
  } catch (cause) {
    throw unreadable(path, systemReason(cause), cause);
  }
  if (files.length > 0) return files;
  throw unreadable(path, 'there is no .yaml or .yml file in this folder');
}

/** The same of content that is at hand. */
export function policyIn(name: string, content: Uint8Array, command: Command, { env }: Session): PolicyFile {
  const { predicateBase } = ownNamespace(env, dataFlag(command));
  const parsed = parsePolicy(Buffer.from(content).toString(), { name, predicateBase });
  if (parsed.ok) return { name, content, policy: parsed.value };
  throw new CliError('cli.policy_invalid', `${name} is no policy`, { checked: name, issues: parsed.issues });
}
