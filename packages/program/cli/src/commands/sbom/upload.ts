import { parseUuid } from '@colophon/notation';
import {
  DashboardClient,
  type DashboardProject,
  type DashboardSeverity,
  decideUploadVersion,
  isAtLeast,
  SEVERITIES,
  type UploadVersion,
} from '@colophon/publishing';
import { ATTRIBUTED_VERSIONS, type AttributedVersion, type Bom } from '@colophon/sbom';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CliError, type ErrorFacts } from '../../cli-error/cli-error.ts';
import { type WideFlag, wideOption } from '../../column-table/column-table.ts';
import { readApiKey } from '../../dashboard-upload/api-key.ts';
import { fitUploadDocument, readUploadDocument, type UploadDocument } from '../../dashboard-upload/upload-document.ts';
import { countBySeverity, describeUpload, type UploadReport } from '../../dashboard-upload/upload-report.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValueOf } from '../../program/repeated-flag.ts';
import { type ProgressLine, progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';

type UploadFlags = {
  readonly dashboard: string;
  readonly apiKeyFile?: string;
  readonly allowHttp?: true;
  readonly project?: string;
  readonly projectName?: string;
  readonly projectVersion?: string;
  readonly autoCreate?: true;
  readonly parent?: string;
  readonly parentName?: string;
  readonly parentVersion?: string;
  readonly tag?: readonly string[];
  readonly isLatest?: true;
  readonly vex?: string;
  readonly specVersion?: AttributedVersion;
  readonly wait: boolean;
  readonly findings: boolean;
  readonly timeout: number;
  readonly failOn?: DashboardSeverity;
  readonly output: OutputFormat;
} & WideFlag;

/** What is known once the document was taken. */
type FollowUp = {
  readonly project: DashboardProject;
  readonly sent: UploadReport;
  readonly vexDocument: UploadDocument | undefined;
  readonly flags: UploadFlags;
  readonly progress: ProgressLine;
};

const DEFAULT_TIMEOUT_SECONDS = 300;
const MAX_TIMEOUT_SECONDS = 86_400;

/** `colophon sbom upload`: hands a document to Dependency-Track and says what it finds (contract §4.4, §5.6). */
export function defineUpload(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon sbom upload app.cdx.json --dashboard https://dtrack.example \\',
      '  --api-key-file dtrack.key --auto-create',
    ),
  );
  withNeeds(command, {
    what: 'the key of the dashboard',
    oneOf: ['--api-key-file', '$COLOPHON_DASHBOARD_API_KEY', '$DTRACK_API_KEY'],
    toldLater: true,
  })
    .requiredOption('--dashboard <url>', 'the API server', parseServiceUrl)
    .option('--api-key-file <file>', 'file with the API key (default: $COLOPHON_DASHBOARD_API_KEY, $DTRACK_API_KEY)')
    .option('--allow-http', 'send the key over plain http to another machine')
    .addOption(
      new Option('--project <uuid>', 'the project by its id')
        .argParser(parseProjectId)
        .conflicts(['projectName', 'projectVersion', 'autoCreate', 'parent', 'parentName', 'isLatest']),
    )
    .option('--project-name <name>', 'the project by name (default: group and name of what the document describes)')
    .option('--project-version <version>', 'and version (default: that of what the document describes)')
    .option('--auto-create', 'make the project where there is none')
    .addOption(
      new Option('--parent <uuid>', 'parent of a project that is made')
        .argParser(parseProjectId)
        .conflicts('parentName'),
    )
    .option('--parent-name <name>', 'the same by name')
    .option('--parent-version <version>', 'and version')
    .option('--tag <tag>', 'tag of the project; may be given several times', everyTag)
    .option('--is-latest', 'mark a project that is made as the latest version')
    .option('--vex <file>', 'then upload this CycloneDX VEX for the same project')
    .addOption(
      new Option('--spec-version <version>', 'of CycloneDX (default: what the server reads, which is asked)').choices(
        ATTRIBUTED_VERSIONS,
      ),
    )
    .option('--no-wait', 'do not wait until the dashboard is done')
    .option('--no-findings', 'do not ask for findings')
    .option('--timeout <seconds>', 'how long to wait', parseSeconds, DEFAULT_TIMEOUT_SECONDS)
    .addOption(new Option('--fail-on <severity>', 'exit 21 for findings of this severity or worse').choices(SEVERITIES))
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (file: string, flags: UploadFlags) => {
      refuseContradictions(file, flags);
      const progress = progressLine(session.terminal);
      const report = await upload(file, flags, session, progress).finally(progress.clear);
      const view = { terminal: session.terminal, wide: flags.wide };
      printResult(session.terminal, flags.output, report, () => describeUpload(report, view));
      if (!report.ok) session.setExitCode(EXIT.overThreshold);
    });
}

async function upload(
  file: string,
  flags: UploadFlags,
  { terminal, signal }: Session,
  progress: ProgressLine,
): Promise<UploadReport> {
  const apiKey = readApiKey(flags.apiKeyFile, terminal);
  const { dashboard: url, allowHttp } = flags;
  const client = new DashboardClient({ url, apiKey, allowHttp, signal });
  const read = await readUploadDocument(file);
  // A VEX that nobody would take is to be known before anything is sent.
  const readVex = flags.vex === undefined ? undefined : await readUploadDocument(flags.vex);
  const project = projectOf(flags, read.bom);
  progress.show('asking for the version of the server');
  const versionOfDocument = await uploadVersions(client, flags);
  const document = await fitUploadDocument(file, read, versionOfDocument(read.bom));
  const vexDocument =
    readVex && (await fitUploadDocument(flags.vex as string, readVex, versionOfDocument(readVex.bom)));
  progress.show(`sending ${file}`);
  const receipt = await client.uploadBom(document.blob, project, flags.tag);
  const named = 'uuid' in project ? { uuid: project.uuid } : { name: project.name, ...versionOf(project) };
  const sent: UploadReport = {
    ok: true,
    dashboard: url,
    project: { ...named, ...(receipt.projectUuid && { uuid: receipt.projectUuid }) },
    token: receipt.token,
    processed: false,
    converted: document.converted,
    sent_in_standard_profile: document.inStandardProfile,
    upload_version: document.version,
    losses: document.losses,
  };
  if (!flags.wait) return sent;
  return knowingItWasTaken(receipt.token, () => follow(client, { project, sent, vexDocument, flags, progress }));
}

/**
 * In which version each document is sent: the one that is asked for, or one that the server reads.
 * @throws DashboardError `dashboard.version_unsupported`
 */
async function uploadVersions(client: DashboardClient, { specVersion }: UploadFlags) {
  if (specVersion !== undefined) {
    return ({ specVersion: document }: Bom): UploadVersion => ({
      document,
      sent: specVersion,
      basis: 'asked',
      server: 'not asked',
    });
  }
  const identity = await client.identity();
  return ({ specVersion: document }: Bom) => decideUploadVersion(document, identity);
}

/** What comes after the document was taken: processing, the VEX about it, findings. */
async function follow(
  client: DashboardClient,
  { project, sent, vexDocument, flags, progress }: FollowUp,
): Promise<UploadReport> {
  await waitFor(client, sent.token, flags, progress);
  const uuid = sent.project.uuid ?? (await findProject(client, project, flags));
  const vex = await uploadVex(client, vexDocument, uuid === undefined ? project : { uuid });
  if (vex !== undefined) await waitFor(client, vex.token, flags, progress);
  const processed = {
    ...sent,
    ...(uuid !== undefined && { project: { ...sent.project, uuid } }),
    processed: true,
    ...(vex !== undefined && { vex }),
  };
  if (!flags.findings || uuid === undefined) return processed;
  progress.show('asking for findings');
  const findings = await client.findings(uuid);
  const { failOn } = flags;
  const severity_counts = countBySeverity(findings, SEVERITIES);
  if (failOn === undefined) return { ...processed, findings, severity_counts };
  const over_threshold_count = findings.filter((finding) => isAtLeast(failOn, finding)).length;
  const ok = over_threshold_count === 0;
  return { ...processed, ok, findings, severity_counts, fail_on: failOn, over_threshold_count };
}

async function uploadVex(client: DashboardClient, document: UploadDocument | undefined, project: DashboardProject) {
  if (document === undefined) return undefined;
  const { blob, converted, version: upload_version, losses } = document;
  const { token } = await client.uploadVex(blob, project);
  return { token, converted, upload_version, losses };
}

/** An error in what comes afterwards must not read as if nothing had been uploaded. */
async function knowingItWasTaken<T>(token: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { facts = {} } = error as { facts?: ErrorFacts };
    const found = [facts.found, `the SBOM itself was taken (token ${token})`].filter(Boolean).join('; ');
    throw error instanceof Error ? Object.assign(error, { facts: { ...facts, found } }) : error;
  }
}

/** Versions before 5 do not say which project they took it for. */
async function findProject(
  client: DashboardClient,
  project: DashboardProject,
  flags: UploadFlags,
): Promise<string | undefined> {
  return 'uuid' in project || !flags.findings ? undefined : client.findProject(project);
}

async function waitFor(
  client: DashboardClient,
  token: string,
  flags: UploadFlags,
  progress: ProgressLine,
): Promise<void> {
  const onPoll = (waitedMs: number) => progress.show(`the dashboard is at work: ${Math.round(waitedMs / 1000)} s`);
  await client.waitFor(token, { timeoutMs: flags.timeout * 1000, onPoll });
}

function projectOf(flags: UploadFlags, { metadata }: Bom): DashboardProject {
  if (flags.project !== undefined) return { uuid: flags.project };
  const { group, name: own, version: ownVersion } = metadata?.component ?? {};
  const name = flags.projectName ?? (group && own ? `${group}/${own}` : own);
  const version = flags.projectVersion ?? (flags.projectName === undefined ? ownVersion : undefined);
  if (name === undefined) {
    throw new CliError('cli.usage', 'the document does not say what it describes', {
      expected: '--project-name and --project-version, or --project',
      found: 'no metadata.component',
    });
  }
  const { parent, parentName, parentVersion } = flags;
  return {
    name,
    version,
    autoCreate: flags.autoCreate,
    isLatest: flags.isLatest,
    ...(parent !== undefined && { parent: { uuid: parent } }),
    ...(parentName !== undefined && { parent: { name: parentName, version: parentVersion } }),
  };
}

function versionOf({ version }: { readonly version?: string | undefined }): { readonly version?: string } {
  return version === undefined ? {} : { version };
}

/** What cannot be done together is said before a key is read. */
function refuseContradictions(file: string, flags: UploadFlags): void {
  const { wait, findings, failOn, vex, autoCreate, parent, parentName, parentVersion, isLatest } = flags;
  const refuse = (found: string, expected: string) => {
    throw new CliError('cli.usage', 'these flags do not go together', { found, expected });
  };
  if (failOn !== undefined && !(wait && findings)) refuse('--fail-on', 'without --no-wait and --no-findings');
  if (vex !== undefined && !wait) refuse('--vex and --no-wait', 'a VEX is about findings, which come with processing');
  if (vex === '-' && file === '-') refuse('- twice', 'standard input holds one document');
  if (parentVersion !== undefined && parentName === undefined) refuse('--parent-version', '--parent-name with it');
  if (!autoCreate && (parent ?? parentName ?? isLatest) !== undefined) {
    refuse('--parent or --is-latest', '--auto-create: they are for a project that is made');
  }
}

function parseProjectId(text: string): string {
  const uuid = parseUuid(text);
  if (uuid !== undefined) return uuid;
  throw new InvalidArgumentError('A project id is a UUID.');
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,5}$/.test(text) && seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds;
  throw new InvalidArgumentError(`Whole seconds from 1 to ${MAX_TIMEOUT_SECONDS}.`);
}

/** The API takes all of them in one field, with commas between. */
const everyTag = everyValueOf((tag) => {
  if (tag.includes(',')) throw new InvalidArgumentError('A tag holds no comma; give the option several times.');
  return tag;
});
