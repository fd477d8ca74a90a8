import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions } from '@colophon/notation';
import { describe, expect, test } from 'vitest';

const VECTORS = join(import.meta.dirname, '..', 'vectors');

describe('pairs that the ecosystem’s own tool has ordered', () => {
  test.each(readdirSync(VECTORS))('%s', (file) => {
    const [tool, ...rows] = readFileSync(join(VECTORS, file), 'utf8').trim().split('\n');
    const wrong = rows
      .map((row) => row.split('\t') as [string, string, string])
      .map(([theirs, left, right]) => {
        const ours = [
          compareVersions(file.replace('.tsv', ''), left, right),
          compareVersions(file.replace('.tsv', ''), right, left),
        ];
        return { left, right, theirs: Number(theirs), ours };
      })
      .filter(({ theirs, ours }) => ours[0] !== theirs || ours[1] !== -theirs + 0);
    expect(wrong, tool).toEqual([]);
    expect(rows.length).toBeGreaterThan(200);
  });
});
