import { parsePointer } from '@colophon/json';
import type { Loss } from '../profile/loss.ts';
import type { SchemaCheck } from '../schema/schema-check.ts';

/** Each round takes out what the schema does not allow; what holds something that is then incomplete goes in the next. */
const MOST_ROUNDS = 64;
const MOST_FAULTS = 1_000_000;
const LONGEST_QUOTE = 80;

/**
 * Takes out of a document what a schema does not allow, and as little as will do: a member, else what holds it.
 * @param where names the schema in the reasons, e.g. `CycloneDX 1.6`
 * @returns a document that is valid, or undefined where nothing would be left
 */
export function fitToSchema<T>(
  document: T,
  schema: SchemaCheck,
  where: string,
): { readonly document: T; readonly losses: readonly Loss[] } | undefined {
  const losses: Loss[] = [];
  let fitted: unknown = document;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (schema.isValid(fitted)) return { document: fitted as T, losses };
    const { faults } = schema.explain(fitted, MOST_FAULTS);
    const places = new Places();
    for (const { path, message } of faults) {
      const tokens = parsePointer(path);
      if (tokens === undefined || tokens.length === 0) return undefined;
      if (!places.add(tokens)) continue;
      losses.push({ path, what: quote(valueAt(fitted, tokens)), why: `${where}: ${message}` });
    }
    if (faults.length === 0) return undefined;
    fitted = places.takenOut(fitted);
  }
  return undefined;
}

/** Places in a document, as a tree. */
class Places {
  private readonly inner = new Map<string, Places>();
  private isTaken = false;

  /** False for a place that is in already, by itself or in a larger one. */
  add(tokens: readonly string[]): boolean {
    let place: Places = this;
    for (const token of tokens) {
      if (place.isTaken) return false;
      const next = place.inner.get(token) ?? new Places();
      place.inner.set(token, next);
      place = next;
    }
    const isNew = !place.isTaken;
    place.isTaken = true;
    return isNew;
  }

  takenOut(value: unknown): unknown {
    if (this.inner.size === 0) return value;
    const kept = (name: string) => !this.inner.get(name)?.isTaken;
    const reduced = (name: string, part: unknown) => this.inner.get(name)?.takenOut(part) ?? part;
    if (Array.isArray(value)) {
      return value.flatMap((item, index) => (kept(`${index}`) ? [reduced(`${index}`, item)] : []));
    }
    const entries = Object.entries(value as object).filter(([name]) => kept(name));
    return Object.fromEntries(entries.map(([name, part]) => [name, reduced(name, part)]));
  }
}

function valueAt(document: unknown, tokens: readonly string[]): unknown {
  let value = document;
  for (const token of tokens) value = (value as Record<string, unknown> | undefined)?.[token];
  return value;
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= LONGEST_QUOTE ? text : `${text.slice(0, LONGEST_QUOTE)}…`;
}
