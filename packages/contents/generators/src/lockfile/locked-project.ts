/** What a lockfile says: the project, every package that it resolved, and who needs whom. */
export type LockedProject = {
  /** As far as the lockfile or the manifest beside it says. */
  readonly root: LockedName & { readonly licence?: string };
  /** Keys of what the project itself needs; undefined where nobody says. */
  readonly dependsOn?: readonly string[];
  /** The project needs more than that, or may: something of the lockfile is no package here. */
  readonly isIncomplete?: boolean;
  readonly packages: readonly LockedPackage[];
  /** Names of other files that were read, from the folder of the lockfile. */
  readonly files?: readonly string[];
  /** What the document cannot say, for people. */
  readonly notes?: readonly string[];
};

export type LockedName = {
  readonly group?: string;
  readonly name?: string;
  readonly version?: string;
  readonly purl?: string;
};

export type LockedPackage = LockedName & {
  readonly name: string;
  /** No other package of the project has it. */
  readonly key: string;
  /** `excluded`: for development alone. Undefined where the lockfile does not say. */
  readonly scope?: Scope;
  /** SPDX id, expression, or whatever the package says. */
  readonly licence?: string;
  readonly hashes?: ReadonlyArray<{ readonly alg: HashName; readonly content: string }>;
  readonly source?: { readonly kind: 'distribution' | 'vcs'; readonly url: string };
  readonly properties?: ReadonlyArray<readonly [name: string, value: string]>;
  /** Keys; empty where the lockfile says that it needs nothing, undefined where it does not say. */
  readonly dependsOn?: readonly string[];
  /** It needs more than that: something that the lockfile does not have. */
  readonly isIncomplete?: boolean;
};

export type Scope = 'required' | 'optional' | 'excluded';
export type HashName = 'MD5' | 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512';

/** Who needs whom, with what may be missing apart. */
export type Needs = { readonly needed: readonly string[]; readonly optional: readonly string[] };

/**
 * The scope of every package that can be reached: required by the way of `needed` alone, optional by any way, and the
 * rest, which only `development` leads to, excluded from what runs.
 */
export function scopesOf(
  needsOf: (key: string) => Needs,
  roots: Needs & { readonly development: readonly string[] },
): Map<string, Scope> {
  const scopes = new Map<string, Scope>();
  const spread = (scope: Scope, starts: Iterable<string>, next: (key: string) => readonly string[]) => {
    const open = [...starts];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      if (scopes.has(key)) continue;
      scopes.set(key, scope);
      open.push(...next(key));
    }
  };
  const everything = (key: string) => [...needsOf(key).needed, ...needsOf(key).optional];
  spread('required', roots.needed, (key) => needsOf(key).needed);
  const fromRequired = [...scopes.keys()].flatMap((key) => needsOf(key).optional);
  spread('optional', [...roots.optional, ...fromRequired], everything);
  spread('excluded', roots.development, everything);
  return scopes;
}

/** One that is needed in several ways is needed in the strongest. */
export function strongestScope(a: Scope | undefined, b: Scope | undefined): Scope | undefined {
  const order: ReadonlyArray<Scope | undefined> = ['required', undefined, 'optional', 'excluded'];
  return order.indexOf(a) <= order.indexOf(b) ? a : b;
}
