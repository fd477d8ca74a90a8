import { createHash, randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { SourceTree } from '@colophon/feeds';
import type { Bom, Component, SourcePurl, Vendored, WrittenProfile } from '@colophon/sbom';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { buildTime } from '../../build-time/build-time.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { bomValidator, targetVersion } from '../../sbom-file/official-schemas.ts';
import { readSbom } from '../../sbom-file/sbom-file.ts';
import { assertWritableOut, isOnStdout, outOption, writeSbom } from '../../sbom-file/sbom-output.ts';
import type { BestMatches, MatchedFile } from '../../similarity/best-matches.ts';
import { isFolder, sourceFilesAmong, sourceFilesAt } from '../../similarity/source-files.ts';
import { coloursFor, oneLine, shellWord } from '../../terminal/terminal.ts';

const SPEC_VERSIONS = ['1.7', '1.6'] as const;
type WrittenVersion = (typeof SPEC_VERSIONS)[number];

type VendorFlags = {
  readonly from: string;
  readonly source?: string;
  readonly root?: string;
  readonly name?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly namespace?: string;
  readonly profile: WrittenProfile;
  readonly specVersion?: WrittenVersion;
  readonly minSimilarity?: number;
  readonly offline?: boolean;
  readonly into?: string;
  readonly out?: string;
  readonly output: OutputFormat;
};

/** What was measured and written, for people and scripts. */
type VendorRecord = {
  readonly path: string;
  readonly ref: string;
  readonly source: string;
  /** Where the source was read from. */
  readonly origin: string;
  readonly licence: string;
  readonly similarity: {
    readonly score: number;
    readonly verdict: MatchedFile['verdict'];
    readonly files: ReadonlyArray<Pick<MatchedFile, 'path' | 'match' | 'score' | 'verdict'>>;
  };
  readonly out?: string;
  readonly document?: { readonly version: number; readonly specVersion: string; readonly changed: boolean };
  readonly notes: readonly string[];
};

/** `colophon sbom vendor`: the component of code that was made from somebody's package (contract §2.5). */
export function addVendorCommand(sbom: Command, session: Session): void {
  sbom
    .command('vendor <path>')
    .description("describe code that was made from somebody's package: its source, its licence, how alike it is")
    .requiredOption('--from <purl>', 'the package and version it was made from, e.g. pkg:npm/left-pad@1.3.0')
    .option('--source <folder>', 'local copy of the package (default: node_modules, else its registry)')
    .option('--offline', 'open no connection')
    .option('--root <folder>', 'of the repository (default: where .git is, else the current folder)')
    .option('--name <name>', 'of the component (default: <package>-vendored)')
    .option('--agent <name>', 'agent that wrote it, as you declare it; with --model')
    .option('--model <id>', 'model of that agent')
    .option('--namespace <name>', 'of the properties that mark vendored code (default: vendor)')
    .addOption(
      new Option('--profile <profile>', "spec: the contract's own words, which no official schema knows")
        .choices(['standard', 'spec'])
        .default('standard'),
    )
    .addOption(
      new Option('--spec-version <version>', 'of CycloneDX, where no document says it (default: 1.7)').choices([
        ...SPEC_VERSIONS,
      ]),
    )
    .option('--min-similarity <score>', 'end with exit 12 and write nothing below it', parseScore)
    .option('--into <file>', 'SBOM that gets the component')
    .addOption(outOption())
    .addOption(outputOption())
    .action((path: string, flags: VendorFlags) => vendor(path, flags, session));
}

async function vendor(file: string, flags: VendorFlags, session: Session): Promise<void> {
  const { terminal } = session;
  if ((flags.agent === undefined) !== (flags.model === undefined)) {
    throw new CliError('cli.usage', 'an agent and its model are stated together', EXIT.usage, {
      expected: '--agent NAME --model ID, or neither where a person wrote it',
    });
  }
  assertWritableOut(flags.out);
  const { parseSourcePurl } = await import('@colophon/sbom');
  const from = valueFrom(parseSourcePurl(flags.from), flags.from);
  const { path, root } = await pathInRepository(file, flags.root);
  const before = flags.into === undefined ? undefined : await readSbom(flags.into);
  const source = await findSource(from, flags, root, session);
  const measured = await measure(join(root, path), path, source.tree, from);
  const { score } = measured;
  if (flags.minSimilarity !== undefined && score < flags.minSimilarity) {
    throw new CliError('cli.not_alike', `${path} is hardly made from ${from.packageName}`, EXIT.doesNotMatch, {
      checked: path,
      expected: `a similarity of at least ${flags.minSimilarity}`,
      found: `${score}, most like ${measured.files[0]!.match}`,
    });
  }

  const specVersion = before === undefined ? (flags.specVersion ?? '1.7') : versionFor(before);
  const { component, licence, notes } = await describeCode({
    path,
    from,
    source: source.tree,
    measured,
    flags,
    specVersion,
  });
  const record: VendorRecord = {
    path,
    ref: component['bom-ref']!,
    source: from.purl,
    origin: source.origin,
    licence,
    similarity: {
      score,
      verdict: measured.verdict,
      files: measured.files.map(({ path: one, match, score: its, verdict }) => ({
        path: one,
        match,
        score: its,
        verdict,
      })),
    },
    ...(flags.out === undefined ? {} : { out: flags.out }),
    notes: [...doubts(measured, path, from), ...notes],
  };
  const finished =
    before === undefined
      ? await alone(component, specVersion, flags)
      : await merged(before, component, specVersion, flags, session);
  await writeSbom(terminal, flags.out, finished.text);
  const told = { ...record, ...finished.facts, notes: [...record.notes, ...finished.notes] };
  if (isOnStdout(flags.out)) terminal.stderr.write(describe(told, session, terminal.stderr));
  else printResult(terminal, flags.output, told, (one) => describe(one, session, terminal.stdout));
}

function valueFrom<T>(
  parsed:
    | { ok: true; value: T }
    | { ok: false; issues: readonly { code: string; path: string; message: string; expected?: string }[] },
  checked: string,
): T {
  if (parsed.ok) return parsed.value;
  const [issue] = parsed.issues;
  throw new CliError('cli.usage', issue!.message, EXIT.usage, {
    checked,
    ...(issue!.expected === undefined ? {} : { expected: issue!.expected }),
    issues: parsed.issues,
  });
}

/** Where the code stands in its repository, whatever links lead to it from here. */
async function pathInRepository(file: string, rootFlag: string | undefined): Promise<{ path: string; root: string }> {
  const { parseVendoredPath } = await import('@colophon/sbom');
  const real = realPath(file);
  const root = realPath(rootFlag ?? repositoryOf(dirname(real)) ?? '.');
  const path = relative(root, real).split(sep).join('/');
  return { path: valueFrom(parseVendoredPath(path), file), root };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    const why = code === 'ENOENT' ? 'there is no such file or folder' : code;
    throw new CliError('cli.file_unreadable', `${path}: ${why}`, EXIT.usage, { checked: path }, cause);
  }
}

function repositoryOf(folder: string): string | undefined {
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, '.git'))) return here;
    if (dirname(here) === here) return undefined;
  }
}

async function findSource(
  from: SourcePurl,
  { source, offline = false }: VendorFlags,
  root: string,
  { env, signal }: Session,
): Promise<{ tree: SourceTree; origin: string }> {
  const { fetchSourcePackage, readSourceFolder } = await import('@colophon/feeds');
  if (source !== undefined) {
    const tree = await readSourceFolder(source);
    assertSamePackage(from, tree, source);
    return { tree, origin: source };
  }
  const localFolders = [...new Set([process.cwd(), root])];
  const tree = await fetchSourcePackage(from.purl, { env, localFolders, isOffline: offline, signal });
  return { tree, origin: tree.origin };
}

/** A licence is that of one version of one package, so a folder that says it is another one is not it. */
function assertSamePackage({ type, packageName, version }: SourcePurl, { files }: SourceTree, folder: string): void {
  const manifest = type === 'npm' ? files.find(({ path }) => path === 'package.json') : undefined;
  let stated: { name?: unknown; version?: unknown } | null;
  try {
    stated = JSON.parse(Buffer.from(manifest?.bytes ?? new Uint8Array()).toString() || 'null');
  } catch {
    return;
  }
  if (typeof stated?.name !== 'string' || typeof stated.version !== 'string') return;
  if (stated.name.toLowerCase() === packageName.toLowerCase() && stated.version === version) return;
  throw new CliError('cli.other_package', `${folder} holds another package`, EXIT.doesNotMatch, {
    checked: folder,
    expected: `${packageName}@${version}`,
    found: `${stated.name}@${stated.version}`.slice(0, 200),
  });
}

type Measured = BestMatches & {
  /** Of all files together, each by its length. */
  readonly score: number;
  readonly verdict: MatchedFile['verdict'];
  /** Digests of what was compared, by path. */
  readonly digests: ReadonlyMap<string, string>;
  readonly matchDigests: ReadonlyMap<string, string>;
  readonly isFolder: boolean;
};

async function measure(file: string, path: string, source: SourceTree, from: SourcePurl): Promise<Measured> {
  const { bestMatches } = await import('../../similarity/best-matches.ts');
  const { MINIMUM_TOKENS, NOISE, STRONG } = await import('@colophon/similarity');
  const folder = await isFolder(file);
  const { files: found } = await sourceFilesAt(file);
  // Named as the document names them: a parser has nothing to do with where the repository lies.
  const files = found.map((one) => ({
    ...one,
    path: folder ? `${path}/${relative(file, one.path).split(sep).join('/')}` : path,
  }));
  const others = sourceFilesAmong(source.files).files;
  const matches = await bestMatches(files, others, {});
  if (matches.files.length === 0) {
    throw new CliError(
      'cli.nothing_to_compare',
      `nothing in ${from.packageName} can be compared with ${path}`,
      EXIT.notFound,
      {
        checked: path,
        expected: 'source files of one language on both sides',
        found: `${files.length} here, ${others.length} in the package`,
      },
    );
  }
  const tokens = matches.files.reduce((sum, one) => sum + one.tokens.a, 0);
  const mean = matches.files.reduce((sum, one) => sum + one.score * one.tokens.a, 0) / Math.max(tokens, 1);
  const score = Math.floor(mean * 10_000 + 1e-7) / 10_000;
  const [first] = matches.files;
  const overall =
    tokens < MINIMUM_TOKENS ? 'too small to tell' : score >= STRONG ? 'strong' : score <= NOISE ? 'noise' : 'weak';
  return {
    ...matches,
    score,
    verdict: matches.files.length === 1 ? first!.verdict : overall,
    digests: new Map(files.map((one) => [one.path, sha256(one.bytes)])),
    matchDigests: new Map(others.map((one) => [one.path, sha256(one.bytes)])),
    isFolder: folder,
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const MOST_FILES_IN_EVIDENCE = 20;

async function describeCode({
  path,
  from,
  source,
  measured,
  flags,
  specVersion,
}: {
  path: string;
  from: SourcePurl;
  source: SourceTree;
  measured: Measured;
  flags: VendorFlags;
  specVersion: WrittenVersion;
}): Promise<{ component: Component; licence: string; notes: readonly string[] }> {
  const { loadLicenceTexts, vendoredComponent, vendoredLicence } = await import('@colophon/sbom');
  const hasExpressionTexts = specVersion >= '1.7' && flags.profile === 'standard';
  const licence = vendoredLicence(source, await loadLicenceTexts(), { hasExpressionTexts });
  const { agent, model, name, namespace, profile } = flags;
  const paths = [...measured.digests.keys()].sort();
  const vendored: Vendored = {
    path,
    files: paths,
    ...(measured.isFolder ? {} : { hashes: [{ alg: 'SHA-256', content: measured.digests.get(path)! }] }),
    source: from,
    licence,
    similarity: { score: measured.score, evidence: evidenceOf(measured, from) },
    ...(agent === undefined || model === undefined ? {} : { agent: { agent, model } }),
    ...(name === undefined ? {} : { name }),
  };
  const component = vendoredComponent(vendored, { profile, ...(namespace === undefined ? {} : { namespace }) });
  return { component, licence: licence.shown, notes: licence.notes };
}

/** Which file is like which, and their digests, so that somebody else can measure it again. */
function evidenceOf({ files, digests, matchDigests }: Measured, { purl }: SourcePurl): string {
  const lines = files
    .slice(0, MOST_FILES_IN_EVIDENCE)
    .map(
      ({ path, match, score }) =>
        `${path} (sha256:${digests.get(path)}) is ${score} like ${match} (sha256:${matchDigests.get(match)})`,
    );
  const more = files.length > lines.length ? `; and ${files.length - lines.length} files more` : '';
  return `${lines.join('; ')}${more}; of ${purl}`;
}

function doubts({ verdict, score, unmatched }: Measured, path: string, { packageName }: SourcePurl): string[] {
  const doubt =
    verdict === 'noise'
      ? [`a similarity of ${score} is noise: ${path} is hardly made from ${packageName}`]
      : verdict === 'too small to tell'
        ? [`${path} is too small to tell what it was made from`]
        : [];
  const missing =
    unmatched.length === 0
      ? []
      : [
          `nothing in ${packageName} is of the language of ${unmatched.slice(0, 3).join(', ')}${unmatched.length > 3 ? ' and others' : ''}`,
        ];
  return [...doubt, ...missing];
}

type Finished = {
  readonly text: string;
  readonly facts: Pick<VendorRecord, 'document'>;
  readonly notes: readonly string[];
};

/** The component by itself, valid inside the smallest document. */
async function alone(component: Component, specVersion: WrittenVersion, { profile }: VendorFlags): Promise<Finished> {
  await assertValid({ bomFormat: 'CycloneDX', specVersion, components: [component] }, profile);
  return { text: `${JSON.stringify(component, null, 2)}\n`, facts: {}, notes: [] };
}

function versionFor({ specVersion }: Bom): WrittenVersion {
  return specVersion >= '1.7' ? '1.7' : '1.6';
}

async function merged(
  before: Bom,
  component: Component,
  specVersion: WrittenVersion,
  { profile, into }: VendorFlags,
  { env }: Session,
): Promise<Finished> {
  const { formatBom, patchBom, readAttribution, vendoredEdits } = await import('@colophon/sbom');
  const { bom, notes } = await inVersion(before, specVersion);
  const { edits, replaced, isConnected } = vendoredEdits(bom, component);
  const source = {
    serialNumber: `urn:uuid:${randomUUID()}`,
    timestamp: buildTime(env),
    tool: { name: 'colophon', version: '0.1.0' },
  };
  const patched = patchBom(bom, { edits }, source);
  if (!patched.ok) {
    throw new CliError('cli.sbom_invalid', `${into} cannot take the component`, EXIT.refused, {
      checked: into!,
      issues: patched.issues,
    });
  }
  const { bom: after, isChanged, signatureDropped } = patched.value;
  await assertValid(after, profile);
  return {
    text: formatBom(after),
    facts: { document: { version: after.version ?? 1, specVersion, changed: isChanged } },
    notes: [
      ...notes,
      ...(isConnected ? [] : ['the documented artifact has no bom-ref, so no edge leads from it to the component']),
      ...(signatureDropped ? ['the signature inside the document did not survive the change'] : []),
      ...(replaced !== undefined && isChanged && readAttribution(replaced)?.basis === 'verified'
        ? ['the component that was there was verified: run colophon sbom attribute again']
        : []),
    ],
  };
}

/** A document that is too old to carry what the contract asks for becomes one that is not. */
async function inVersion(bom: Bom, specVersion: WrittenVersion): Promise<{ bom: Bom; notes: readonly string[] }> {
  if (bom.specVersion >= specVersion) return { bom, notes: [] };
  const { convertBom } = await import('@colophon/sbom');
  const version = await targetVersion(specVersion);
  const { bom: next, losses, notes } = convertBom(bom, { profile: 'standard', version });
  return { bom: next, notes: [...notes, ...losses.map(({ path, what, why }) => `lost: ${what} at ${path}: ${why}`)] };
}

async function assertValid(bom: Bom, profile: WrittenProfile): Promise<void> {
  const { issues, valid } = (await bomValidator()).validateBom(bom, {
    profile: profile === 'spec' ? 'spec' : 'strict',
  });
  if (valid) return;
  throw new CliError(
    'cli.sbom_invalid',
    'the document that was made is no valid SBOM, and was not written',
    EXIT.refused,
    {
      issues: issues.filter(({ severity }) => severity === 'error'),
    },
  );
}

function describe(record: VendorRecord, { terminal }: Session, stream: Session['terminal']['stdout']): string {
  const colours = coloursFor({ ...terminal, stderr: stream as typeof terminal.stderr });
  const { ref, source, origin, licence, similarity, out, document, notes } = record;
  const [best] = similarity.files;
  const lines = [
    `component   ${colours.bold(ref)}`,
    `made from   ${source}`,
    `source      ${origin}`,
    `licence     ${licence}`,
    `similarity  ${similarity.score} (${similarity.verdict})${best === undefined ? '' : `, most like ${best.match}`}`,
    ...(document === undefined
      ? []
      : [
          `document    ${out ?? '(standard output)'}: ${document.changed ? `version ${document.version}` : 'unchanged'}`,
        ]),
  ].map(oneLine);
  lines.push(...notes.map((note) => `${colours.yellow('note')}        ${oneLine(note)}`));
  if (out !== undefined && out !== '-' && document !== undefined) {
    lines.push(`next        colophon sbom licenses ${shellWord(oneLine(out))} --allow FILE`);
  }
  return `${lines.join('\n')}\n`;
}

function parseScore(text: string): number {
  const score = /^(?:0|1|0?\.\d+|1\.0+)$/.test(text) ? Number(text) : Number.NaN;
  if (score >= 0 && score <= 1) return score;
  throw new InvalidArgumentError('expected a number from 0 to 1');
}
