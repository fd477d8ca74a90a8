import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const LINK = /!?\[(?:[^\][]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g;

/** The prose of a page: fenced blocks and inline code are blanked, lines stay where they are. */
function prose(markdown: string): string {
  let fence = '';
  const lines = markdown.split('\n').map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence === '' && mark === '') return line;
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';
    return '';
  });
  return lines.join('\n').replace(/(`+)[^`].*?\1/g, '');
}

/** Link targets of a page. */
export function linkTargets(markdown: string): string[] {
  return [...prose(markdown).matchAll(LINK)].map(([, target]) => target!);
}

/** The anchors that a forge gives to the headings of a page. */
export function anchors(markdown: string): Set<string> {
  const found = new Set<string>();
  // Inline code counts in a heading, so only fences are taken out here.
  for (const [, heading] of markdown
    .replace(/^( {0,3})(```+|~~~+)[\s\S]*?^\1\2/gm, '')
    .matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replace(/ /g, '-');
    let name = slug;
    for (let n = 1; found.has(name); n += 1) name = `${slug}-${n}`;
    found.add(name);
  }
  return found;
}

/** Relative links in `pages` (paths below `root`) that lead nowhere, one sentence each. */
export function linkProblems(root: string, pages: readonly string[]): string[] {
  const problems: string[] = [];
  for (const page of pages) {
    for (const target of linkTargets(readFileSync(join(root, page), 'utf8'))) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(root, page) : join(root, dirname(page), decodeURIComponent(path));
      const say = (why: string) => problems.push(`${page}: ${target}: ${why}`);
      if (relative(root, file).startsWith('..')) say('leads out of the repository');
      else if (!existsSync(file)) say('no such file');
      else if (anchor !== undefined && file.endsWith('.md') && statSync(file).isFile()) {
        if (!anchors(readFileSync(file, 'utf8')).has(decodeURIComponent(anchor))) say('no such heading');
      }
    }
  }
  return problems;
}

/** Pages of docs, of all `files`, to which the index has no link, one sentence each. */
export function indexProblems(root: string, files: readonly string[]): string[] {
  const index = 'docs/README.md';
  const targets = new Set(linkTargets(readFileSync(join(root, index), 'utf8')).map((target) => target.split('#')[0]));
  return files
    .flatMap((path) => /^docs\/([^/]+\.md)$/.exec(path)?.[1] ?? [])
    .filter((name) => name !== 'README.md' && !targets.has(name))
    .map((name) => `${index}: has no link to ${name}`);
}
