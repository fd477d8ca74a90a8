import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseFences } from '../tools/doc-fences.ts';
import { COLOPHON } from './colophon-up.ts';
import { shell, TOOLS } from './programs.ts';

const ROOT = join(import.meta.dirname, '..');

/**
 * Makes a test of each step of a page, in order: a block marked `run` must end well, one marked `refused CODE` must end
 * otherwise and name the code. Later steps read what earlier ones wrote.
 */
export function tellStory(page: string, environment: () => Record<string, string>): void {
  const steps = parseFences(readFileSync(join(ROOT, 'docs', page), 'utf8')).filter(
    ({ markers }) => markers.includes('run') || markers.includes('refused'),
  );
  test.each(steps.map(({ text, markers }, i) => [i + 1, titleOf(text, markers), text.trim(), markers] as const))(
    '%i. %s',
    async (_number, _title, text, markers) => {
      const env = environment();
      const path = [join(COLOPHON, '..'), TOOLS, process.env['PATH']].join(delimiter);
      const { code, stdout, stderr } = await shell(text, { cwd: ROOT, env: { ...env, PATH: path } });
      const said = `${stdout}\n${stderr}`;
      if (markers.includes('run')) expect(code, said).toBe(0);
      else {
        expect(code, said).not.toBe(0);
        expect(said).toContain(markers[markers.indexOf('refused') + 1]);
      }
    },
  );
}

function titleOf(text: string, markers: readonly string[]): string {
  const line = text.split('\n').findLast((words) => words.includes('colophon ')) ?? text.split('\n')[0] ?? '';
  return markers.includes('refused') ? `refused ${markers.at(-1)}: ${line}` : line;
}
