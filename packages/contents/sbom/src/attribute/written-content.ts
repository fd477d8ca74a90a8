import type { Component } from '../document/bom.ts';
import { sourcePaths } from './source-path.ts';

/** What a run's commit wrote under a name, and what a repository has there now. */
export type WrittenFile = {
  /** The commit's own version, and those of commits that made the same change on another base; none where it has none. */
  readonly versions: ReadonlyArray<{
    readonly commit: string;
    /** The name of the content in the repository; two contents never share one. */
    readonly object: string;
    /** Of the content, by CycloneDX's names of algorithms, in hex. */
    readonly hashes: Readonly<Record<string, string>>;
  }>;
  readonly current: string | undefined;
  /** The working tree has something else than its last commit. */
  readonly isEdited: boolean;
  /** The newest commit that changed it to something else. */
  readonly changedBy?: string;
};

/** What became of the content of one file that a run wrote. */
export type FileContent = {
  readonly file: string;
  /**
   * `same`: it is what the commit wrote. `gone`: the commit took it out, and it is not there. `changed`: neither.
   * `unknown`: no repository shows the commit, or the document names the file by a hash that is not compared.
   */
  readonly is: 'same' | 'gone' | 'changed' | 'unknown';
  /** Where the commit wrote it: the run's, or one that made the same change on another base. */
  readonly commit?: string;
  readonly sha256?: string;
  /** Whose change it is now: a commit, or `working tree`; absent where the document's hash is of neither. */
  readonly changed_by?: string;
};

/**
 * Holds a component's content of a file against what the run's commit wrote: the document's own hash where the component
 * is that file and has one, else what the repository has there.
 */
export function contentOf(
  component: Component,
  file: string,
  written: WrittenFile | undefined,
  root?: string,
): FileContent {
  if (written === undefined) return { file, is: 'unknown' };
  const by = written.isEdited ? 'working tree' : written.changedBy;
  const [own] = written.versions;
  if (own === undefined) {
    const isGone = written.current === undefined && !written.isEdited;
    return isGone ? { file, is: 'gone' } : { file, is: 'changed', ...(by !== undefined && { changed_by: by }) };
  }
  const stated = statedHashes(component, file, root);
  const isComparable = stated.length === 0 || stated.some(({ alg }) => Object.hasOwn(own.hashes, alg));
  if (!isComparable) return { file, is: 'unknown', commit: own.commit };
  const found = written.versions.find(({ object, hashes }) =>
    stated.length === 0
      ? object === written.current
      : stated.every(({ alg, content }) => !Object.hasOwn(hashes, alg) || hashes[alg] === content.toLowerCase()),
  );
  if (found !== undefined) {
    const sha256 = found.hashes['SHA-256'];
    return { file, is: 'same', commit: found.commit, ...(sha256 !== undefined && { sha256 }) };
  }
  return { file, is: 'changed', commit: own.commit, ...(by !== undefined && { changed_by: by }) };
}

/** One line about content that is not known to be what the run wrote. */
export function contentNote({ file, is, commit, changed_by: by }: FileContent, attested: string): string {
  if (is === 'changed') {
    const now = by === undefined ? 'its hash in the document is of another content' : `changed by ${by}`;
    return `${file} is not what commit ${attested} wrote: ${now}`;
  }
  if (commit !== undefined) return `${file}: the document has no SHA-256, SHA-384 or SHA-512 of it`;
  return `${file}: nothing shows what commit ${attested} wrote there`;
}

/** Hashes say what one file is; those of a folder are of an archive. */
function statedHashes(
  component: Component,
  file: string,
  root: string | undefined,
): ReadonlyArray<{ readonly alg: string; readonly content: string }> {
  if (!sourcePaths(component, root).some(({ path }) => path === file)) return [];
  const hashes: unknown = component.hashes;
  return (Array.isArray(hashes) ? hashes : []).filter(
    (hash) => typeof hash?.alg === 'string' && typeof hash.content === 'string',
  );
}
