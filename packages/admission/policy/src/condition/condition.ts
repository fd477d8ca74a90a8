import { compileSubjectPattern, type SubjectPattern } from '@colophon/policy-file/subject-pattern';
import type { CertificateIdentity } from '@colophon/records';
import { type ASTNode, type Environment as CelEnvironment, Environment } from '@marcbachmann/cel-js';
import { sizeOf } from './data-size.ts';
import { findDisallowedCall, membersOf, nestingOf, patternsOf } from './expression-tree.ts';
import { meterTree, StepMeter, TOO_MANY_STEPS } from './metered-tree.ts';

/** Longest condition, in UTF-16 units. */
export const MAX_CONDITION_LENGTH = 2048;

/**
 * Steps that one condition may take at most: its size times the size of the data, for each nested loop once; and as counted
 * while it is evaluated.
 */
export const MAX_CONDITION_STEPS = 20_000_000;

/** Loops (`all`, `exists`, `filter`, `map`) inside one another. */
const DEEPEST_LOOP = 2;

/** What a condition sees; all plain data, no clock and no network. */
export type ConditionInput = {
  readonly predicate: unknown;
  readonly statement: unknown;
  readonly certificate: unknown;
  readonly image: unknown;
};

/** A condition of a policy, compiled. */
export type Condition = {
  readonly ok: true;
  readonly text: string;
  /** What it names of `image` and `certificate` that none of them ever has, e.g. `image.name`. */
  readonly unknownMembers: readonly string[];
  /**
   * True, false, or why there is no answer; a condition without an answer does not hold. Never throws.
   * @param mostSteps that it may take, at most {@link MAX_CONDITION_STEPS}
   */
  evaluate(
    input: ConditionInput,
    mostSteps?: number,
  ): { readonly ok: true; readonly value: boolean } | { ok: false; message: string };
};

/** Why a condition could not be compiled. */
export type InvalidCondition = { readonly ok: false; readonly message: string };

/**
 * Compiles a CEL expression over `predicate`, `statement`, `certificate` and `image` that must be true.
 * Functions are the ones of a short list; in place of CEL's `matches` stands `fullMatch`, which is RE2 over the whole
 * text and takes its pattern as a literal. Never throws.
 */
export function compileCondition(text: string): Condition | InvalidCondition {
  if (text.length > MAX_CONDITION_LENGTH) return refuse(`longer than ${MAX_CONDITION_LENGTH} characters`);
  try {
    const tree = createEnvironment(new Map()).parse(text).ast;
    const problem = findDisallowedCall(tree);
    if (problem !== undefined) return refuse(problem);
    const nesting = nestingOf(tree);
    if (nesting > DEEPEST_LOOP) return refuse(`loops more than ${DEEPEST_LOOP} deep`);
    const patterns = compilePatterns(tree);
    if (typeof patterns === 'string') return refuse(patterns);
    const program = createEnvironment(patterns).parse(text);
    const checked = program.check();
    if (!checked.valid) return refuse(firstLine(checked.error));
    if (checked.type !== 'bool' && checked.type !== 'dyn') return refuse(`its value is ${checked.type}, not bool`);
    const weight = text.length;
    const meter = new StepMeter();
    meterTree(program.ast, meter);
    return {
      ok: true,
      text,
      unknownMembers: unknownMembersOf(tree),
      evaluate(input, mostSteps = MAX_CONDITION_STEPS) {
        try {
          const steps = weight * sizeOf(input) ** Math.max(1, nesting);
          if (steps > mostSteps) throw TOO_MANY_STEPS;
          meter.start(mostSteps);
          const value: unknown = program({ ...input });
          if (meter.isOver) throw TOO_MANY_STEPS;
          if (typeof value !== 'boolean') return { ok: false, message: 'its value is not true or false' };
          return { ok: true, value };
        } catch (error) {
          return { ok: false, message: firstLine(meter.isOver ? TOO_MANY_STEPS : error) };
        }
      },
    };
  } catch (error) {
    return refuse(firstLine(error));
  }
}

/** Every member of what has one shape, whatever was reviewed. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, true>>>> = {
  image: { reference: true, digest: true },
  certificate: {
    issuer: true,
    subject: true,
    subject_type: true,
    key: true,
    root: true,
    purpose: true,
    trigger: true,
    jti: true,
    agent_id: true,
    key_thumbprint: true,
    claims: true,
    sources: true,
  } satisfies Record<keyof CertificateIdentity, true>,
};

function unknownMembersOf(tree: ASTNode): string[] {
  const unknown = membersOf(tree).filter(({ variable, member }) => {
    const members = Object.hasOwn(MEMBERS, variable) ? MEMBERS[variable] : undefined;
    return members !== undefined && !Object.hasOwn(members, member);
  });
  return [...new Set(unknown.map(({ variable, member }) => `${variable}.${member}`))];
}

function refuse(message: string): InvalidCondition {
  return { ok: false, message };
}

function createEnvironment(patterns: ReadonlyMap<string, SubjectPattern>): CelEnvironment {
  return new Environment({ limits: { maxAstNodes: 256, maxDepth: 32, maxListElements: 256, maxMapEntries: 64 } })
    .registerVariable('predicate', 'dyn')
    .registerVariable('statement', 'dyn')
    .registerVariable('certificate', 'dyn')
    .registerVariable('image', 'dyn')
    .registerFunction('string.fullMatch(string): bool', (value: string, pattern: string) =>
      (patterns.get(pattern) as SubjectPattern).matches(value),
    );
}

function compilePatterns(tree: ASTNode): ReadonlyMap<string, SubjectPattern> | string {
  const compiled = new Map<string, SubjectPattern>();
  for (const pattern of patternsOf(tree)) {
    if (pattern === undefined) return 'the pattern of fullMatch must be written as a literal';
    const result = compileSubjectPattern(pattern);
    if (!result.ok) return result.message;
    compiled.set(pattern, result);
  }
  return compiled;
}

function firstLine(error: unknown): string {
  return String((error as Error).message).replace(/\n.*/s, '');
}
