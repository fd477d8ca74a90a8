import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { anchors, indexProblems, linkProblems, linkTargets } from './relative-links.ts';

test('links are found in prose, not in code', () => {
  const page = 'See [a](a.md), ![b](b.png "title") and `[c](c.md)`.\n```sh\n[d](d.md)\n```\n[e [f]](e.md#f)';
  expect(linkTargets(page)).toEqual(['a.md', 'b.png', 'e.md#f']);
});

test('anchors are those of the forge', () => {
  const page = '# §2.1 Identity token\n## What `aud` means?\n## Same\n## Same\n```\n# no heading\n```\n';
  expect([...anchors(page)]).toEqual(['21-identity-token', 'what-aud-means', 'same', 'same-1']);
});

test('a link that leads nowhere is told, with its page', () => {
  const root = mkdtempSync(join(tmpdir(), 'links-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'README.md'), '# Top\n[ok](docs/a.md#part) [web](https://example.com/x) [self](#top)');
  writeFileSync(
    join(root, 'docs/a.md'),
    '# Part\n[up](../README.md) [gone](gone.md) [no part](../README.md#none) [out](../../x)',
  );
  expect(linkProblems(root, ['README.md', 'docs/a.md'])).toEqual([
    'docs/a.md: gone.md: no such file',
    'docs/a.md: ../README.md#none: no such heading',
    'docs/a.md: ../../x: leads out of the repository',
  ]);
});

test('a page to which the index has no link is told', () => {
  const root = mkdtempSync(join(tmpdir(), 'links-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'docs/README.md'), '[a](a.md#part), `[c](c.md)`\n');
  const files = ['README.md', 'docs/README.md', 'docs/a.md', 'docs/b.md', 'docs/c.md', 'docs/decisions/0001.md'];
  expect(indexProblems(root, files)).toEqual([
    'docs/README.md: has no link to b.md',
    'docs/README.md: has no link to c.md',
  ]);
});
