import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { doubtsOf, evidenceOf, type Measured, measureCode, type Reference } from '@colophon/grammars';
import { loadLicenceTexts } from '@colophon/licences';
import {
  type Bom,
  type Component,
  convertBom,
  formatBom,
  parseSourcePurl,
  patchBom,
  readAttribution,
  type SourcePurl,
  type Vendored,
  vendoredComponent,
  vendoredEdits,
  vendoredLicence,
  WRITTEN_PROFILES,
  type WrittenProfile,
} from '@colophon/sbom';
import type { SourceTree } from '@colophon/source-packages';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { buildTime } from '../../build-time/build-time.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { VERSION } from '../../program/version.ts';
import { progressLine, showUntilDone } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { bomValidator, targetVersion } from '../../sbom-file/official-schemas.ts';
import { readSbom } from '../../sbom-file/sbom-file.ts';
import { assertWritableOut, isOnStdout, outOption, writeSbom } from '../../sbom-file/sbom-output.ts';
import { coloursFor, oneLine, shellWord } from '../../terminal/terminal.ts';
import { codeAt } from '../../vendored-code/code-at.ts';
import { findSource } from '../../vendored-code/package-source.ts';
import { parsedFlag } from '../../vendored-code/parsed-flag.ts';
import { pathInRepository } from '../../vendored-code/repository-path.ts';
import type { SbomVendorResult } from './code-results.ts';

const SPEC_VERSIONS = ['1.7', '1.6'] as const;
type WrittenVersion = (typeof SPEC_VERSIONS)[number];

type VendorFlags = {
  readonly madeFrom: string;
  readonly source?: string;
  readonly repository?: string;
  readonly componentName?: string;
  readonly agentName?: string;
  readonly modelId?: string;
  readonly namespace?: string;
  readonly profile: WrittenProfile;
  readonly specVersion?: WrittenVersion;
  readonly minSimilarity?: number;
  readonly offline?: boolean;
  readonly into?: string;
  readonly out?: string;
  readonly output: OutputFormat;
};

/** `colophon sbom vendor`: the component of code that was made from somebody's package (contract §2.5). */
export function defineVendor(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon sbom vendor lib/pad.js --made-from pkg:npm/left-pad@1.3.0 \\',
      '  --into app.cdx.json --out vendored.cdx.json',
    ),
  );
  command
    .requiredOption('--made-from <purl>', 'the package and version it was made from, e.g. pkg:npm/left-pad@1.3.0')
    .option('--source <folder>', 'local copy of the package (default: its registry)')
    .option('--offline', 'no network: needs --source')
    .option('--repository <folder>', 'the git repository (default: where .git is, else the current folder)')
    .option('--component-name <name>', 'of the component (default: <package>-vendored)')
    .option('--agent-name <name>', 'agent that wrote it, as you declare it; with --model-id')
    .option('--model-id <id>', 'model of that agent')
    .option('--namespace <name>', 'of the properties that mark vendored code (default: vendor)')
    .addOption(
      new Option('--profile <profile>', "spec: the contract's own words, which no official schema knows")
        .choices(WRITTEN_PROFILES)
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
  if ((flags.agentName === undefined) !== (flags.modelId === undefined)) {
    throw new CliError('cli.usage', 'an agent and its model are stated together', {
      expected: '--agent-name NAME --model-id ID, or neither where a person wrote it',
    });
  }
  assertWritableOut(flags.out);
  const from = parsedFlag(parseSourcePurl(flags.madeFrom), flags.madeFrom);
  const { path, root } = pathInRepository(file, flags.repository);
  const before = flags.into === undefined ? undefined : await readSbom(flags.into);
  const progress = progressLine(terminal);
  const found = showUntilDone(terminal, `reading the source of ${from.purl} …`);
  const source = await findSource(from, flags, root, session).finally(found);
  const onProgress = (done: number) => progress.show(`${done} files read`);
  const code = await codeAt(join(root, path), path);
  const measured = await measureCode(code, { source: source.tree, from, onProgress }).finally(progress.clear);
  const { score } = measured;
  if (flags.minSimilarity !== undefined && score < flags.minSimilarity) {
    throw new CliError('cli.not_alike', `${path} is hardly made from ${from.packageName}`, {
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
    reference: source.reference,
    measured,
    flags,
    specVersion,
  });
  const record: SbomVendorResult = {
    ok: true,
    file: path,
    bom_ref: component['bom-ref']!,
    made_from: from.purl,
    source: source.origin,
    reference: source.reference,
    licence,
    similarity: {
      score,
      verdict: measured.verdict,
      files: measured.files.map(({ file: one, match, score: its, verdict }) => ({
        file: one,
        match,
        score: its,
        verdict,
      })),
      unread: measured.unread,
    },
    ...(flags.out === undefined ? {} : { out: flags.out }),
    notes: [...doubtsOf(measured, path, from), ...notes],
  };
  const finished =
    before === undefined
      ? alone(component, specVersion, flags)
      : merged(before, component, specVersion, flags, session);
  writeSbom(terminal, flags.out, finished.text);
  const told = { ...record, ...finished.facts, notes: [...record.notes, ...finished.notes] };
  if (isOnStdout(flags.out)) terminal.stderr.write(describe(told, session, terminal.stderr));
  else printResult(terminal, flags.output, told, (one) => describe(one, session, terminal.stdout));
}

async function describeCode({
  path,
  from,
  source,
  reference,
  measured,
  flags,
  specVersion,
}: {
  path: string;
  from: SourcePurl;
  source: SourceTree;
  reference: Reference;
  measured: Measured;
  flags: VendorFlags;
  specVersion: WrittenVersion;
}): Promise<{ component: Component; licence: string; notes: readonly string[] }> {
  const hasExpressionTexts = specVersion >= '1.7' && flags.profile === 'standard';
  const licence = vendoredLicence(source, await loadLicenceTexts(), { hasExpressionTexts });
  const { agentName: agent, modelId: model, componentName: name, namespace, profile } = flags;
  const paths = [...measured.digests.keys()].sort();
  const vendored: Vendored = {
    path,
    files: paths,
    ...(measured.isFolder ? {} : { hashes: [{ alg: 'SHA-256', content: measured.digests.get(path)! }] }),
    source: from,
    licence,
    similarity: { score: measured.score, evidence: evidenceOf(measured, from, reference) },
    ...(agent === undefined || model === undefined ? {} : { agent: { agent, model } }),
    ...(name === undefined ? {} : { name }),
  };
  const component = vendoredComponent(vendored, { profile, ...(namespace === undefined ? {} : { namespace }) });
  return { component, licence: licence.shown, notes: licence.notes };
}

type Finished = {
  readonly text: string;
  readonly facts: Pick<SbomVendorResult, 'document'>;
  readonly notes: readonly string[];
};

/** The component by itself, valid inside the smallest document. */
function alone(component: Component, specVersion: WrittenVersion, { profile }: VendorFlags): Finished {
  assertValid({ bomFormat: 'CycloneDX', specVersion, components: [component] }, profile);
  return { text: `${JSON.stringify(component, null, 2)}\n`, facts: {}, notes: [] };
}

function versionFor({ specVersion }: Bom): WrittenVersion {
  return specVersion >= '1.7' ? '1.7' : '1.6';
}

function merged(
  before: Bom,
  component: Component,
  specVersion: WrittenVersion,
  { profile, into }: VendorFlags,
  { env }: Session,
): Finished {
  const { bom, notes } = inVersion(before, specVersion);
  const { edits, replaced, isConnected } = vendoredEdits(bom, component);
  const source = {
    serialNumber: `urn:uuid:${randomUUID()}`,
    timestamp: buildTime(env),
    tool: { name: 'colophon', version: VERSION },
  };
  const patched = patchBom(bom, { edits }, source);
  if (!patched.ok) {
    throw new CliError('cli.sbom_invalid', `${into} cannot take the component`, {
      checked: into!,
      issues: patched.issues,
    });
  }
  const { bom: after, isChanged, signatureDropped } = patched.value;
  assertValid(after, profile);
  return {
    text: formatBom(after),
    facts: { document: { version: after.version ?? 1, spec_version: specVersion, changed: isChanged } },
    notes: [
      ...notes,
      ...(isConnected ? [] : ['the documented artifact has no bom-ref, so no edge leads from it to the component']),
      ...(signatureDropped ? ['the signature inside the document did not survive the change'] : []),
      ...(replaced !== undefined && isChanged && readAttribution(replaced)?.bundle !== undefined
        ? ['the mark that was there rested on evidence: run colophon sbom attribute again']
        : []),
    ],
  };
}

/** A document that is too old to carry what the contract asks for becomes one that is not. */
function inVersion(bom: Bom, specVersion: WrittenVersion): { bom: Bom; notes: readonly string[] } {
  if (bom.specVersion >= specVersion) return { bom, notes: [] };
  const version = targetVersion(specVersion);
  const { bom: next, losses, notes } = convertBom(bom, { profile: 'standard', version });
  return { bom: next, notes: [...notes, ...losses.map(({ path, what, why }) => `lost: ${what} at ${path}: ${why}`)] };
}

function assertValid(bom: Bom, profile: WrittenProfile): void {
  const { issues, valid } = bomValidator().validateBom(bom, {
    profile: profile === 'spec' ? 'spec' : 'standard',
  });
  if (valid) return;
  throw new CliError('cli.sbom_invalid', 'the document that was made is no valid SBOM, and was not written', {
    issues: issues.filter(({ severity }) => severity === 'error'),
  });
}

function describe(record: SbomVendorResult, { terminal }: Session, stream: Session['terminal']['stdout']): string {
  const colours = coloursFor(terminal, stream);
  const { bom_ref, made_from, source, reference, licence, similarity, out, document, notes } = record;
  const [best] = similarity.files;
  const lines = [
    `component   ${colours.bold(bom_ref)}`,
    `made from   ${made_from}`,
    `source      ${source}`,
    `reference   ${reference}`,
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
