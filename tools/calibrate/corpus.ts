import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GrammarError, loadGrammar } from '@colophon/grammars';
import {
  type GrammarName,
  grammarOfPath,
  isGenerated,
  type Language,
  readSource,
  type Source,
} from '@colophon/similarity';

/** A file of the corpus. */
export type CorpusFile = {
  readonly path: string;
  /** The project, or the first of those that are one: files of one project are never strangers. */
  readonly project: string;
  readonly text: string;
  readonly source: Source;
};

/** Half of the projects of a language. */
export type CorpusHalf = {
  readonly files: readonly CorpusFile[];
  readonly projects: number;
  /** Projects that were joined with another one, because they have a part of their text in common. */
  readonly forks: number;
};

/** The thresholds are found on `tuning` and tried on `keptBack`. */
export type Half = 'tuning' | 'keptBack';

const MOST_FILES_PER_PROJECT = 6;
const MOST_PROJECTS = 60;
const FEWEST_TOKENS = 50;
/** Longer files are mostly data, and take most of the time. */
const MOST_BYTES = 60_000;
/** So many lines in a row, word for word, were written once. */
const COPIED_LINES = 20;
/** What so many projects have is a licence or the like, and makes no two of them one. */
const BOILERPLATE_PROJECTS = 4;

/** Reads `FOLDER/LANGUAGE/PROJECT/files`; which project is in which half, and which files are read, is chance and always the same. */
export async function readCorpus(folder: string, language: Language, half: Half): Promise<CorpusHalf> {
  const root = join(folder, language);
  const names = existsSync(root) ? readdirSync(root) : [];
  const chosen = names
    .filter((name) => isInHalf(name, half))
    .sort(byHash)
    .slice(0, MOST_PROJECTS);
  const files: CorpusFile[] = [];
  for (const name of chosen) {
    let taken = 0;
    for (const file of readdirSync(join(root, name)).sort(byHash)) {
      if (taken >= MOST_FILES_PER_PROJECT) break;
      const path = join(root, name, file);
      const grammar = grammarOfPath(path);
      if (grammar === undefined || statSync(path).size > MOST_BYTES) continue;
      const text = readFileSync(path, 'utf8');
      if (isGenerated(text)) continue;
      const source = await readUnlessRefused(grammar, text);
      if (source === undefined || source.symbols.length < FEWEST_TOKENS) continue;
      taken += 1;
      files.push({ path: `${name}/${file}`, project: familyOf(name), text, source });
    }
  }
  return joinForks(files);
}

/** Projects whose names begin alike are of one family: `lodash` and `lodash.merge`, `@babel/core` and `babel-loader`. */
export function familyOf(name: string): string {
  return name
    .replace(/^@/, '')
    .split(/[-_.+!/]/)
    .find((part) => part !== '')!
    .toLowerCase();
}

/** Whether a project is in a half; projects of one family are in the same. */
export function isInHalf(name: string, half: Half): boolean {
  const isEven = Number.parseInt(sha256(familyOf(name)).slice(0, 8), 16) % 2 === 0;
  return isEven === (half === 'tuning');
}

async function readUnlessRefused(grammar: GrammarName, text: string): Promise<Source | undefined> {
  try {
    return readSource(await loadGrammar(grammar), text);
  } catch (error) {
    if (error instanceof GrammarError && error.code !== 'grammar.unavailable') return undefined;
    throw error;
  }
}

function byHash(one: string, other: string): number {
  return sha256(one) < sha256(other) ? -1 : 1;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Makes one project of those that have {@link COPIED_LINES} lines in a row in common. */
function joinForks(files: readonly CorpusFile[]): CorpusHalf {
  const projectsOf = new Map<string, Set<string>>();
  for (const { text, project } of files) {
    const lines = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.length > 3);
    for (let at = 0; at + COPIED_LINES <= lines.length; at += 1) {
      const block = sha256(lines.slice(at, at + COPIED_LINES).join('\n')).slice(0, 16);
      projectsOf.set(block, (projectsOf.get(block) ?? new Set()).add(project));
    }
  }
  const parents = new Map<string, string>();
  const rootOf = (project: string): string => {
    let root = project;
    while (parents.has(root)) root = parents.get(root)!;
    return root;
  };
  for (const projects of projectsOf.values()) {
    if (projects.size < 2 || projects.size >= BOILERPLATE_PROJECTS) continue;
    const [first, ...others] = [...projects].map(rootOf);
    for (const other of others) if (rootOf(other) !== rootOf(first!)) parents.set(rootOf(other), rootOf(first!));
  }
  const joined = files.map((file) => ({ ...file, project: rootOf(file.project) }));
  const projects = new Set(joined.map(({ project }) => project)).size;
  return { files: joined, projects, forks: parents.size };
}
