import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvidence } from './agent-evidence.ts';
import { parseAttributionComment } from './attribution-comment.ts';
import type { AttributedLine } from './code-block.ts';
import { type CommentSyntax, commentSyntaxOf, EMBEDDED_MARKS } from './comment-syntax.ts';
import { enclosingTextByLexis } from './enclosing-text.ts';
import { insertComments, sourceText } from './placement.ts';
import { reviewComments } from './review-comments.ts';

const A: AgentEvidence = { agent: 'a', version: '1', model: 'm', source: 'trailer' };
const B: AgentEvidence = { agent: 'b', source: 'git-ai' };
const WHO: Readonly<Record<string, AgentEvidence | undefined>> = {
  a: A,
  A: { ...A, model: 'n' },
  b: B,
  o: A,
  r: { ...A, reviewedBy: 'ann@example.com' },
};

/** One letter a line says who wrote it: `.` a person, `o` agent a long ago. */
function review(path: string, text: string, who: string) {
  const source = sourceText(text);
  const syntax = commentSyntaxOf(path, source.lines[0]) as CommentSyntax;
  const lines: AttributedLine[] = source.lines.map((line, i) => ({
    text: line,
    evidence: WHO[who[i] ?? '.'],
    isNew: who[i] !== 'o',
  }));
  const result = reviewComments(source, lines, syntax, enclosingTextByLexis(text, syntax.lexis));
  const insertions = result.findings.flatMap(({ remedy }) => ('reason' in remedy ? [] : [remedy]));
  return { ...result, codes: result.findings.map(({ code }) => code), fixed: insertComments(source, insertions) };
}

const code = (lines: number, from = 1) => Array.from({ length: lines }, (_, i) => `x = ${from + i}\n`).join('');
const RIGHT = '# colophon: agent=a@1 model=m\n';

describe('a block', () => {
  test('of 8 lines needs no comment, one of 9 does', () => {
    expect(review('a.py', code(8), 'a'.repeat(8)).codes).toEqual([]);
    expect(review('a.py', code(9), 'a'.repeat(9)).codes).toEqual(['comment.missing']);
  });

  test('is ended by people and other agents, not by blank lines', () => {
    expect(review('a.py', code(12), 'aaaaaa.aaaaa').codes).toEqual([]);
    expect(review('a.py', code(12), 'aaaaaabbbbbb').codes).toEqual([]);
    expect(review('a.py', `${code(4)}\n${code(4)}`, 'aaaa.aaaa').codes).toEqual(['comment.missing']);
    // Blank lines at its ends are no part of it.
    expect(review('a.py', `\n\n${code(8)}\n\n`, 'a'.repeat(12)).codes).toEqual([]);
  });

  test('counts whole where only some of it is new, and not where nothing is', () => {
    expect(review('a.py', code(9), 'ooooooooa').codes).toEqual(['comment.missing']);
    expect(review('a.py', code(9), 'ooooooooo').codes).toEqual([]);
  });

  test('of two models names none', () => {
    const { findings } = review('a.py', code(10), 'aaaaaAAAAA');
    expect(findings[0]?.comment).toEqual({ agent: 'a', version: '1' });
  });
});

describe('a comment', () => {
  test.each([
    ['directly above', RIGHT + code(9), '.aaaaaaaaa'],
    ['as the first line, by the agent itself', RIGHT + code(9), 'aaaaaaaaaa'],
    ['above blank lines', `${RIGHT}\n${code(9)}`, '..aaaaaaaaa'],
    ['below the shebang that the agent wrote too', `#!/usr/bin/python\n${RIGHT}${code(9)}`, 'aaaaaaaaaaa'],
    ['below a licence that the agent wrote too', `${'# licence\n'.repeat(12)}\n${RIGHT}${code(9)}`, 'a'.repeat(23)],
    ['with the name in another case', RIGHT.replace('=a@', '=A@') + code(9), '.aaaaaaaaa'],
    ['that says more than is known', `# colophon: agent=b@7 model=q\n${code(9)}`, '.bbbbbbbbb'],
  ])('%s is right', (_, text, who) => {
    expect(review('a.py', text, who).codes).toEqual([]);
  });

  test.each([
    ['of another agent', '# colophon: agent=b\n', 'comment.wrong'],
    ['of another version', '# colophon: agent=a@2 model=m\n', 'comment.wrong'],
    ['of another model', '# colophon: agent=a@1 model=q\n', 'comment.wrong'],
    ['that cannot be read', '# colophon: agent=a@1 model\n', 'comment.malformed'],
    ['that leaves out what is known', '# colophon: agent=a@1\n', 'comment.incomplete'],
    ['of a review that nothing confirms', `${RIGHT.trimEnd()} reviewed-by=ann@example.com\n`, 'comment.wrong'],
  ])('%s is found and put right in its place', (_, comment, expected) => {
    const { codes, fixed } = review('a.py', comment + code(9), '.aaaaaaaaa');
    expect(codes).toEqual([expected]);
    expect(fixed.split('\n')).toHaveLength((comment + code(9)).split('\n').length);
    expect(review('a.py', fixed, '.aaaaaaaaa').codes).toEqual([]);
    expect(fixed).not.toContain('reviewed-by');
  });

  test.each([
    ['that names a reviewer', RIGHT.replace('\n', ' reviewed-by=ann@example.com\n')],
    ['of another agent', '# colophon: agent=b\n'],
    ['of another model', '# colophon: agent=a@1 model=q\n'],
  ])('%s is wrong beside a right one, and left for a person to take out', (_, wrong) => {
    for (const text of [wrong + RIGHT + code(9), RIGHT + wrong + code(9)]) {
      const { codes, fixed, findings } = review('a.py', text, '..aaaaaaaaa');
      expect([codes, fixed]).toEqual([['comment.wrong'], text]);
      expect(findings[0]?.remedy).toEqual({
        code: 'comment.right_beside',
        reason: `another comment says it right: take line ${text.startsWith(RIGHT) ? 2 : 1} out`,
      });
    }
  });

  test('that stands twice is right', () => {
    expect(review('a.py', RIGHT + RIGHT + code(9), '..aaaaaaaaa').codes).toEqual([]);
  });

  test('is put right with a review of the whole block only', () => {
    const ofPart = review('a.py', `# colophon: agent=a@1 reviewed-by=ann@example.com\n${code(9)}`, '.rrrraaaaa');
    expect([ofPart.codes, ofPart.fixed]).toEqual([['comment.incomplete'], RIGHT + code(9)]);
    const ofAll = review('a.py', RIGHT + code(9), '.rrrrrrrrr');
    expect(ofAll.fixed).toBe(`${RIGHT.trimEnd()} reviewed-by=ann@example.com\n${code(9)}`);
    expect(review('a.py', ofAll.fixed, '.rrrrrrrrr').codes).toEqual([]);
  });

  test('in the middle of a block does not count for what is above it', () => {
    expect(review('a.py', code(9) + RIGHT + code(9), `${'a'.repeat(9)}.${'a'.repeat(9)}`).codes).toEqual([
      'comment.missing',
    ]);
  });

  test('of a neighbour is not wrong, though both stand above one text', () => {
    const text = `x = """\n${code(9)}${code(9)}"""\n`;
    const who = `.${'a'.repeat(9)}${'b'.repeat(9)}.`;
    const { codes, fixed } = review('a.py', text, who);
    expect(codes).toEqual(['comment.missing', 'comment.missing']);
    expect(fixed.endsWith(text)).toBe(true);
    expect(review('a.py', fixed, `..${who}`).codes).toEqual([]);
  });
});

test('a block in a text that begins in a longer block by the same agent is covered by its comment', () => {
  const text = `${code(12)}y = """\n${code(3)}${code(3)}${code(12)}"""\n`;
  const who = `${'a'.repeat(13)}aaa...${'A'.repeat(12)}.`;
  const { codes, fixed } = review('a.py', text, who);
  expect(codes).toEqual(['comment.missing']);
  expect(review('a.py', fixed, `.${who}`).codes).toEqual([]);
});

test('a comment about another agent in the middle of a block is wrong, unless it is a neighbour’s', () => {
  const text = `${RIGHT}${code(9)}# colophon: agent=b\n${code(9)}`;
  const { codes, fixed } = review('a.py', text, `.${'a'.repeat(9)}.${'a'.repeat(9)}`);
  expect(codes).toEqual(['comment.wrong']);
  expect(fixed).toBe(`${RIGHT}${code(9)}${RIGHT}${code(9)}`);
});

describe('the comment is written', () => {
  const above = (path: string, text: string, who: string) => {
    const { fixed } = review(path, text, who);
    const lines = fixed.split('\n');
    const marks = [...commentSyntaxOf(path, lines[0])!.marks, ...EMBEDDED_MARKS];
    const at = lines.findIndex((line) => parseAttributionComment(line, marks) !== undefined);
    return { at: at + 1, line: lines[at], fixed };
  };
  const nine = (line: string) => `${line}\n`.repeat(9);

  test.each<[what: string, path: string, text: string, who: string, line: number, words: string]>([
    [
      'with the indentation of the block',
      'a.py',
      `def f():\n${nine('    x')}`,
      `.${'a'.repeat(9)}`,
      2,
      '    # colophon:',
    ],
    ['with a tab', 'a.go', `func f() {\n${nine('\tx')}}`, `.${'a'.repeat(9)}.`, 2, '\t// colophon:'],
    ['below a shebang', 'a.sh', `#!/bin/sh\n${nine('x')}`, 'a'.repeat(10), 2, '# colophon:'],
    [
      'below the encoding in the second line',
      'a.py',
      `# x\n# -*- coding: latin-1 -*-\n${nine('x')}`,
      'a'.repeat(11),
      3,
      '# colophon:',
    ],
    ['below <?php', 'a.php', `<?php\n${nine('x();')}`, 'a'.repeat(10), 2, '// colophon:'],
    ['below <?xml', 'a.xml', `<?xml version="1.0"?>\n${nine('<a/>')}`, 'a'.repeat(10), 2, '<!-- colophon:'],
    ['below a doctype', 'a.html', `<!DOCTYPE html>\n${nine('<p>')}`, 'a'.repeat(10), 2, '<!-- colophon:'],
    ['above decorators', 'a.py', nine('@x'), 'a'.repeat(9), 1, '# colophon:'],
    [
      'above a string that the block is in',
      'a.js',
      `const x = \`\n${nine('a')}\`;\n`,
      `.${'a'.repeat(9)}.`,
      1,
      '// colophon:',
    ],
    ['above a line that goes on', 'a.c', `#define A \\\n${nine(' x; \\')}y\n`, `.${'a'.repeat(9)}.`, 1, '/* colophon:'],
    [
      'above a comment about the next line',
      'a.ts',
      `x();\n// @ts-ignore\n${nine('x')}`,
      `..${'a'.repeat(9)}`,
      2,
      '// colophon:',
    ],
    ['above a block scalar', 'a.yaml', `a: b\nc: |\n${nine('  x')}`, `..${'a'.repeat(9)}`, 2, '# colophon:'],
    ['without indentation in a recipe', 'Makefile', `a:\n${nine('\techo')}`, `.${'a'.repeat(9)}`, 2, '# colophon:'],
    ['above a tag', 'a.html', `<p\n${nine(' a="b"')}>\n`, `.${'a'.repeat(9)}.`, 1, '<!-- colophon:'],
    ['as a script has it', 'a.vue', `<script>\n${nine('x();')}</script>\n`, `.${'a'.repeat(9)}.`, 2, '/* colophon:'],
    ['as a stylesheet has it', 'a.css', nine('a {}'), 'a'.repeat(9), 1, '/* colophon:'],
    ['as a batch file has it', 'a.bat', nine('dir'), 'a'.repeat(9), 1, 'REM colophon:'],
  ])('%s (%s)', (_what, path, text, who, line, words) => {
    const found = above(path, text, who);
    expect([found.at, found.line?.startsWith(words)]).toEqual([line, true]);
    const lines = found.fixed.split('\n');
    expect([...lines.slice(0, line - 1), ...lines.slice(line)].join('\n')).toBe(text);
    const then = `${who.slice(0, line - 1)}.${who.slice(line - 1)}`;
    expect(review(path, found.fixed, then).codes).toEqual([]);
  });

  test('with the line ends of its place, and everything else to the byte', () => {
    const text = '\u00ef\u00bb\u00bfx\r\n'.concat('\u00e4\r\n'.repeat(9), 'last');
    const { fixed } = review('a.py', text, 'a'.repeat(11));
    const lines = text.split('\n');
    expect(fixed).toBe([lines[0], '# colophon: agent=a@1 model=m\r', ...lines.slice(1)].join('\n'));
    expect(review('a.py', fixed, `a.${'a'.repeat(10)}`).codes).toEqual([]);
  });

  test.each([
    ['a.php', `<p>\n${nine('<p>')}<?php\nx();\n`, `.${'a'.repeat(9)}..`],
    ['a.go', `import "C"\n${nine('x')}`, `${'a'.repeat(10)}`],
    ['a.go', `// int x(void);\n${nine('// int y(void);')}import "C"\n`, `.${'a'.repeat(9)}.`],
    ['a.go', `/* int x;\n\n${nine('int y;')}*/\nimport "C"\n`, `..${'a'.repeat(9)}..`],
    ['a.py', `#!/usr/bin/python \\\n${nine('x')}`, `.${'a'.repeat(9)}`],
  ])('nowhere in %s where it would change the program', (path, text, who) => {
    const { findings, fixed } = review(path, text, who);
    expect(findings.map(({ code: found, remedy }) => [found, 'reason' in remedy])).toEqual([['comment.missing', true]]);
    expect(fixed).toBe(text);
  });
});

test('fixing again and again soon leaves nothing to fix, whoever wrote which lines', () => {
  const line = fc.constantFrom(
    'x = 1\n',
    '\n',
    'y = """\n',
    '"""\n',
    '# c\n',
    '  z \\\n',
    RIGHT,
    '# colophon: agent=b\n',
    '# colophon: nonsense\n',
  );
  const part = fc
    .tuple(line, fc.constantFrom('a', 'b', '.', 'A', 'a'), fc.constantFrom(1, 1, 4, 10))
    .map(([one, letter, times]) => Array.from({ length: times }, () => [one, letter] as const));
  const lines = fc.array(part, { maxLength: 20 }).map((parts) => parts.flat());
  fc.assert(
    fc.property(lines, (drawn) => {
      let text = drawn.map(([one]) => one).join('');
      let who = drawn.map(([, letter]) => letter).join('');
      // A comment divides the block that it stands in. What was said rightly of the whole may then be wrong of a part,
      // which is seen by the next look only; nearly always the first leaves nothing.
      for (let looks = 0; looks < 5; looks++) {
        const { fixed, findings } = review('a.py', text, who);
        const open = findings.filter(
          ({ code: found, remedy }) => !('reason' in remedy) && found !== 'comment.incomplete',
        );
        if (open.length === 0) return;
        who = whoAfter(text, fixed, who);
        text = fixed;
      }
      expect.unreachable('five looks each found something');
    }),
    { numRuns: 1000 },
  );
});

/** What blame would say: lines that were not there before belong to nobody. */
function whoAfter(before: string, after: string, who: string): string {
  const old = sourceText(before).lines;
  let next = 0;
  return sourceText(after)
    .lines.map((line) => {
      if (line === old[next]) return who[next++];
      // A comment that took another's place.
      if (sourceText(after).lines.length === old.length) next += 1;
      else if (old[next]?.includes('colophon:') && line.includes('colophon:')) next += 1;
      return '.';
    })
    .join('');
}
