import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Language } from '@colophon/similarity';

/** Which packages a corpus is made of, as corpus-packages.json has them. */
type Packages = {
  readonly npm: readonly string[];
  readonly pypi: readonly string[];
  readonly crates: Readonly<Record<string, string>>;
  /** Crates that bring C code with them. */
  readonly crates_with_c: Readonly<Record<string, string>>;
  /** `group:artifact:version`. */
  readonly maven: readonly string[];
  /** `module@version`. */
  readonly go: readonly string[];
};

const EXTENSIONS: Readonly<Record<Language, readonly string[]>> = {
  javascript: ['.js', '.mjs', '.cjs'],
  typescript: ['.ts', '.tsx'],
  python: ['.py'],
  java: ['.java'],
  go: ['.go'],
  rust: ['.rs'],
  c: ['.c', '.h'],
};
const MOST_FILES_PER_PROJECT = 60;
const FILE_BYTES = { least: 1000, most: 200_000 };
/** Code of others, and what tools made of code. */
const PASSED_OVER =
  /(?:^|\/)(?:node_modules|vendor|vendored|_vendor|third[_-]?party|thirdparty|externals?|deps|dist|umd|bundles?|build|generated|shaded|repackaged|f?esm\d*|min|testdata)(?:\/|$)|\.min\.|\.d\.ts$|bundle/i;
/** What compilers put into other people's code has a project of its own. */
const HELPERS = ['tslib', '@babel/runtime', '@swc/helpers'];

/**
 * Downloads packages with the clients of their registries into `FOLDER/.sources` and copies some of their files to
 * `FOLDER/LANGUAGE/PROJECT`. npm, pip, cargo, go, mvn and unzip are needed; what is there already is not fetched again.
 */
export function downloadCorpus(folder: string): void {
  const packages: Packages = JSON.parse(readFileSync(join(import.meta.dirname, 'corpus-packages.json'), 'utf8'));
  const sources = join(folder, '.sources');
  takeNpm(
    folder,
    fetched(sources, 'npm', (here) => fetchNpm(here, packages.npm)),
  );
  takeFolders(
    folder,
    'python',
    fetched(sources, 'pypi', (here) => fetchPypi(here, packages.pypi)),
  );
  takeFolders(
    folder,
    'rust',
    fetched(sources, 'crates', (here) => fetchCrates(here, packages.crates)),
  );
  takeFolders(
    folder,
    'c',
    fetched(sources, 'crates-with-c', (here) => fetchCrates(here, packages.crates_with_c)),
  );
  takeFolders(
    folder,
    'java',
    fetched(sources, 'maven', (here) => fetchMaven(here, packages.maven)),
  );
  takeGo(folder, packages.go);
}

function fetched(sources: string, name: string, fetch: (folder: string) => void): string {
  const folder = join(sources, name);
  const done = join(folder, '.done');
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    console.error(`downloading ${name}`);
    fetch(folder);
    writeFileSync(done, '');
  }
  return folder;
}

function run(folder: string, program: string, args: readonly string[]): void {
  execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

function fetchNpm(folder: string, names: readonly string[]): void {
  writeFileSync(join(folder, 'package.json'), '{"name":"corpus","version":"1.0.0","private":true}\n');
  run(folder, 'npm', ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', ...names]);
}

function fetchPypi(folder: string, names: readonly string[]): void {
  run(folder, 'pip', ['install', '--quiet', '--target', '.', '--only-binary', ':all:', ...names]);
}

function fetchCrates(folder: string, versions: Readonly<Record<string, string>>): void {
  const wanted = Object.entries(versions).map(([name, version]) => `${name} = "${version}"`);
  const head =
    '[package]\nname = "corpus"\nversion = "0.0.0"\nedition = "2021"\n[lib]\npath = "lib.rs"\n[dependencies]\n';
  writeFileSync(join(folder, 'Cargo.toml'), `${head}${wanted.join('\n')}\n`);
  writeFileSync(join(folder, 'lib.rs'), '');
  run(folder, 'cargo', ['vendor', '--quiet', 'vendor']);
}

function fetchMaven(folder: string, artifacts: readonly string[]): void {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':');
    const alone = '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>';
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>${alone}</dependency>`;
  });
  const project = '<groupId>corpus</groupId><artifactId>corpus</artifactId><version>1</version>';
  writeFileSync(
    join(folder, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>${project}<dependencies>${dependencies.join('\n')}</dependencies></project>\n`,
  );
  const options = ['-Dclassifier=sources', '-DoutputDirectory=jars', '-Dmdep.failOnMissingClassifierArtifact=false'];
  run(folder, 'mvn', ['-q', '-B', 'dependency:copy-dependencies', ...options]);
  // unzip makes the last folder of a path, and not those above it. Some of the archives have no Java at all.
  mkdirSync(join(folder, 'vendor'), { recursive: true });
  for (const jar of readdirSync(join(folder, 'jars')).filter((name) => name.endsWith('-sources.jar'))) {
    const project = jar.replace(/-\d[\w.-]*-sources\.jar$/, '');
    run(folder, 'unzip', ['-qo', join('jars', jar), '-d', join('vendor', project)]);
  }
}

function takeNpm(folder: string, from: string): void {
  const modules = join(from, 'node_modules');
  for (const name of readdirSync(modules).filter((one) => !one.startsWith('.'))) {
    const inside = name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name];
    for (const one of inside) {
      const isHelper = HELPERS.includes(one);
      const manifest = join(modules, one, 'package.json');
      const project = isHelper ? one : (repositoryIn(manifest) ?? name);
      for (const language of ['javascript', 'typescript'] as const) {
        take(folder, language, project, join(modules, one), isHelper ? 1000 : MOST_FILES_PER_PROJECT);
      }
    }
  }
}

function takeFolders(folder: string, language: Language, from: string): void {
  const root = existsSync(join(from, 'vendor')) ? join(from, 'vendor') : from;
  for (const name of readdirSync(root)) {
    if (/^\.|dist-info$|^__pycache__$|^bin$/.test(name) || !statSync(join(root, name)).isDirectory()) continue;
    const project = repositoryIn(join(root, name, 'Cargo.toml')) ?? name.replace(/-\d[\d.]*(?:[-+].*)?$/, '');
    take(folder, language, project, join(root, name));
  }
}

/** `owner/name` of the repository that a manifest states: packages of one repository are one project. */
function repositoryIn(manifest: string): string | undefined {
  if (!existsSync(manifest)) return undefined;
  const stated = /"?repository"?\s*[:=]\s*(?:\{[^}]*?"url"\s*:\s*)?"([^"]+)"/.exec(readFileSync(manifest, 'utf8'))?.[1];
  const [, owner, name] =
    /(?:^|[/:])([\w.-]+)\/([\w.-]+?)(?:\.git)?(?:\/.*)?$/.exec(stated?.replace(/^.*\.(?:com|org)[/:]/, '') ?? '') ?? [];
  return owner === undefined ? undefined : `${owner}/${name}`;
}

function takeGo(folder: string, modules: readonly string[]): void {
  const owners = new Set<string>();
  for (const module of modules) {
    const { Dir } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' }));
    const [, owner, name] = module.split(/[/@]/);
    if (owners.has(owner!)) continue;
    owners.add(owner!);
    take(folder, 'go', `${owner}+${name}`, Dir);
  }
}

/** Copies some files of a project, chosen by chance and always the same. */
function take(folder: string, language: Language, project: string, from: string, most = MOST_FILES_PER_PROJECT): void {
  const order = (path: string) => createHash('sha256').update(`${project} ${path}`).digest('hex');
  const files = (
    readdirSync(from, { recursive: true, withFileTypes: true }) as Array<{
      isFile(): boolean;
      parentPath: string;
      name: string;
    }>
  )
    .filter((entry) => entry.isFile() && EXTENSIONS[language].includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1))
    .filter((path) => !PASSED_OVER.test(path))
    .filter((path) => {
      const { size } = statSync(join(from, path));
      return size >= FILE_BYTES.least && size <= FILE_BYTES.most;
    })
    .sort((one, other) => (order(one) < order(other) ? -1 : 1))
    .slice(0, most);
  const to = join(folder, language, project.replaceAll('/', '+'));
  if (files.length > 0) mkdirSync(to, { recursive: true });
  for (const path of files) cpSync(join(from, path), join(to, `${basename(from)}+${path.replaceAll('/', '+')}`));
}

/** Removes what an earlier download left in a corpus, but not what was fetched. */
export function emptyCorpus(folder: string): void {
  for (const language of Object.keys(EXTENSIONS)) rmSync(join(folder, language), { recursive: true, force: true });
}
