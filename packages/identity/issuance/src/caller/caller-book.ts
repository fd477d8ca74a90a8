import { type CompiledRights, compileRights } from '../caller-rights/caller-rights.ts';
import type { Caller, CallerCondition, CallerTokenRule } from './caller.ts';

/** A caller as requests are held against it. */
export type KnownCaller = Caller & { readonly rights: CompiledRights };

/** One that tokens speak for. */
export type TokenCaller = KnownCaller & { readonly token: CallerTokenRule };

/** Every caller, found by name or by what its token says, however many there are. */
export type CallerBook = {
  byName(name: string): KnownCaller | undefined;
  /** Those of an issuer whose conditions may hold for a token with these claims: a few of many. */
  candidates(issuer: string, claims: Readonly<Record<string, unknown>>): readonly TokenCaller[];
};

/** Compiles the callers of a configuration once; their names are unique. */
export function compileCallers(callers: readonly Caller[]): CallerBook {
  const known = callers.map((caller) => ({ ...caller, rights: compileRights(caller.may) }));
  const byName = new Map(known.map((caller) => [caller.name, caller]));
  const withTokens = known.filter((caller): caller is TokenCaller => caller.token !== undefined);
  const byIssuer = new Map(
    [...Map.groupBy(withTokens, ({ token }) => token.issuer)].map(([issuer, ofIssuer]) => [issuer, indexOf(ofIssuer)]),
  );
  return {
    byName: (name) => byName.get(name),
    candidates: (issuer, claims) => byIssuer.get(issuer)?.(claims) ?? [],
  };
}

/** The value of a claim as text, where it is a text, a number or a boolean: the kinds that a whole value is compared by. */
export function claimText(claims: unknown, path: readonly string[]): string | undefined {
  let value = claims;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) || typeof value === 'boolean' ? String(value) : undefined;
}

type Lookup = (claims: Readonly<Record<string, unknown>>) => readonly TokenCaller[];

/** By the claim that tells most callers apart; those that do not ask for it are candidates always. */
function indexOf(callers: readonly TokenCaller[]): Lookup {
  const best = mostTelling(callers.flatMap(({ token }) => token.where));
  if (best === undefined) return () => callers;
  const rest: TokenCaller[] = [];
  const byValue = new Map<string | undefined, TokenCaller[]>();
  for (const caller of callers) {
    const condition = caller.token.where.find(({ path }) => keyOf(path) === keyOf(best));
    if (condition === undefined) rest.push(caller);
    for (const value of new Set(condition?.values)) byValue.set(value, [...(byValue.get(value) ?? []), caller]);
  }
  return (claims) => [...rest, ...(byValue.get(claimText(claims, best)) ?? [])];
}

/** Of equally telling claims the first. */
function mostTelling(conditions: readonly CallerCondition[]): readonly string[] | undefined {
  let best: { readonly path: readonly string[]; readonly count: number } | undefined;
  for (const ofPath of Map.groupBy(conditions, ({ path }) => keyOf(path)).values()) {
    const count = new Set(ofPath.flatMap(({ values }) => values)).size;
    if (best === undefined || count > best.count) best = { path: ofPath[0]!.path, count };
  }
  return best?.path;
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}
