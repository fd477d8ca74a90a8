import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ARTIFACT, draftBlob } from '../packages/sigstore/test/local-sigstore/draft-bundle.ts';
import { LocalSigstore } from '../packages/sigstore/test/local-sigstore/local-sigstore.ts';
import { compiler, filesIn, findConsumer, nodeProgram } from './library-consumer.ts';
import { run } from './programs.ts';

const consumer = await findConsumer();

describe.skipIf(consumer === undefined)('the libraries, packed and installed without install scripts', () => {
  const { folder, libraries, tarballs, examples } = consumer!;
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

  async function compile(major: '5' | '7', options: object, files: readonly string[]): Promise<string> {
    const project = join(folder, 'tsconfig.json');
    writeFileSync(project, JSON.stringify({ compilerOptions: { ...strict, outDir: 'compiled', ...options }, files }));
    const { code, stdout, stderr } = await run(process.execPath, [compiler(consumer!, major), '-p', project], {
      cwd: folder,
    });
    return code === 0 ? '' : `${stdout}${stderr}`;
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

  test.each(['5', '7'] as const)(
    'TypeScript %s compiles the pure libraries without types of Node or a browser',
    async (major) => {
      const pure = libraries.filter(({ isPure }) => isPure);
      writeFileSync(
        join(folder, 'pure.ts'),
        pure.map(({ manifest }, i) => `export * as p${i} from '${manifest.name}';\n`).join(''),
      );
      expect(await compile(major, { module: 'nodenext' }, ['pure.ts'])).toBe('');
    },
  );

  test('TypeScript 7 finds the types of Node for the others, which nobody asked for', async () => {
    const others = libraries.filter(({ isPure }) => !isPure);
    writeFileSync(
      join(folder, 'others.ts'),
      others.map(({ manifest }, i) => `export * as p${i} from '${manifest.name}';\n`).join(''),
    );
    expect(await compile('7', { module: 'nodenext' }, ['others.ts'])).toBe('');
  });

  describe('the programs', () => {
    beforeAll(async () => {
      expect(await compile('5', { module: 'nodenext', types: ['node'] }, programFiles)).toBe('');
      const sigstore = new LocalSigstore();
      writeFileSync(join(folder, 'trusted_root.json'), JSON.stringify(sigstore.trustedRootJson()));
      writeFileSync(join(folder, 'release.tar.sigstore.json'), JSON.stringify(draftBlob(sigstore)));
      writeFileSync(join(folder, 'release.tar'), ARTIFACT);
    });

    const onNode = (node: string, file: string) => run(node, [join(folder, `compiled/${file}.js`)], { cwd: folder });

    test.each(programs)('Node 24 runs $file', async ({ file, printed }) => {
      expect(await onNode(process.execPath, file)).toEqual({ code: 0, stdout: printed, stderr: '' });
    });
    test.each(programs)('Node 26 runs $file', async ({ file, printed }) => {
      expect(await onNode(nodeProgram(consumer!, '26'), file)).toEqual({ code: 0, stdout: printed, stderr: '' });
    });
    test.each(programs.filter(({ name }) => libraries.some((one) => one.name === name && one.isPure)))(
      'Node 22.12 runs $file',
      async ({ file, printed }) => {
        expect(await onNode(nodeProgram(consumer!, '22'), file)).toEqual({ code: 0, stdout: printed, stderr: '' });
      },
    );
  });
});
