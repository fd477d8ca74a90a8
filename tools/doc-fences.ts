import { readFileSync } from 'node:fs';

/** A fenced block of a markdown page. */
export type Fence = {
  /** The first word after the backticks, e.g. `sh`. */
  readonly language: string;
  /** The words after the language, e.g. `['run']`. */
  readonly markers: readonly string[];
  /** The text between the fences, with its last newline. */
  readonly text: string;
  /** Line number of the opening fence, from 1. */
  readonly line: number;
};

/** Every fenced block of a markdown text, in order; a block that never closes runs to the end, as CommonMark has it. */
export function parseFences(markdown: string): Fence[] {
  const found: Fence[] = [];
  let open: { fence: string; info: string; line: number; lines: string[] } | undefined;
  const close = () => {
    if (open === undefined) return;
    const [language = '', ...markers] = open.info.split(/\s+/);
    found.push({ language, markers, text: open.lines.map((line) => `${line}\n`).join(''), line: open.line });
    open = undefined;
  };
  markdown.split('\n').forEach((line, index) => {
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})\s*(.*?)\s*$/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== '' && !info.includes('`')) open = { fence, info, line: index + 1, lines: [] };
    } else if (info === '' && fence.startsWith(open.fence)) {
      close();
    } else {
      open.lines.push(line);
    }
  });
  close();
  return found;
}

/**
 * The blocks of the page at `markdownPath` that carry `marker` after their language, in order: `fences(page, 'run')`
 * gives every block that opens with three backticks and `sh run`. Suites run these verbatim.
 */
export function fences(markdownPath: string, marker: string): Fence[] {
  return parseFences(readFileSync(markdownPath, 'utf8')).filter(({ markers }) => markers.includes(marker));
}
