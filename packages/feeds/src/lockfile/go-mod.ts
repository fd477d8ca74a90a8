import type { LockedPackage, LockedProject } from './locked-project.ts';
import { packagePurl } from './purl.ts';

/**
 * The project of a `go.mod` (Go 1.17 or later, which lists indirect requirements too), replacements made. Which module
 * needs which is not said there; the project needs those that are not marked indirect.
 * @see https://go.dev/ref/mod#go-mod-file
 */
export function readGoMod(text: string): LockedProject {
  let module: string | undefined;
  const required = new Map<string, { version: string; isIndirect: boolean }>();
  const replaced = new Map<string, { path: string; version: string | undefined }>();
  const notes: string[] = [];
  for (const { verb, words, comment } of directives(text)) {
    if (verb === 'module') module = words[0];
    if (verb === 'require' && words.length >= 2) {
      required.set(words[0]!, { version: words[1]!, isIndirect: /\bindirect\b/.test(comment) });
    }
    if (verb === 'replace') {
      const arrow = words.indexOf('=>');
      const [path, version] = words.slice(arrow + 1);
      const of = words.slice(0, arrow);
      if (arrow > 0 && path !== undefined) replaced.set(of.join(' '), { path, version });
    }
  }
  const packages: LockedPackage[] = [];
  const dependsOn: string[] = [];
  for (const [path, { version, isIndirect }] of required) {
    const replacement = replaced.get(`${path} ${version}`) ?? replaced.get(path);
    const isFolder = replacement !== undefined && replacement.version === undefined;
    if (isFolder) notes.push(`${path} is replaced by a folder, and named by what it replaces`);
    const meant =
      replacement === undefined || isFolder ? { path, version } : (replacement as { path: string; version: string });
    packages.push({ ...named(meant.path, meant.version), key: path, dependsOn: [] });
    if (!isIndirect) dependsOn.push(path);
  }
  // Who needs an indirect one is not known; that the project does, in the end, is.
  return {
    root: module === undefined ? {} : named(module, undefined),
    dependsOn: dependsOn.length > 0 ? dependsOn : [...required.keys()],
    packages,
    notes,
  };
}

function* directives(text: string): Generator<{ verb: string; words: string[]; comment: string }> {
  let block: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const start = line.indexOf('//');
    const code = (start < 0 ? line : line.slice(0, start)).trim();
    const comment = start < 0 ? '' : line.slice(start);
    const words = code
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => word.replace(/^["`](.*)["`]$/, '$1'));
    if (words.length === 0) continue;
    if (block === undefined && words.at(-1) === '(') block = words[0];
    else if (block !== undefined && words[0] === ')') block = undefined;
    else if (block !== undefined) yield { verb: block, words, comment };
    else yield { verb: words[0]!, words: words.slice(1), comment };
  }
}

function named(path: string, version: string | undefined) {
  const slash = path.lastIndexOf('/');
  const group = slash < 0 ? undefined : path.slice(0, slash);
  const purl = packagePurl('golang', group, path.slice(slash + 1), version);
  return { name: path, ...(version && { version }), ...(purl && { purl }) };
}
