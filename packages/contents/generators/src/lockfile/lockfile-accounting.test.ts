import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GeneratorError } from '../generator-error/generator-error.ts';
import type { LockedProject } from './locked-project.ts';
import { readLockfile } from './read-lockfile.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-accounting-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The project, or undefined where the lockfile is refused: an error accounts for everything. */
async function read(name: string, content: string): Promise<LockedProject | undefined> {
  writeFileSync(join(folder, name), content);
  try {
    return await readLockfile(join(folder, name));
  } catch (error) {
    expect(error).toBeInstanceOf(GeneratorError);
    return undefined;
  }
}

const isNoted = ({ notes = [] }: LockedProject, number: number) =>
  notes.some((note) => new RegExp(`\\bline ${number}\\b`).test(note));
const isComponent = ({ packages }: LockedProject, name: string) => packages.some((locked) => locked.name === name);

// A note names twenty lines, and counts the others.
const few = { minLength: 1, maxLength: 20 };
const junk = fc.string({ minLength: 1, unit: fc.constantFrom(...'ab=<>@:/.-#;,[](){}"\'\\!~$%&* 1\t\u202e\u00e9') });

test('every line of a requirements file is a component, a note or an error', async () => {
  const lineOf = (name: string) =>
    fc.oneof(
      fc.constantFrom(
        `${name}==1.0`,
        `${name}>=1`,
        `${name} [x] == 2 ; python_version > "3"`,
        `-e git+https://u:p@h.example/r.git@v1#egg=${name}`,
        `--editable=git+ssh://git@h.example/r.git#egg=${name}&subdirectory=s`,
        `${name} @ https://h.example/x.zip`,
        `https://h.example/${name}-1.0-py3-none-any.whl`,
        `./${name}`,
        '-r absent.txt',
        '--index-url https://h.example',
        '-e .',
      ),
      // Not a comment, which says nothing, nor a line that goes on in the next one.
      junk.filter((text) => !/(?:^|\s)#|\\$/.test(text) && text.trim() !== ''),
    );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(), few).chain((all) => fc.tuple(...all.map((_, index) => lineOf(`name${index}`)))),
      async (lines) => {
        const project = await read('requirements.txt', lines.join('\n'));
        if (project === undefined) return;
        for (const [index, line] of lines.entries()) {
          const isNamed = isComponent(project, `name${index}`);
          // Two lines of junk may be one package.
          const isShort = /^\s*[a-z1]/.test(line) && project.packages.some(({ name }) => line.trim().startsWith(name));
          expect(isNamed || isShort || isNoted(project, index + 1), JSON.stringify([line, project])).toBe(true);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('every line of a go.mod is a component, a note or an error', async () => {
  const lineOf = (path: string) =>
    fc.oneof(
      {
        weight: 12,
        arbitrary: fc.constantFrom(
          `require ${path} v1.0.0`,
          `require ${path} v1.0.0 // indirect`,
          `require\t"${path}"\tv1.0.0//x`,
          `exclude ${path} v1.0.0`,
          `retract v1.0.0`,
          `tool ${path}/cmd`,
          `replace ${path} => ../x`,
          `replace ${path} v1.0.0 => other.example/x v1.0.0`,
        ),
      },
      { weight: 1, arbitrary: junk.filter((text) => !text.trimStart().startsWith('//') && text.trim() !== '') },
    );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(), few).chain((all) => fc.tuple(...all.map((_, index) => lineOf(`m${index}.example/m`)))),
      async (lines) => {
        const project = await read('go.mod', lines.join('\n'));
        if (project === undefined) return;
        for (const [index, line] of lines.entries()) {
          const isNamed = isComponent(project, `m${index}.example/m`);
          expect(isNamed || isNoted(project, index + 1), JSON.stringify([line, project])).toBe(true);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('every package of a package-lock.json is a component, and every need an edge, a note or an error', async () => {
  const names = ['a', 'b', '@c/d', 'e'];
  const entry = fc.record(
    {
      version: fc.constantFrom('1.0.0', '2.0.0'),
      resolved: fc.constantFrom('git+https://h.example/x.git#1', 'https://h.example/x.tgz', 'file:x', 'node_modules/a'),
      link: fc.constant(true),
      name: fc.constantFrom('f', 'a'),
      integrity: fc.constantFrom(...[1, 2].map((byte) => `sha512-${Buffer.alloc(64, byte).toString('base64')}`)),
      dependencies: fc.dictionary(fc.constantFrom(...names), fc.constant('*')),
      peerDependencies: fc.dictionary(fc.constantFrom(...names), fc.constant('*')),
    },
    { requiredKeys: ['version'] },
  );
  const places = names.flatMap((name) => [
    `node_modules/${name}`,
    `node_modules/e/node_modules/${name}`,
    `parts/${name}`,
  ]);
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom('', ...places), entry), async (packages) => {
      const project = await read('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages }));
      if (project === undefined) return;
      const paths = new Set(project.packages.flatMap(({ properties = [] }) => properties.map(([, value]) => value)));
      for (const [location, { link, resolved }] of Object.entries(packages)) {
        const isFollowed = link === true && resolved !== undefined && Object.hasOwn(packages, resolved);
        if (location !== '' && !isFollowed) expect(paths).toContain(location);
      }
      const byKey = new Map(project.packages.map((locked) => [locked.key, locked]));
      for (const locked of project.packages) {
        for (const needed of locked.dependsOn ?? []) expect(byKey.has(needed)).toBe(true);
      }
      const isLacking = project.isIncomplete === true || project.packages.some(({ isIncomplete }) => isIncomplete);
      expect(isLacking).toBe((project.notes ?? []).some((note) => note.endsWith('not in the lockfile')));
    }),
    { numRuns: 300 },
  );
});
