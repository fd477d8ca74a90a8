import { type GatheredRuns, shownRun } from '@colophon/evidence/client';
import { withWrittenFiles } from '@colophon/forge';
import {
  AI_FIELDS,
  type AttributedBom,
  type Attribution,
  attributeBom,
  type RunEvidence,
  shownMark,
} from '@colophon/sbom';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
} from '../../column-table/column-table.ts';
import { EVIDENCE_URL_HELP } from '../../home/evidence-url.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { type ChoiceFlags, gatherByFlags, runChoice } from '../../run-evidence/gathered-runs.ts';
import { attributionFaults } from '../../sbom-file/attribution-faults.ts';
import { changedFiles } from '../../sbom-file/changed-files.ts';
import { type ConversionFlags, tellChanges, versionChange, withConversion } from '../../sbom-file/conversion-flags.ts';
import { bomValidator } from '../../sbom-file/official-schemas.ts';
import { readAttributedSbom } from '../../sbom-file/sbom-file.ts';
import { assertWritableOut, isOnStdout, outOption, writeSbom } from '../../sbom-file/sbom-output.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';
import { counted, oneLine } from '../../terminal/terminal.ts';
import {
  identityNeeds,
  type VerificationFlags,
  withVerification,
} from '../../verification-flags/verification-flags.ts';
import type { SbomAttributeResult } from './attribute-result.ts';

type AttributeFlags = ConversionFlags &
  VerificationFlags &
  ChoiceFlags & {
    readonly evidenceUrl?: string;
    readonly bundle?: readonly string[];
    readonly reviewIssuer?: string;
    readonly pathPrefix?: string;
    readonly repository?: string;
    readonly addFiles?: string;
    readonly declare?: readonly string[];
    readonly component?: readonly string[];
    readonly out?: string;
    readonly output: OutputFormat;
  } & WideFlag;

/** `colophon sbom attribute`: marks the components that verified agent runs changed (contract §2.5). */
export function defineAttribute(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon sbom attribute app.cdx.json --commit "$(git rev-parse HEAD)" \\',
      '  --out marked.cdx.json --certificate-identity agent:code-writer \\',
      '  --certificate-oidc-issuer http://localhost:7080',
    ),
  );
  withNeeds(
    withVerification(withConversion(command)),
    {
      what: 'the agent runs to mark by, or what is declared',
      oneOf: ['--commit', '--artifact', '--where', '--bundle', '--component --declare'],
    },
    ...identityNeeds('--declare'),
  )
    .option('--commit <sha>', 'take the runs of this commit from the evidence store', everyValue)
    .option('--artifact <file-or-digest>', 'take the runs about this file, or the artifact of this digest', everyValue)
    .option('--where <condition>', 'take the runs that meet a condition of the query language')
    .option('--evidence-url <url>', EVIDENCE_URL_HELP, parseServiceUrl)
    .option('--bundle <file>', 'take the run, or the review of a run, in this bundle; no server is asked', everyValue)
    .option(
      '--review-issuer <url>',
      'issuer whose e-mail certificates are reviewers’, exactly: the company’s login (default: none)',
      parseServiceUrl,
    )
    .option('--path-prefix <path>', 'prefix that the scanner put before the paths of the repository, e.g. /builds/shop')
    .option(
      '--repository <folder>',
      'the git repository that has the commits of the runs: only what they wrote is verified (default: here)',
    )
    .option('--add-files <folder>', 'the repository: changed files of no component that are in it become components')
    .option('--declare <name=value>', `mark as declared, without evidence: ${AI_FIELDS.join(', ')}`, everyValue)
    .option('--component <ref>', 'component that --declare marks, by bom-ref or purl', everyValue)
    .addOption(outOption())
    .addOption(outputOption())
    .addOption(wideOption())
    .action((file: string, flags: AttributeFlags) => attribute(file, flags, command, session));
}

async function attribute(file: string, flags: AttributeFlags, command: Command, session: Session): Promise<void> {
  const { terminal } = session;
  const declared = declaredBy(flags);
  const isEvidenceAsked = flags.bundle !== undefined || (await runChoice(flags)) !== undefined;
  assertWritableOut(flags.out);
  const bom = await readAttributedSbom(file);
  const { runs: gathered, refused }: GatheredRuns = isEvidenceAsked
    ? await gatherByFlags(flags, command, session)
    : { runs: [], refused: [] };
  const place = flags.repository === undefined ? { likely: flags.addFiles ?? '.' } : { named: flags.repository };
  const runs = await withWrittenFiles(gathered, place, { signal: session.signal });
  const { profile, variant, namespace, pathPrefix } = flags;
  const version = versionChange(bom, flags);
  const result = attributeBom(bom, runs, {
    profile,
    ...(variant && { variant }),
    ...(namespace && { namespace }),
    ...(version && { version }),
    ...(pathPrefix && { root: pathPrefix }),
    ...(declared && { declared }),
    ...(flags.addFiles !== undefined && { addFiles: await changedFiles(filesOf(runs), flags.addFiles) }),
  });
  assertRefsKnown(file, result);
  if (declared !== undefined) assertDeclaredWhole(file, result, profile);
  const notes = [...result.notes, ...attributionFaults(result.bom, profile)];
  writeSbom(terminal, flags.out, result.bom);
  const { bom: written, changed, declared: marked, unmatched, losses } = result;
  const record: SbomAttributeResult = {
    ok: true,
    file,
    ...(isOnStdout(flags.out) ? {} : { out: flags.out as string }),
    spec_version: written.specVersion,
    previous_version: bom.version ?? 1,
    version: written.version ?? 1,
    changed,
    supported: result.supported.map(shownMark),
    declared: marked,
    unmatched,
    losses,
    runs: runs.map(shownRun),
    refused,
    refused_paths: result.refusedPaths,
    notes,
  };
  const view = { terminal, wide: flags.wide };
  if (isOnStdout(flags.out)) terminal.stderr.write(describe(record, view));
  else printResult(terminal, flags.output, record, () => describe(record, view));
  if (flags.output === 'table' || isOnStdout(flags.out)) tellChanges(terminal, record.losses, notes);
}

/** What `--declare` says; somebody's word, whatever it says. */
function declaredBy({ declare, component }: AttributeFlags) {
  if (declare === undefined && component === undefined) return undefined;
  if (declare === undefined || component === undefined) {
    throw new CliError('cli.usage', '--declare and --component go together', {
      expected: '--component vendored:lib/pad --declare agent=code-writer',
    });
  }
  const attribution: Record<string, string> = {};
  for (const text of declare) {
    const at = text.indexOf('=');
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    const isKnown = (AI_FIELDS as readonly string[]).includes(name);
    if (at < 1 || !isKnown || value.trim() === '' || Object.hasOwn(attribution, name)) {
      throw new CliError('cli.usage', `--declare ${text} says nothing that can be declared`, {
        expected: `name=value, each name once: ${AI_FIELDS.join(', ')}`,
      });
    }
    attribution[name] = value;
  }
  if (attribution['agent'] === undefined) {
    throw new CliError('cli.usage', '--declare names no agent', { expected: '--declare agent=NAME' });
  }
  return { refs: component, attribution: attribution as Attribution };
}

function filesOf(runs: readonly RunEvidence[]): string[] {
  return runs.flatMap(({ run }) => run.git.files_changed ?? []);
}

function assertRefsKnown(file: string, { unknownRefs }: AttributedBom): void {
  if (unknownRefs.length === 0) return;
  throw new CliError('cli.component_unknown', 'no component has this bom-ref or purl', {
    checked: file,
    found: unknownRefs.join(', '),
  });
}

/** What a document says already stays as it is; what is declared here and now is a whole mark, or none. */
function assertDeclaredWhole(file: string, { bom, declared }: AttributedBom, profile: ConversionFlags['profile']) {
  const places = declared.filter(({ was }) => was === 'new').map(({ path }) => path);
  const { issues } = bomValidator().validateBom(bom, { profile: profile === 'spec' ? 'spec' : 'standard' });
  const missing = issues.filter(({ code, path }) => code === 'sbom.ai_field_missing' && places.some(holds(path)));
  if (missing.length === 0) return;
  throw new CliError('cli.usage', 'the declaration is incomplete, and sbom validate refuses that', {
    checked: file,
    expected: `${missing.map(({ expected }) => expected?.replace(/^.*:/, '')).join(', ')} as well`,
  });
}

/** Whether an issue is about the component itself and about none inside it. */
function holds(path: string) {
  return (place: string) =>
    path === place || (path.startsWith(`${place}/`) && !path.includes('/components/', place.length));
}

const COLUMNS: readonly Column[] = [
  { heading: 'BASIS', rank: 1 },
  { heading: 'COMPONENT', rank: 1, shortest: 16 },
  // Never cut: what a name rests on stands behind it.
  { heading: 'AGENT', rank: 2 },
  { heading: 'REVIEWED BY', rank: 3 },
  // The digest of a bundle.
  { heading: 'BY', rank: 4 },
];

function describe(record: SbomAttributeResult, view: TableView): string {
  const { supported, declared, unmatched, refused, runs, previous_version, version, changed } = record;
  const rows = [
    ...supported.map(({ component, attribution, bundle_digest }) => [
      attribution.basis ?? '',
      component,
      based(attribution, 'agent'),
      based(attribution, 'reviewed_by') || 'not reviewed',
      bundle_digest,
    ]),
    ...declared.map(({ component, attribution, was }) => [
      'declared',
      component,
      attribution.agent ?? '',
      attribution.reviewed_by ?? '',
      was === 'unsupported' ? 'names evidence that no given bundle supports' : '',
    ]),
  ];
  const lines = [
    rows.length === 0 ? 'no component was marked\n' : columnTable(COLUMNS, rows, view),
    ...supported
      .filter(({ earlier_bundle_digests }) => earlier_bundle_digests.length > 0)
      .map((one) => `${oneLine(one.component)} was changed before by ${one.earlier_bundle_digests.join(', ')}\n`),
    ...runs.flatMap(({ bundle_digest, certificate_identity: { subject }, claimed_reviewer: claimed }) =>
      claimed === undefined
        ? []
        : [`not taken over: ${oneLine(subject)} says that ${oneLine(claimed)} reviewed, in ${bundle_digest}\n`],
    ),
    ...unmatched.map((file) => `of no component: ${oneLine(file)}\n`),
    ...record.refused_paths.map((path) => `no path of a repository: ${oneLine(path)}\n`),
    ...refused.map(({ bundle, code, message }) => `does not count: ${bundle}: ${oneLine(message)} [${code}]\n`),
    `${counted(runs.length, 'run')}; ${changed ? `version ${previous_version} became ${version}` : 'nothing changed'}\n`,
  ];
  return lines.join('');
}

/** A field with what it rests on: `code-writer (declared)`. */
function based(
  { field_basis, ...attribution }: SbomAttributeResult['supported'][number]['attribution'],
  field: 'agent' | 'reviewed_by',
): string {
  const value = attribution[field];
  const source = field_basis?.[field]?.source;
  return value === undefined ? '' : `${value}${source === undefined ? '' : ` (${source})`}`;
}
