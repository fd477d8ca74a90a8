import { basename } from 'node:path';
import type { AttributedBom, Attribution, RunEvidence } from '@colophon/sbom';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { evidenceUrl, fetchEvidence } from '../../evidence-client/evidence-client.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { issuerUrl } from '../../home/issuer-url.ts';
import { readInput } from '../../input/input.ts';
import { dataFlag, everyValue, outputOption, type Session } from '../../program/program.ts';
import { exitCodeOf, type OutputFormat, printResult, reportOf } from '../../report/report.ts';
import type { VerifiedRun } from '../../run-evidence/run-evidence.ts';
import { conditionsOf, findRuns, isChosen, type RunChoice } from '../../run-evidence/stored-runs.ts';
import { attributionFaults } from '../../sbom-file/attribution-faults.ts';
import { changedFiles } from '../../sbom-file/changed-files.ts';
import { type ConversionFlags, tellChanges, versionChange, withConversion } from '../../sbom-file/conversion-flags.ts';
import { bomValidator } from '../../sbom-file/official-schemas.ts';
import { readAttributedSbom } from '../../sbom-file/sbom-file.ts';
import { assertWritableOut, isOnStdout, outOption, writeSbom } from '../../sbom-file/sbom-output.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';
import { counted, formatTable, oneLine, shellWord } from '../../terminal/terminal.ts';
import {
  identityPolicy,
  trustMaterial,
  type VerificationFlags,
  withVerification,
} from '../../verification-flags/verification-flags.ts';

type AttributeFlags = ConversionFlags &
  VerificationFlags &
  RunChoice & {
    readonly issuer?: string;
    readonly bundle?: readonly string[];
    readonly root?: string;
    readonly addFiles?: string;
    readonly declare?: readonly string[];
    readonly component?: readonly string[];
    readonly out?: string;
    readonly output: OutputFormat;
  };

/** A bundle that was looked at and does not count, and why. */
type Refused = { readonly bundle: string; readonly code: string; readonly message: string };
type Evidence = { readonly runs: readonly VerifiedRun[]; readonly refused: readonly Refused[] };

type AttributeRecord = Omit<AttributedBom, 'bom' | 'unknownRefs' | 'refusedPaths'> & {
  readonly file: string;
  readonly out?: string;
  readonly specVersion: string;
  /** Of the document, before and after. */
  readonly version: { readonly before: number; readonly after: number };
  readonly runs: ReadonlyArray<{
    readonly bundle: string;
    readonly url: string;
    readonly subject: string;
    readonly commit_sha: string;
    readonly logged_at: string;
    readonly files_changed: number;
  }>;
  readonly refused: readonly Refused[];
  readonly refused_paths: readonly string[];
};

const FIELDS = ['agent', 'model', 'model_version', 'prompt', 'generated_at', 'reviewed_by', 'reviewed_at'] as const;
const BUNDLES_AT_ONCE = 8;

/** `colophon sbom attribute`: marks the components that verified agent runs changed (contract §2.5). */
export function addAttributeCommand(sbom: Command, session: Session): void {
  const command = sbom
    .command('attribute <file>')
    .description('mark the components that agents wrote, from agent runs that are verified here');
  withVerification(withConversion(command))
    .option('--commit <sha>', 'take the runs of this commit from the evidence store', everyValue)
    .option('--artifact <digest>', 'take the runs about this artifact', everyValue)
    .option('--where <condition>', 'take the runs that meet a condition of the query language')
    .option('--issuer <url>', 'server with the evidence (default: as for query)', parseServiceUrl)
    .option('--bundle <file>', 'take the run in this bundle; no server is asked', everyValue)
    .option('--root <path>', 'what the scanner put before the paths of the repository, e.g. /builds/shop')
    .option('--add-files <folder>', 'the repository: changed files of no component that are in it become components')
    .option('--declare <name=value>', `mark by word alone: ${FIELDS.join(', ')}`, everyValue)
    .option('--component <ref>', 'component that --declare marks, by bom-ref or purl', everyValue)
    .addOption(outOption())
    .addOption(outputOption())
    .action((file: string, flags: AttributeFlags) => attribute(file, flags, command, session));
}

async function attribute(file: string, flags: AttributeFlags, command: Command, session: Session): Promise<void> {
  const { terminal } = session;
  const declared = declaredBy(flags);
  const isEvidenceAsked = flags.bundle !== undefined || conditionsOf(flags).length > 0;
  if (!isEvidenceAsked && declared === undefined) {
    throw new CliError('cli.usage', 'nothing says which agent runs to mark by', EXIT.usage, {
      expected: '--commit, --artifact, --where or --bundle; or --declare with --component',
    });
  }
  assertWritableOut(flags.out);
  const bom = await readAttributedSbom(file);
  const { runs, refused } = isEvidenceAsked ? await gatherEvidence(flags, command, session) : { runs: [], refused: [] };
  const { attributeBom } = await import('@colophon/sbom');
  const { profile, variant, namespace, root } = flags;
  const version = await versionChange(bom, flags);
  const result = attributeBom(bom, runs, {
    profile,
    ...(variant && { variant }),
    ...(namespace && { namespace }),
    ...(version && { version }),
    ...(root && { root }),
    ...(declared && { declared }),
    ...(flags.addFiles !== undefined && { addFiles: await changedFiles(filesOf(runs), flags.addFiles) }),
  });
  assertRefsKnown(file, result);
  if (declared !== undefined) await assertDeclaredWhole(file, result, profile);
  const notes = [...result.notes, ...(await attributionFaults(result.bom, profile))];
  await writeSbom(terminal, flags.out, result.bom);
  const { bom: written, unknownRefs: _, refusedPaths, ...marks } = result;
  const record: AttributeRecord = {
    file,
    ...(isOnStdout(flags.out) ? {} : { out: flags.out as string }),
    specVersion: written.specVersion,
    version: { before: bom.version ?? 1, after: written.version ?? 1 },
    ...marks,
    runs: runs.map(({ run, bundle, url, subject, loggedAt }) => ({
      bundle,
      url,
      subject,
      commit_sha: run.git.commit_sha,
      logged_at: loggedAt,
      files_changed: run.git.files_changed?.length ?? 0,
    })),
    refused,
    refused_paths: refusedPaths,
    notes,
  };
  if (isOnStdout(flags.out)) terminal.stderr.write(describe(record));
  else printResult(terminal, flags.output, record, describe);
  if (flags.output === 'table' || isOnStdout(flags.out)) tellChanges(terminal, record.losses, notes);
}

async function gatherEvidence(flags: AttributeFlags, command: Command, session: Session): Promise<Evidence> {
  // What the caller wants pinned is checked before anything is read or asked.
  const policy = identityPolicy(flags);
  const { trust } = await trustMaterial(flags, command, session);
  const { verifyRun } = await import('../../run-evidence/run-evidence.ts');
  const runs = new Map<string, VerifiedRun>();
  for (const file of flags.bundle ?? []) {
    const bundle = await readInput(file);
    try {
      const run = verifyRun(bundle, encodeURI(basename(file)), { trust, policy });
      runs.set(run.bundle, run);
    } catch (error) {
      const facts = { checked: file, expected: 'a bundle with an agent-run attestation' };
      throw error instanceof Error ? Object.assign(error, { facts: { ...facts, ...factsOf(error) } }) : error;
    }
  }
  const conditions = conditionsOf(flags);
  const refused: Refused[] = [];
  let firstRefusal: unknown;
  if (conditions.length > 0) {
    const server = issuerUrl(session.env, dataFlag(command), flags.issuer);
    const ids = new Set<string>();
    for (const condition of conditions) for (const id of await findRuns(server, condition)) ids.add(id);
    await eachAtOnce([...ids].sort(), BUNDLES_AT_ONCE, async (id) => {
      if (runs.has(`sha256:${id}`)) return;
      const bundle = await fetchEvidence(server, id);
      try {
        const run = verifyRun(bundle, evidenceUrl(server, id), { trust, policy });
        if (!isChosen(flags, run)) throw notAskedFor(run);
        runs.set(run.bundle, run);
      } catch (error) {
        const { code, message } = reportOf(error);
        if (code === 'cli.internal') throw error;
        firstRefusal ??= error;
        refused.push({ bundle: `sha256:${id}`, code, message });
      }
    });
  }
  if (runs.size > 0) return { runs: [...runs.values()], refused };
  if (firstRefusal !== undefined) {
    const issues = refused.map(({ bundle, code, message }) => ({ code, message: `${bundle}: ${message}` }));
    throw new CliError('cli.no_evidence', 'no agent run that was found is verified', exitCodeOf(firstRefusal), {
      checked: conditions.join(' or '),
      issues,
    });
  }
  throw new CliError('cli.no_evidence', 'there is no agent run to mark by', EXIT.nothingToVerify, {
    checked: conditions.map((condition) => `runs where ${condition}`).join(' or '),
    next: `colophon query ${shellWord(`runs where ${conditions[0]}`)}`,
  });
}

function notAskedFor({ commits }: VerifiedRun): CliError {
  return new CliError('cli.evidence_refused', 'the evidence store gave a run that was not asked for', EXIT.refused, {
    expected: 'a run about the commit or artifact',
    found: `one about ${commits.join(', ') || 'no commit'}`,
  });
}

function factsOf(error: Error): object {
  return (error as { facts?: object }).facts ?? {};
}

async function eachAtOnce<T>(items: readonly T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const open = items.values();
  await Promise.all(
    Array.from({ length: most }, async () => {
      for (const item of open) await work(item);
    }),
  );
}

/** What `--declare` says; somebody's word, whatever it says. */
function declaredBy({ declare, component }: AttributeFlags) {
  if (declare === undefined && component === undefined) return undefined;
  if (declare === undefined || component === undefined) {
    throw new CliError('cli.usage', '--declare and --component go together', EXIT.usage, {
      expected: '--component vendored:lib/pad --declare agent=code-writer',
    });
  }
  const attribution: Record<string, string> = {};
  for (const text of declare) {
    const at = text.indexOf('=');
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    const isKnown = (FIELDS as readonly string[]).includes(name);
    if (at < 1 || !isKnown || value.trim() === '' || Object.hasOwn(attribution, name)) {
      throw new CliError('cli.usage', `--declare ${text} says nothing that can be declared`, EXIT.usage, {
        expected: `name=value, each name once: ${FIELDS.join(', ')}`,
      });
    }
    attribution[name] = value;
  }
  if (attribution['agent'] === undefined) {
    throw new CliError('cli.usage', '--declare names no agent', EXIT.usage, { expected: '--declare agent=NAME' });
  }
  return { refs: component, attribution: attribution as Attribution };
}

function filesOf(runs: readonly RunEvidence[]): string[] {
  return runs.flatMap(({ run }) => run.git.files_changed ?? []);
}

function assertRefsKnown(file: string, { unknownRefs }: AttributedBom): void {
  if (unknownRefs.length === 0) return;
  throw new CliError('cli.component_unknown', 'no component has this bom-ref or purl', EXIT.notFound, {
    checked: file,
    found: unknownRefs.join(', '),
  });
}

/** What a document says already stays as it is; what is declared here and now is a whole mark, or none. */
async function assertDeclaredWhole(
  file: string,
  { bom, declared }: AttributedBom,
  profile: ConversionFlags['profile'],
) {
  const places = declared.filter(({ was }) => was === 'new').map(({ path }) => path);
  const { issues } = (await bomValidator()).validateBom(bom, { profile: profile === 'spec' ? 'spec' : 'strict' });
  const missing = issues.filter(({ code, path }) => code === 'sbom.ai_field_missing' && places.some(holds(path)));
  if (missing.length === 0) return;
  throw new CliError('cli.usage', 'what is declared is part of a mark, and sbom validate refuses a part', EXIT.usage, {
    checked: file,
    expected: `${missing.map(({ expected }) => expected?.replace(/^.*:/, '')).join(', ')} as well`,
  });
}

/** Whether an issue is about the component itself and about none inside it. */
function holds(path: string) {
  return (place: string) =>
    path === place || (path.startsWith(`${place}/`) && !path.includes('/components/', place.length));
}

function describe(record: AttributeRecord): string {
  const { verified, declared, unmatched, refused, runs, version, changed } = record;
  const rows = [
    ...verified.map(({ component, attribution, bundle }) => [
      'verified',
      component,
      attribution.agent ?? '',
      attribution.reviewed_by ?? 'not reviewed',
      bundle,
    ]),
    ...declared.map(({ component, attribution, was }) => [
      'declared',
      component,
      attribution.agent ?? '',
      attribution.reviewed_by ?? '',
      was === 'unsupported' ? 'said verified, and no evidence supports it' : '',
    ]),
  ];
  const lines = [
    rows.length === 0
      ? 'no component was marked\n'
      : formatTable([['BASIS', 'COMPONENT', 'AGENT', 'REVIEWED BY', 'BY'], ...rows]),
    ...verified
      .filter(({ earlier }) => earlier.length > 0)
      .map(({ component, earlier }) => `${oneLine(component)} was changed before by ${earlier.join(', ')}\n`),
    ...unmatched.map((file) => `of no component: ${oneLine(file)}\n`),
    ...record.refused_paths.map((path) => `no path of a repository: ${oneLine(path)}\n`),
    ...refused.map(({ bundle, code, message }) => `does not count: ${bundle}: ${oneLine(message)} [${code}]\n`),
    `${counted(runs.length, 'run')}; ${changed ? `version ${version.before} became ${version.after}` : 'nothing changed'}\n`,
  ];
  return lines.join('');
}
