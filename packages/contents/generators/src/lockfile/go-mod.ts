import { GeneratorError } from '../generator-error/generator-error.ts';
import type { LockedPackage, LockedProject } from './locked-project.ts';
import { NoteGroups } from './note-groups.ts';
import { packagePurl } from './purl.ts';

/** From this version on a `go.mod` lists indirect requirements too. @see https://go.dev/ref/mod#graph-pruning */
const FIRST_COMPLETE_GO = [1, 17] as const;
const SILENT_VERBS = ['go', 'toolchain'];
/** Which versions are not taken, which packages are programs or passed over, how the runtime behaves. */
const OTHER_VERBS = ['exclude', 'retract', 'tool', 'godebug', 'ignore'];

type Requirement = {
  readonly path: string;
  readonly version: string;
  readonly isIndirect: boolean;
  readonly line: string;
};

type Replacement = { readonly path: string; readonly version: string | undefined; readonly line: string };

/**
 * The modules of a `go.mod`, replacements made. Which module needs which is not said there; the project needs those
 * that are not marked indirect.
 * @throws GeneratorError `feeds.lockfile_invalid`
 * @see https://go.dev/ref/mod#go-mod-file
 */
export function readGoMod(text: string): LockedProject {
  let module: string | undefined;
  let isWhole = false;
  const required = new Map<string, Requirement>();
  const replaced = new Map<string, Replacement>();
  const notes = new NoteGroups();
  for (const { verb, words, comment, number } of directives(text)) {
    const line = `line ${number}`;
    if (verb === 'module' && words.length === 1) module = words[0];
    else if (verb === 'require' && words.length === 2) {
      const [path, version] = words as [string, string];
      const key = `${path} ${version}`;
      const isIndirect = (required.get(key)?.isIndirect ?? true) && /^\/\/\s*indirect\s*(?:;|$)/.test(comment);
      required.set(key, { path, version, isIndirect, line });
    } else if (verb === 'replace' && isReplacement(words)) {
      const arrow = words.indexOf('=>');
      const [path, version] = words.slice(arrow + 1) as [string, string | undefined];
      replaced.set(words.slice(0, arrow).join(' '), { path, version, line });
    } else if (OTHER_VERBS.includes(verb)) notes.add(`no module of the build (${OTHER_VERBS.join(', ')})`, line);
    else if (!SILENT_VERBS.includes(verb)) {
      throw new GeneratorError('feeds.lockfile_invalid', `line ${number} is nothing that Go knows`);
    }
    if (verb === 'go') isWhole = isAtLeast(words[0], FIRST_COMPLETE_GO);
  }
  const packages = new Map<string, LockedPackage>();
  const dependsOn = new Set<string>();
  const versions = new Map<string, string[]>();
  for (const { path, version, isIndirect, line } of required.values()) {
    versions.set(path, [...(versions.get(path) ?? []), line]);
    const of = [`${path} ${version}`, path].find((name) => replaced.has(name)) ?? '';
    const replacement = replaced.get(of);
    const isFolder = replacement !== undefined && replacement.version === undefined;
    if (isFolder) {
      // What lies in the folder may be anything, and is not the published version.
      notes.add('replaced by a folder: its version is not known', `${replacement.line} (${path})`);
    }
    const meant = replacement === undefined || isFolder ? { path, version } : replacement;
    const key = packages.has(path) ? `${path} ${version}` : path;
    packages.set(key, { ...named(meant.path, isFolder ? undefined : meant.version), key });
    if (!isIndirect) dependsOn.add(key);
  }
  const usedPaths = new Set([...required.values()].flatMap(({ path, version }) => [path, `${path} ${version}`]));
  for (const [of, { line }] of replaced) {
    if (!usedPaths.has(of)) notes.add('replaces what no line requires', `${line} (${of})`);
  }
  for (const [path, lines] of versions) {
    if (lines.length > 1)
      notes.add('one module in several versions, of which Go builds the newest', `${lines.join(' and ')} (${path})`);
  }
  if (!isWhole && required.size > 0) {
    notes.add('of a version of Go before 1.17, with direct requirements alone: what they need is not known', 'go.mod');
  }
  return {
    root: module === undefined ? {} : named(module, undefined),
    dependsOn: [...dependsOn],
    packages: [...packages.values()],
    notes: notes.notes(),
  };
}

function isReplacement(words: readonly string[]): boolean {
  const arrow = words.indexOf('=>');
  const after = words.length - arrow - 1;
  return (arrow === 1 || arrow === 2) && (after === 1 || after === 2);
}

function isAtLeast(version: string | undefined, [major, minor]: readonly [number, number]): boolean {
  const [, first, second] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}

type Directive = { readonly verb: string; readonly words: string[]; readonly comment: string; readonly number: number };

function* directives(text: string): Generator<Directive> {
  let block: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const number = index + 1;
    const { words, comment } = wordsOf(line.replace(/\r$/, ''));
    if (words.length === 0) continue;
    if (block === undefined && words.at(-1) === '(' && words.length === 2) block = words[0];
    else if (block !== undefined && words[0] === ')' && words.length === 1) block = undefined;
    else if (block !== undefined) yield { verb: block, words, comment, number };
    else yield { verb: words[0]!, words: words.slice(1), comment, number };
  }
  if (block !== undefined)
    throw new GeneratorError('feeds.lockfile_invalid', `the block ${block.slice(0, 20)} has no end`);
}

/** As Go takes them: brackets and commas are words of their own, whatever stands beside them. */
function wordsOf(line: string): { words: string[]; comment: string } {
  const words: string[] = [];
  for (const [word, quoted, raw] of line.matchAll(
    /\/\/.*|"((?:[^"\\]|\\.)*)"|`([^`]*)`|[()[\]{},]|(?:(?!\/\/)[^\s()[\]{},])+/g,
  )) {
    if (word.startsWith('//')) return { words, comment: word };
    words.push(quoted ?? raw ?? word);
  }
  return { words, comment: '' };
}

function named(path: string, version: string | undefined) {
  const slash = path.lastIndexOf('/');
  const group = slash < 0 ? undefined : path.slice(0, slash);
  const purl = packagePurl('golang', group, path.slice(slash + 1), version);
  return { name: path, ...(version && { version }), ...(purl && { purl }) };
}
