import { vulnerabilityKeys } from '../match/vulnerability-key.ts';
import type { VexDocument, VexStatement } from '../vex-document/vex-document.ts';
import { compareTimes } from '../vex-time/vex-time.ts';
import { bothOf, overlap, type Scope, scopesOf } from './statement-scope.ts';

/**
 * What a document says now of something: for each status the latest statement on any part of the scopes that no later
 * statement has overruled as a whole. Several stand where parts of a product are said to be different.
 */
export function standingStatements(
  { statements }: Pick<VexDocument, 'statements'>,
  about: Pick<VexStatement, 'vulnerability' | 'products'>,
): readonly VexStatement[] {
  const keys = new Set(vulnerabilityKeys(about.vulnerability));
  const wanted = scopesOf(about.products);
  const relevant = statements
    .map((statement, position) => ({ statement, position }))
    .filter(({ statement }) => vulnerabilityKeys(statement.vulnerability).some((key) => keys.has(key)))
    .sort((a, b) => compareTimes(b.statement.timestamp, a.statement.timestamp) || b.position - a.position);
  const standing = new Map<string, VexStatement>();
  const later = new Scopes();
  for (const { statement } of relevant) {
    for (const scope of scopesOf(statement.products)) {
      const reached = wanted.filter((one) => overlap(scope, one));
      if (reached.length === 0) continue;
      // Only what is wanted of it counts: the rest may be overruled or not.
      const isOverruled = reached.every((one) => later.cover(bothOf(scope, one)));
      later.add(scope);
      if (!isOverruled && !standing.has(statement.status)) standing.set(statement.status, statement);
    }
  }
  return [...standing.values()];
}

/** Scopes, by what they name: whether one of them covers another one is looked up, and not tried one by one. */
class Scopes {
  readonly #byKeys = new Map<string, { readonly keys: readonly string[]; readonly known: Set<string> }>();

  add({ base, parts }: Scope): void {
    const keys = [...parts.keys()];
    const named = keys.join('&');
    const group = this.#byKeys.get(named) ?? { keys, known: new Set() };
    group.known.add([base, ...parts.values()].join('\0\0'));
    this.#byKeys.set(named, group);
  }

  cover({ base, parts }: Scope): boolean {
    for (const { keys, known } of this.#byKeys.values()) {
      if (known.has([base, ...keys.map((key) => parts.get(key))].join('\0\0'))) return true;
    }
    return false;
  }
}
