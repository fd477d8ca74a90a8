import type { ASTNode } from '@marcbachmann/cel-js';

const LOOPS: readonly string[] = ['all', 'exists', 'exists_one', 'filter', 'map'];

/**
 * What a condition may call. Left out on purpose: `matches` (it backtracks), `cel.bind` and `join` (they multiply
 * text), and everything that depends on the time zone of the machine.
 */
const ALLOWED_CALLS: readonly string[] = [
  ...LOOPS,
  'has',
  'size',
  'startsWith',
  'endsWith',
  'contains',
  'fullMatch',
  'lowerAscii',
  'upperAscii',
  'trim',
  'int',
  'double',
  'string',
  'bool',
  'timestamp',
  'duration',
];

/** A call of a function, or of one that stands behind what it is about. */
export type Call = { readonly name: string; readonly receiver?: ASTNode; readonly args: readonly ASTNode[] };

/** The call that a part of an expression is. */
export function callOf(node: ASTNode): Call | undefined {
  if (node.op === 'call') return { name: node.args[0], args: node.args[1] };
  if (node.op === 'rcall') return { name: node.args[0], receiver: node.args[1], args: node.args[2] };
  return undefined;
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function childrenOf(args: unknown): ASTNode[] {
  if (isNode(args)) return [args];
  return Array.isArray(args) ? args.flatMap(childrenOf) : [];
}

/** Whether a function of that name runs over a list or map. */
export function isLoop(name: string): boolean {
  return LOOPS.includes(name);
}

/** Every part of an expression, itself first. */
export function allNodes(tree: ASTNode): ASTNode[] {
  return [tree, ...childrenOf(tree.args).flatMap(allNodes)];
}

/** The first function of the expression that a condition may not call, as a sentence, or undefined. */
export function findDisallowedCall(tree: ASTNode): string | undefined {
  for (const node of allNodes(tree)) {
    const name = callOf(node)?.name;
    if (name === undefined || ALLOWED_CALLS.includes(name)) continue;
    if (name === 'matches') return 'matches() is not available: use fullMatch("…"), RE2 over the whole text';
    return `${name}() is not available in conditions`;
  }
  return undefined;
}

/** How deep loops stand inside loops: 0 without one. */
export function nestingOf(tree: ASTNode): number {
  const own = isLoop(callOf(tree)?.name ?? '') ? 1 : 0;
  return own + Math.max(0, ...childrenOf(tree.args).map(nestingOf));
}

/** The pattern of every `fullMatch`; undefined for one that is not a literal. */
export function patternsOf(tree: ASTNode): Array<string | undefined> {
  return allNodes(tree).flatMap((node) => {
    const call = callOf(node);
    if (call?.name !== 'fullMatch') return [];
    const [pattern] = call.args;
    return [pattern?.op === 'value' && typeof pattern.args === 'string' ? pattern.args : undefined];
  });
}

/** The members of variables that an expression names, e.g. `image.digest`; those of members are left out. */
export function membersOf(tree: ASTNode): Array<{ readonly variable: string; readonly member: string }> {
  return allNodes(tree).flatMap((node) => {
    if (node.op !== '.' && node.op !== '[]') return [];
    const [of, member] = node.args;
    const name = typeof member === 'string' ? member : member.op === 'value' ? member.args : undefined;
    return of.op === 'id' && typeof name === 'string' ? [{ variable: of.args, member: name }] : [];
  });
}
