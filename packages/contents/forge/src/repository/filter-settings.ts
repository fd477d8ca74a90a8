import type { GitOptions } from '../git/git.ts';

const NO_FILTER = { clean: '', process: '', required: 'false' } as const;

/**
 * Settings under which git runs no filter of a repository: it would to compare what is not committed, and already to say
 * whether a file that is as new as its index has changed.
 * @param filters their names, as the repository's configuration has them
 */
export function filterSettings(filters: readonly string[]): NonNullable<GitOptions['settings']> {
  return filters.flatMap((name) =>
    Object.entries(NO_FILTER).map(([key, value]) => [`filter.${name}.${key}`, value] as const),
  );
}
