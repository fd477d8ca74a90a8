import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { ARTIFACT, draftBlob } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Library } from '../release/libraries/libraries.ts';
import { buildProgram, PROGRAM_FOLDER } from '../release/program/build-program.ts';
import { followPage } from './install-page.ts';
import { compiler, filesIn, findConsumer, NOTHING_INSTALLED, nodeProgram } from './library-consumer.ts';
import { isMissing, isNotRoot, run } from './programs.ts';

const consumer = await findConsumer();

describe.skipIf(consumer === undefined)('the libraries, packed and installed without install scripts', () => {
  const { folder, libraries, tarballs, examples } = consumer ?? NOTHING_INSTALLED;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('each has a program in its README that says what it prints', () => {
    const printing = [...examples].filter(([, programs]) => programs.some(({ printed }) => printed !== ''));
    expect(printing.map(([name]) => name)).toEqual(libraries.map(({ name }) => name));
  });

  test.each(libraries.map(({ name }) => name))(
    '%s holds modules, declarations and their source, and no test',
    async (name) => {
      const files = await filesIn(tarballs.get(name)!);
      expect(files).toEqual(
        expect.arrayContaining(['LICENSE', 'README.md', 'lib/index.js', 'lib/index.d.ts', 'src/index.ts']),
      );
      expect(
        files.filter((path) => /\.test\.|^(?!(?:LICENSE|README\.md|package\.json)$|lib\/|src\/)/.test(path)),
      ).toEqual([]);
    },
  );

  test.each(libraries.map(({ name }) => name))('publint and arethetypeswrong accept %s', async (name) => {
    const bytes = new Uint8Array(readFileSync(tarballs.get(name)!));
    const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true, level: 'suggestion' });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
    const checked = await checkPackage(createPackageFromTarballData(bytes));
    // An ES module has no answer for the two ways that know none.
    const problems = checked.types === false ? [checked] : checked.problems;
    expect(
      problems.filter((one) => !('resolutionKind' in one && ['node10', 'node16-cjs'].includes(one.resolutionKind))),
    ).toEqual([]);
  });

  const strict = {
    strict: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    target: 'es2022',
    lib: ['es2023'],
    types: [] as string[],
  };

  const compiledBy5 = join(folder, 'compiled-5-node16');

  async function compile(
    major: '5' | '7',
    options: { module: string; [option: string]: unknown },
    files: readonly string[],
  ): Promise<string> {
    const project = join(folder, 'tsconfig.json');
    const outDir = join(folder, `compiled-${major}-${options.module}`);
    const compilerOptions = { ...strict, rootDir: '.', outDir, ...options };
    writeFileSync(project, JSON.stringify({ compilerOptions, files }));
    const arguments_ = [compiler(consumer!, major), '-p', project];
    const { code, stdout, stderr } = await run(process.execPath, arguments_, { cwd: folder });
    return code === 0 ? '' : `${stdout}${stderr}`;
  }

  /** A file that takes everything from some of the libraries. */
  function takingAllOf(some: readonly Library[], file: string): string {
    const lines = some.map(({ manifest }, i) => `export * as p${i} from '${manifest.name}';\n`);
    writeFileSync(join(folder, file), lines.join(''));
    return file;
  }

  const programs = [...examples].flatMap(([name, all]) =>
    all.map(({ printed }, i) => ({ name, file: `${name}-${i}`, printed })),
  );
  const programFiles = programs.map(({ file }) => `examples/${file}.ts`);

  test.each([
    ['5', 'node16', 'node16'],
    ['5', 'esnext', 'bundler'],
    ['7', 'node16', 'node16'],
    ['7', 'nodenext', 'nodenext'],
    ['7', 'esnext', 'bundler'],
  ] as const)(
    'TypeScript %s compiles the programs with module %s, moduleResolution %s',
    async (major, module, moduleResolution) => {
      expect(await compile(major, { module, moduleResolution, types: ['node'] }, programFiles)).toBe('');
    },
  );

  test('TypeScript 7 compiles the pure libraries without the types of Node', async () => {
    const file = takingAllOf(
      libraries.filter(({ isPure }) => isPure),
      'pure.ts',
    );
    // Typebox's declarations name URL, which a browser has too.
    expect(await compile('7', { module: 'nodenext', lib: ['es2023', 'dom'] }, [file])).toBe('');
  });

  test('TypeScript 7 finds the types of Node for the other libraries, though the program does not ask for them', async () => {
    const file = takingAllOf(
      libraries.filter(({ isPure }) => !isPure),
      'others.ts',
    );
    expect(await compile('7', { module: 'nodenext' }, [file])).toBe('');
  });

  test.skipIf(isNotRoot() || isMissing('/usr/sbin/ip', '/usr/bin/unshare'))(
    'docs/install/libraries.md leads to a verified signature',
    async () => {
      const release = join(folder, 'release');
      mkdirSync(release);
      await buildProgram();
      await run('npm', ['pack', '--ignore-scripts', '--pack-destination', release, PROGRAM_FOLDER]);
      for (const tarball of tarballs.values()) copyFileSync(tarball, join(release, basename(tarball)));
      // Without a network npm finds the packages of others where it kept them when the consumer was made.
      const cache = (await run('npm', ['config', 'get', 'cache'])).stdout.trim();
      const fromCache = { npm_config_cache: cache, npm_config_offline: 'true' };
      const { code, stdout, stderr } = await followPage('install/libraries.md', release, fromCache);
      expect(code, `${stdout}\n${stderr}`).toBe(0);
      expect(stdout).toMatch(/^verified: signed by agent:code-writer$/m);
      expect(stdout).toMatch(/^verified app\.txt: signed by agent:code-writer /m);
      expect(stdout).toContain('artifact.mismatch');
      const strictly = { module: 'node16', types: ['node'] };
      expect(await compile('5', strictly, ['release/first-signature.ts'])).toBe('');
    },
  );

  describe('the programs', () => {
    beforeAll(() => {
      const sigstore = new LocalSigstore();
      writeFileSync(join(folder, 'trusted_root.json'), JSON.stringify(sigstore.trustedRootJson()));
      writeFileSync(join(folder, 'release.tar.sigstore.json'), JSON.stringify(draftBlob(sigstore)));
      writeFileSync(join(folder, 'release.tar'), ARTIFACT);
    });

    const onNode = (node: string, file: string) =>
      run(node, [join(compiledBy5, `examples/${file}.js`)], { cwd: folder });

    test.each(programs)('Node 24 runs $file', async ({ file, printed }) => {
      expect(await onNode(process.execPath, file)).toEqual({ code: 0, stdout: printed, stderr: '' });
    });
    test.each(programs)('Node 26 runs $file', async ({ file, printed }) => {
      expect(await onNode(nodeProgram(consumer!, '26'), file)).toEqual({ code: 0, stdout: printed, stderr: '' });
    });
    test.each(programs)(
      '$file prints the same as one file, of which a bundler left out what is not used',
      async ({ file, printed }) => {
        const bundled = join(folder, `bundled-${file}.mjs`);
        await build({
          absWorkingDir: folder,
          entryPoints: [`examples/${file}.ts`],
          outfile: bundled,
          bundle: true,
          platform: 'node',
          format: 'esm',
          // What dependencies in CommonJS expect to have.
          banner: {
            js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
          },
          logLevel: 'silent',
        });
        expect(await run(process.execPath, [bundled], { cwd: folder })).toEqual({
          code: 0,
          stdout: printed,
          stderr: '',
        });
      },
    );
    test.each(programs.filter(({ name }) => libraries.some((one) => one.name === name && one.isPure)))(
      'Node 22.12 runs $file',
      async ({ file, printed }) => {
        expect(await onNode(nodeProgram(consumer!, '22'), file)).toEqual({ code: 0, stdout: printed, stderr: '' });
      },
    );
  });
});
