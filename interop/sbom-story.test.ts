import { mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fences } from '../tools/doc-fences.ts';
import { COLOPHON, type Installation, startColophon } from './colophon-up.ts';
import { isMissing, shell, TOOLS } from './programs.ts';

const ROOT = join(import.meta.dirname, '..');
const STEPS = fences(join(ROOT, 'docs', 'sbom.md'), 'run').map((fence) => fence.text.trim());

describe.skipIf(isMissing('cosign', 'git'))('the SBOM of Colophon itself, as docs/sbom.md makes it', () => {
  let installation: Installation;
  let work: string;
  beforeAll(async () => {
    installation = await startColophon();
    work = join(installation.folder, 'work');
    mkdirSync(work);
  });
  afterAll(() => installation?.stop());

  // Later steps read what earlier ones wrote.
  test.each(STEPS.map((text, i) => [i + 1, text.split('\n')[0], text] as const))(
    '%i. %s',
    async (_number, _line, text) => {
      const outcome = await shell(text, {
        cwd: ROOT,
        env: {
          ...installation.env,
          PATH: [join(COLOPHON, '..'), TOOLS, process.env['PATH']].join(delimiter),
          WORK: work,
          ISSUER: installation.issuer,
          TRUST: installation.trust,
        },
      });
      expect(outcome.code, `${outcome.stdout}\n${outcome.stderr}`).toBe(0);
    },
  );

  test('a package that the run changed is marked, verified, with its bundle', () => {
    const { components } = JSON.parse(readFileSync(join(work, 'fetched.cdx.json'), 'utf8')) as {
      components: { properties?: { name: string; value: string }[] }[];
    };
    const marks = components.flatMap(({ properties = [] }) =>
      properties.filter(({ name }) => name === 'colophon:ai:basis').map(({ value }) => value),
    );
    expect(marks.length).toBeGreaterThan(0);
    expect(new Set(marks)).toEqual(new Set(['verified']));
  });
});
