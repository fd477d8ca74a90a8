import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadGrammar } from '@colophon/grammars';
import { type GrammarName, grammarOfPath, type Language, readSource, type Source } from '@colophon/similarity';

/** One row of pairs.json, as far as it is used. */
type PairRow = {
  readonly lang: string;
  readonly label: string;
  readonly a: string;
  readonly b: string;
  readonly group: string;
};

/** Two files and whether one was made from the other. */
export type LabelledPair = {
  readonly label: string;
  readonly isRelated: boolean;
  readonly language: Language;
  /** File names in the folder of pairs. */
  readonly a: string;
  readonly b: string;
  /** The project of each file: files that were made from each other, or for the same task, are of one. */
  readonly projects: readonly [string, string];
};

/** A file of the folder, with what the baseline compares: the words and signs of its text, comments and all, as a set. */
export type PairFile = { readonly text: string; readonly source: Source; readonly tokens: ReadonlySet<string> };

/** The labelled pairs of a folder, and all of their files by name. */
export type Pairs = { readonly pairs: readonly LabelledPair[]; readonly files: ReadonlyMap<string, PairFile> };

const LANGUAGE_BY_FOLDER: Readonly<Record<string, Language>> = { js: 'javascript', ts: 'typescript' };
const NOT_RELATED = new Set(['independent', 'unrelated']);

/** The labelled pairs of a folder, and all of their files read. */
export async function readPairs(folder: string): Promise<Pairs> {
  const rows: PairRow[] = JSON.parse(readFileSync(join(folder, 'pairs.json'), 'utf8'));
  const files = new Map<string, PairFile>();
  for (const path of new Set(rows.flatMap(({ a, b }) => [a, b]))) {
    const text = readFileSync(join(folder, path), 'utf8');
    const grammar = await loadGrammar(grammarOfPath(path) as GrammarName);
    files.set(path, { text, source: readSource(grammar, text), tokens: tokenSet(text) });
  }
  const projectOf = projectsOf(rows, (path) => createHash('sha256').update(files.get(path)!.text).digest('hex'));
  const pairs = rows.map(({ lang, label, a, b }) => ({
    label,
    isRelated: !NOT_RELATED.has(label),
    language: LANGUAGE_BY_FOLDER[lang] ?? (lang as Language),
    a,
    b,
    projects: [projectOf(a), projectOf(b)] as const,
  }));
  return { pairs, files };
}

function tokenSet(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*|\d+|[^\s\w]/g) ?? []);
}

/**
 * The project of each file. Two files are of one project where a pair that is not random has both, where they have the
 * same text, or where pairs of one group have them. A project is called by the least of its hashes.
 */
function projectsOf(rows: readonly PairRow[], hashOf: (path: string) => string): (path: string) => string {
  const parents = new Map<string, string>();
  const rootOf = (name: string): string => {
    let root = name;
    while (parents.has(root)) root = parents.get(root)!;
    return root;
  };
  const join = (one: string, other: string) => {
    const [least, greatest] = [rootOf(one), rootOf(other)].sort() as [string, string];
    if (least !== greatest) parents.set(greatest, least);
  };
  for (const { a, b, label, group, lang } of rows) {
    if (label === 'unrelated') continue;
    join(hashOf(a), hashOf(b));
    // A letter beyond the hexadecimal ones: a group never is the least.
    join(hashOf(a), `group ${lang} ${group}`);
  }
  const known = new Map<string, string>();
  return (path) => {
    const project = known.get(path) ?? rootOf(hashOf(path));
    known.set(path, project);
    return project;
  };
}

/** The pairs of each half of the labelled projects. */
export type PairHalves = { readonly tuning: readonly LabelledPair[]; readonly keptBack: readonly LabelledPair[] };

/**
 * Deals the projects of each language into two halves by the order of their names, which are hashes: which project comes
 * where is chance, and the same each time. A pair that has its projects in both belongs to neither.
 */
export function halfOf(pairs: readonly LabelledPair[]): PairHalves {
  const half = new Map<string, number>();
  const nameOf = (language: Language, project: string) => `${language} ${project}`;
  for (const language of new Set(pairs.map((pair) => pair.language))) {
    const projects = new Set(pairs.filter((pair) => pair.language === language).flatMap((pair) => pair.projects));
    [...projects].sort().forEach((project, index) => {
      half.set(nameOf(language, project), index % 2);
    });
  }
  const within = (wanted: number) =>
    pairs.filter(({ language, projects }) =>
      projects.every((project) => half.get(nameOf(language, project)) === wanted),
    );
  return { tuning: within(0), keptBack: within(1) };
}
