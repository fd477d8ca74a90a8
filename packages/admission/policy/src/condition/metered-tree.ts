import type { ASTNode } from '@marcbachmann/cel-js';
import { sizeOf } from './data-size.ts';
import { allNodes, type Call, callOf, isLoop } from './expression-tree.ts';

/** Operators that look at all of what stands beside them. */
const RUN_OVER: readonly string[] = ['==', '!=', '<', '<=', '>', '>=', '+'];
/** Operators that look at a map beside them only to say that it is none of theirs; the library lists its keys for that. */
const OF_PLAIN_VALUES: readonly string[] = ['-', '*', '/', '%', '!_', '-_', '||', '&&', '?:'];
const CHARACTERS_PER_STEP = 16;
/** `size` of a text tells its code points apart, which takes that much longer. */
const CODE_POINTS_PER_STEP = 4;
/** The library lists all keys of a map to look at the first. */
const STEPS_PER_LISTED_KEY = 16;
/** An error costs as much as so many parts, also where the expression goes on after it: the library says in it where it happened. */
const STEPS_OF_ERROR = 1_000;

/** What ends an expression that takes too many steps. */
export const TOO_MANY_STEPS = new Error('the statement is too large for it');

/**
 * Counts the steps of one expression while it is evaluated: one for each part of it, and for what an operator or function
 * runs over the size of that, as often as it does so.
 */
export class StepMeter {
  #most = 0;
  #left = 0;
  /** Plain data does not change while it is looked at, and an operator in a loop looks at the same again and again. */
  #sizes = new WeakMap<object, number>();
  #lastError: unknown;

  start(most: number): void {
    this.#most = most;
    this.#left = most;
    this.#sizes = new WeakMap();
    this.#lastError = undefined;
  }

  /** An expression may go on after an error in it: `||`, `exists`. Its value is then worth nothing. */
  get isOver(): boolean {
    return this.#left < 0;
  }

  /** @throws TOO_MANY_STEPS, from then on every time */
  count(steps: number): void {
    this.#left -= steps;
    if (this.isOver) throw TOO_MANY_STEPS;
  }

  /** An error is counted in the part where it arises, and not again in those that it leaves. */
  countError(error: unknown): void {
    if (error === this.#lastError) return;
    this.#lastError = error;
    this.#left -= STEPS_OF_ERROR;
  }

  sizeOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return sizeOf(value);
    const known = this.#sizes.get(value) ?? sizeOf(value, this.#most) + STEPS_PER_LISTED_KEY * listedKeys(value);
    this.#sizes.set(value, known);
    return known;
  }
}

/** How many keys the library lists to tell of which type a value is: it looks at the first of a list or map, and in it again. */
function listedKeys(value: unknown): number {
  let keys = 0;
  for (let first = value; typeof first === 'object' && first !== null && !(first instanceof Map); ) {
    const members = Object.keys(first);
    if (!Array.isArray(first)) keys += members.length;
    first = (first as Record<string, unknown>)[members[0] ?? ''];
  }
  return keys;
}

/** Has every part of an expression counted by the meter whenever it is evaluated, in place. */
export function meterTree(tree: ASTNode, meter: StepMeter): void {
  for (const node of allNodes(tree)) countPart(node, meter);
  for (const node of allNodes(tree)) {
    if (RUN_OVER.includes(node.op)) {
      for (const operand of node.args as [ASTNode, ASTNode])
        watch(operand, (value) => meter.count(meter.sizeOf(value)));
    }
    if (OF_PLAIN_VALUES.includes(node.op)) {
      const operands = [node.args as ASTNode | readonly ASTNode[]].flat();
      for (const operand of node.op === '?:' ? operands.slice(0, 1) : operands) watchObjects(operand, meter);
    }
    if (node.op === 'in') meterIn(node.args, meter);
    const call = callOf(node);
    if (call === undefined) continue;
    if (isLoop(call.name)) {
      // It lists the keys of a map before the first of them.
      if (call.receiver !== undefined) watchObjects(call.receiver, meter);
      endWhenOver(call, meter);
      continue;
    }
    meterCall(call.name, [...(call.receiver === undefined ? [] : [call.receiver]), ...call.args], meter);
  }
}

/** Of a list of texts each is another one by its length or its first characters, as a rule. */
function meterIn([one, list]: readonly [ASTNode, ASTNode], meter: StepMeter): void {
  let wanted = Number.POSITIVE_INFINITY;
  watch(one, (value) => {
    wanted = typeof value === 'object' ? Number.POSITIVE_INFINITY : meter.sizeOf(value);
    if (typeof value === 'object') meter.count(meter.sizeOf(value));
  });
  watch(list, (value) => {
    const isPlain = Array.isArray(value) && Number.isFinite(wanted);
    meter.count(isPlain ? value.length * (1 + Math.floor(wanted / CHARACTERS_PER_STEP)) : meter.sizeOf(value));
  });
}

function meterCall(name: string, operands: readonly ASTNode[], meter: StepMeter): void {
  const [first] = operands;
  if (name === 'size') {
    // A list knows its own length.
    watch(first!, (value) => {
      const steps = typeof value === 'string' ? value.length / CODE_POINTS_PER_STEP : meter.sizeOf(value);
      meter.count(Array.isArray(value) ? 1 : steps);
    });
  } else if (name === 'contains' || name === 'fullMatch') {
    meterSearch(operands, name === 'contains' ? CHARACTERS_PER_STEP : 1, meter);
  } else {
    for (const operand of operands) watch(operand, (value) => meter.count(meter.sizeOf(value)));
  }
}

/** Each place of a text is held against each of what is looked for; which of both is evaluated first is the library's. */
function meterSearch(operands: readonly ASTNode[], charactersPerStep: number, meter: StepMeter): void {
  const lengths = new Map<ASTNode, number>();
  for (const operand of operands) {
    watch(operand, (value) => {
      meter.count(meter.sizeOf(value));
      lengths.set(operand, typeof value === 'string' ? value.length : 0);
      if (lengths.size < operands.length) return;
      const [text = 0, wanted = 0] = operands.map((one) => lengths.get(one)!);
      lengths.clear();
      meter.count((text / charactersPerStep) * (1 + wanted / CHARACTERS_PER_STEP));
    });
  }
}

/** `all` and `exists` go on after an error in the hope of an answer: they get one that ends them, and counts for nothing. */
function endWhenOver({ name, args }: Call, meter: StepMeter): void {
  const body = args[1];
  if (body === undefined || (name !== 'all' && name !== 'exists')) return;
  replace(body, (evaluate) => {
    try {
      return evaluate();
    } catch (error) {
      if (meter.isOver) return name === 'exists';
      throw error;
    }
  });
}

/** `||`, `&&`, `all` and `exists` go on after an error, so it is counted before they see it. */
function countPart(node: ASTNode, meter: StepMeter): void {
  replace(node, (evaluate) => {
    let value: unknown;
    try {
      value = evaluate();
    } catch (error) {
      meter.countError(error);
      throw error;
    }
    meter.count(1);
    return value;
  });
}

function watchObjects(node: ASTNode, meter: StepMeter): void {
  watch(node, (value) => {
    if (typeof value === 'object' && !Array.isArray(value)) meter.count(meter.sizeOf(value));
  });
}

type Evaluate = (this: ASTNode, ...args: unknown[]) => unknown;

function watch(node: ASTNode, seen: (value: unknown) => void): void {
  replace(node, (evaluate) => {
    const value = evaluate();
    seen(value);
    return value;
  });
}

type Replacement = (evaluate: () => unknown) => unknown;
const REPLACED = new WeakMap<ASTNode, Replacement[]>();

/**
 * The library keeps the function that evaluates a part in the part, and the first time exchanges it and calls the new one:
 * what replaces it stays, all of it, and does not run twice.
 */
function replace(node: ASTNode, by: Replacement): void {
  const known = REPLACED.get(node);
  if (known !== undefined) {
    known.push(by);
    return;
  }
  const all = [by];
  REPLACED.set(node, all);
  const part = node as ASTNode & { evaluate: Evaluate };
  let own = part.evaluate;
  let isExchanged = false;
  const watched: Evaluate = function (...args) {
    const run = (index: number): unknown =>
      index < 0 ? own.apply(this, args) : (all[index] as Replacement)(() => run(index - 1));
    return run(all.length - 1);
  };
  Object.defineProperty(part, 'evaluate', {
    configurable: true,
    get: () => {
      if (!isExchanged) return watched;
      isExchanged = false;
      return own;
    },
    set: (exchanged: Evaluate) => {
      own = exchanged;
      isExchanged = true;
    },
  });
}
