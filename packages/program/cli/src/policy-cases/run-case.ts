import { dirname, resolve } from 'node:path';
import { kindOf } from '@colophon/fault';
import {
  caseDifferences,
  type DecidedCaseInFull,
  decidePackCase,
  decideWrittenCase,
  openPack,
  type PolicyCase,
  parsePolicyCase,
} from '@colophon/gate';
import { EVIDENCE_PACK_LIMITS } from '@colophon/records';
import type { TrustMaterial } from '@colophon/sigstore';
import type { Command } from 'commander';
import { policyIn, readPolicies } from '../admission-policy/read-policies.ts';
import type { ReportedIssue } from '../cli-error/cli-error.ts';
import { ownNamespace } from '../home/namespace.ts';
import { readBounded } from '../input/bounded-input.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { reportOf } from '../report/report.ts';
import type { CaseResult } from './case-result.ts';
import type { FoundCase } from './find-cases.ts';

export type RunCaseOptions = {
  readonly command: Command;
  readonly session: Session;
  /** Asked for where a case has a pack. */
  trust(): Promise<TrustMaterial>;
};

/** Decides about one case, and compares. What is wrong with its files is a part of the answer. */
export async function runCase(found: FoundCase, options: RunCaseOptions): Promise<CaseResult> {
  const { name, file } = found;
  if ('error' in found) return unreadableCase(name, problemsOf(found.error));
  const { predicateBase } = ownNamespace(options.session.env, dataFlag(options.command));
  const parsed = parsePolicyCase(found.text, { predicateBase });
  if (!parsed.ok) return unreadableCase(name, policyProblems(found, options) ?? parsed.issues);
  const { expected } = parsed.value;
  // Of roots that are not known nothing can be said in any case.
  const trust = parsed.value.evidence.kind === 'pack' ? await options.trust() : undefined;
  try {
    const { findings, ...decided } = await decide(parsed.value, dirname(file), trust, options);
    const problems = caseDifferences(expected, { ...decided, findings });
    const standing = problems.length === 0 ? 'as-expected' : 'different';
    return { case: name, standing, expected: inOrder(expected), decided, problems };
  } catch (error) {
    if (kindOf(error) === undefined) throw error;
    return unreadableCase(name, problemsOf(error));
  }
}

/** What is wrong with a policy beside the cases; undefined of a file that has nothing of one. */
function policyProblems(
  { file, text }: FoundCase & { readonly text: string },
  { command, session }: RunCaseOptions,
): ReportedIssue[] | undefined {
  if (!/^images:/m.test(text) || /^(?:evidence|expect):/m.test(text)) return undefined;
  try {
    policyIn(file, Buffer.from(text), command, session);
    return undefined;
  } catch (error) {
    if (kindOf(error) === undefined) throw error;
    return problemsOf(error);
  }
}

/** Codes are a set, and one order is enough to read. */
function inOrder({ reasons, warnings, ...expected }: PolicyCase['expected']): NonNullable<CaseResult['expected']> {
  return {
    ...expected,
    reasons: [...reasons].sort(),
    ...(warnings === undefined ? {} : { warnings: [...warnings].sort() }),
  };
}

async function decide(
  { policies: files, evidence }: PolicyCase,
  folder: string,
  trust: TrustMaterial | undefined,
  { command, session }: RunCaseOptions,
): Promise<DecidedCaseInFull> {
  const read = await readPolicies(
    files.map((name) => resolve(folder, name)),
    command,
    session,
  );
  const policies = read.map(({ policy }) => policy);
  if (evidence.kind === 'written') return decideWrittenCase(evidence, policies);
  const pack = openPack(await readBounded(resolve(folder, evidence.file), EVIDENCE_PACK_LIMITS.maxBytes));
  const { now } = evidence;
  return decidePackCase(pack, { trust: trust as TrustMaterial, policies, ...(now === undefined ? {} : { now }) });
}

function unreadableCase(name: string, problems: readonly ReportedIssue[]): CaseResult {
  return { case: name, standing: 'unreadable', problems: problems.map(withoutPlaceless) };
}

/** An error, and the issues of the file that it is about. */
function problemsOf(error: unknown): ReportedIssue[] {
  const { code, message, expected, found, issues = [] } = reportOf(error);
  const facts = { ...(expected === undefined ? {} : { expected }), ...(found === undefined ? {} : { found }) };
  return [{ code, message, ...facts }, ...issues];
}

function withoutPlaceless({ path, ...issue }: ReportedIssue): ReportedIssue {
  return path === undefined || path === '' ? issue : { path, ...issue };
}
