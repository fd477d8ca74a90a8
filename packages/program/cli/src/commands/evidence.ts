import {
  type EntryRow,
  isDecisionLog,
  type QueryAnswer,
  queryEvidence,
  SAVED_QUESTION_NAMES,
  SAVED_QUESTIONS,
  type SavedQuestionName,
  storeEvidence,
  storeReceipt,
} from '@colophon/evidence/client';
import { isJsonObject, parseStrictJson } from '@colophon/json';
import { type Subject, valueOfField } from '@colophon/records';
import { type Command, Option } from 'commander';
import { parseAnySha256 } from '../artifact-digest/any-digest.ts';
import { callerCredential } from '../caller-credential/caller-credential.ts';
import { CliError } from '../cli-error/cli-error.ts';
import { type Column, columnTable, type TableView, type WideFlag, wideOption } from '../column-table/column-table.ts';
import { withConfiguration } from '../configuration/client-configuration.ts';
import { EXIT, type ExitCode } from '../exit-code/exit-code.ts';
import { EVIDENCE_URL_HELP, evidenceStoreUrl } from '../home/evidence-url.ts';
import { readInput } from '../input/input.ts';
import { example } from '../program/example.ts';
import { lacking, withNeeds } from '../program/needs.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import {
  type ErrorReport,
  exitCodeOf,
  type OutputFormat,
  printError,
  printResult,
  reportOf,
} from '../report/report.ts';
import { documentWithoutSecrets } from '../secrets/secrets.ts';
import { parseServiceUrl } from '../service-url/service-url.ts';
import { oneLine, shortId } from '../terminal/terminal.ts';
import { keepDecisions } from './decision-log.ts';
import { DECISIONS, decisionCells } from './decision-rows.ts';
import type { EvidenceImportResult } from './evidence-import-result.ts';

/** `colophon query`: what the verified statements say. */
export function defineQuery(command: Command, { terminal, env }: Session): void {
  command.addHelpText(
    'after',
    example("colophon query 'runs where review.duration < 60s limit 10'", 'colophon query --saved unreviewed-runs'),
  );
  withNeeds(withConfiguration(command), {
    what: 'question',
    oneOf: ['<question>', '--saved'],
    value: "'runs where reviewed = false'",
  })
    .addOption(new Option('--saved <name>', savedHelp()).choices([...SAVED_QUESTION_NAMES]))
    .option('--policy-pack-hash <hash>', 'of the policy pack in force, for --saved old-policy-pack')
    .option('--evidence-url <url>', EVIDENCE_URL_HELP, parseServiceUrl)
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (typed: string | undefined, flags: QueryFlags, command: Command) => {
      const { evidenceUrl, output, wide } = flags;
      const question = questionOf(typed, flags);
      const answer = (await queryEvidence(
        evidenceStoreUrl(env, dataFlag(command), evidenceUrl),
        question,
      )) as unknown as QueryAnswer;
      printResult(terminal, output, { ok: true, ...answer }, () => describeAnswer(answer, { terminal, wide }));
    });
}

type QueryFlags = {
  readonly evidenceUrl?: string;
  readonly output: OutputFormat;
  readonly saved?: SavedQuestionName;
  readonly policyPackHash?: string;
} & WideFlag;

function savedHelp(): string {
  const questions = SAVED_QUESTION_NAMES.map((name) => `${name}: ${SAVED_QUESTIONS[name].finds}`);
  return `a question that ships. ${questions.join('; ')}`;
}

/** @throws CliError `cli.usage` */
function questionOf(typed: string | undefined, { saved, policyPackHash }: QueryFlags): string {
  if ((typed === undefined) === (saved === undefined)) {
    const error = new CliError('cli.usage', 'one question is asked', { expected: 'a question, or --saved NAME' });
    throw typed === undefined ? lacking(error) : error;
  }
  if (saved === undefined) return typed!;
  const question = SAVED_QUESTIONS[saved];
  const hash = policyPackHash === undefined ? undefined : parseAnySha256(policyPackHash);
  if ('needs' in question !== (hash !== undefined)) {
    throw new CliError('cli.usage', 'a policy pack is compared with the one in force', {
      expected: '--saved old-policy-pack --policy-pack-hash HASH, e.g. of colophon hash policy',
    });
  }
  return question.ask(hash ?? '');
}

/** `colophon evidence import`: more verified statements for the store. */
export function defineEvidence(evidence: Command, session: Session): void {
  const { terminal, env, signal } = session;
  withConfiguration(evidence.command('import <bundle...>'))
    .description(
      'verify bundles and keep them, and logs of admission decisions; one that cannot be kept does not stop the others',
    )
    .addHelpText('after', example('colophon evidence import change.patch.agent-run.sigstore.json'))
    .option('--evidence-url <url>', EVIDENCE_URL_HELP, parseServiceUrl)
    .option(
      '--caller-credential <file>',
      'token or API key for a store that asks who sends decisions, as of colophon token',
    )
    .addOption(outputOption())
    .addOption(wideOption())
    .action(
      async (
        files: string[],
        { evidenceUrl, callerCredential: credentialFile, output, wide }: ImportFlags,
        command: Command,
      ) => {
        const server = evidenceStoreUrl(env, dataFlag(command), evidenceUrl);
        const credential = () => callerCredential(server, env, credentialFile);
        const bundles: ImportedBundle[] = [];
        let exitCode: ExitCode = EXIT.ok;
        for (const file of files) {
          try {
            bundles.push({
              ok: true,
              bundle: file,
              ...(await keep(server, await readInput(file), { file, credential })),
            });
          } catch (error) {
            // One file is the whole command, and its error the whole answer.
            if (files.length === 1 || signal.aborted) throw error;
            const report: ErrorReport = documentWithoutSecrets({ checked: file, ...reportOf(error) });
            bundles.push({ ok: false, bundle: file, error: report });
            if (exitCode === EXIT.ok) exitCode = exitCodeOf(error);
          }
        }
        const result: EvidenceImportResult = { ok: exitCode === EXIT.ok, bundles };
        printResult(terminal, output, result, () => describeImported(bundles, { terminal, wide }));
        if (output === 'table') {
          for (const { bundle, unread: [cut] = [], error } of bundles) {
            if (cut !== undefined) {
              terminal.stderr.write(`note: ${oneLine(bundle)}, line ${cut.line}: cut off, and not kept\n`);
            }
            if (error !== undefined) printError(terminal, output, error);
          }
        }
        session.setExitCode(exitCode);
      },
    );
}

type ImportFlags = {
  readonly evidenceUrl?: string;
  readonly callerCredential?: string;
  readonly output: OutputFormat;
} & WideFlag;

/** A receipt is told from a bundle by its members: an envelope stands for itself; a log by those of its lines. */
async function keep(
  server: string,
  content: Uint8Array,
  { file, credential }: { readonly file: string; readonly credential: () => Promise<string | undefined> },
): Promise<Omit<ImportedBundle, 'ok' | 'bundle'>> {
  if (isDecisionLog(content)) return keepDecisions(server, content, { file, credential });
  const parsed = parseStrictJson(content, { maxBytes: MOST_RECEIPT_BYTES });
  const isEnvelope = parsed.ok && isJsonObject(parsed.value) && typeof parsed.value['payloadType'] === 'string';
  return (isEnvelope ? storeReceipt : storeEvidence)(server, content, file);
}

const MOST_RECEIPT_BYTES = 128 * 1024;

type ImportedBundle = EvidenceImportResult['bundles'][number];

const IMPORTED: readonly Column[] = [
  { heading: 'FILE', rank: 1, shortest: 24 },
  { heading: 'KIND', rank: 1 },
  { heading: 'ID', rank: 2 },
  { heading: 'RECORDS', rank: 1 },
];

function describeImported(bundles: readonly ImportedBundle[], view: TableView): string {
  return columnTable(
    IMPORTED,
    bundles.map(({ bundle, kind = '', id = '', stored, known, error }) =>
      error === undefined
        ? [bundle, kind, id, stored === undefined ? '' : `${stored} new, ${known} known`]
        : [bundle, 'not kept', error.code],
    ),
    view,
  );
}

const ENTRIES: readonly Column[] = [
  { heading: 'LOG INDEX', rank: 1 },
  { heading: 'TIME', rank: 5 },
  { heading: 'SIGNED BY', rank: 1, shortest: 18, isWhole: true },
  { heading: 'ROOT', rank: 8 },
  { heading: 'KIND', rank: 6 },
  { heading: 'AGENT', rank: 7 },
  { heading: 'MODEL', rank: 4 },
  { heading: 'REVIEWER', rank: 3, shortest: 20, isBased: true },
  { heading: 'REVIEW', rank: 2 },
  { heading: 'ARTIFACT', rank: 1, shortest: 16, isVersioned: true },
];
/** What was decided, and by whom: the reviewer is the one who signed. */
const REVIEWS: readonly Column[] = [
  { heading: 'LOG INDEX', rank: 2 },
  { heading: 'TIME', rank: 3 },
  { heading: 'SIGNED BY', rank: 1, shortest: 18, isWhole: true },
  { heading: 'ROOT', rank: 8 },
  { heading: 'KIND', rank: 6 },
  { heading: 'AGENT', rank: 4 },
  { heading: 'MODEL', rank: 5 },
  { heading: 'REVIEWER', rank: 7 },
  { heading: 'REVIEW', rank: 1 },
  { heading: 'ARTIFACT', rank: 1, shortest: 16, isVersioned: true },
];
/** What wrote it, and who looked at it; the one who signed is the agent. */
const RUNS: readonly Column[] = [
  { heading: 'LOG INDEX', rank: 2 },
  { heading: 'TIME', rank: 4 },
  { heading: 'SIGNED BY', rank: 5 },
  { heading: 'ROOT', rank: 8 },
  { heading: 'KIND', rank: 6 },
  { heading: 'AGENT', rank: 1, shortest: 18, isBased: true },
  { heading: 'MODEL', rank: 1, shortest: 20, isBased: true },
  { heading: 'REVIEWER', rank: 1, shortest: 20, isBased: true },
  { heading: 'REVIEW', rank: 3 },
  { heading: 'ARTIFACT', rank: 1, shortest: 16, isVersioned: true },
];
const COLUMNS_OF: Readonly<Record<string, readonly Column[]>> = { reviews: REVIEWS, runs: RUNS };
/** A heading is the name of the row's member in capitals. */
const SEEN: readonly Column[] = [
  { heading: 'DIGEST', rank: 1 },
  { heading: 'COMMIT_SHA', rank: 1 },
  { heading: 'NAME', rank: 2, shortest: 20 },
  { heading: 'FIRST_SEEN_AT', rank: 3 },
  { heading: 'LAST_SEEN_AT', rank: 4 },
  { heading: 'ENTRY_COUNT', rank: 5 },
];

function describeAnswer(answer: QueryAnswer, view: TableView): string {
  const more = answer.more ? `… and more: the first ${answer.limit} are shown (limit n)\n` : '';
  if (answer.rows.length === 0) return 'none\n';
  if (answer.set === 'decisions') return columnTable(DECISIONS, answer.rows.map(decisionCells), view) + more;
  if (answer.set === 'artifacts' || answer.set === 'commits') {
    const members = SEEN.map(({ heading }) => heading.toLowerCase());
    const rows = answer.rows.map((row) => members.map((name) => String((row as Record<string, unknown>)[name] ?? '')));
    return columnTable(SEEN, rows, view) + more;
  }
  return columnTable(COLUMNS_OF[answer.set] ?? ENTRIES, answer.rows.map(entryCells), view) + more;
}

function entryCells(row: EntryRow): string[] {
  const { log_entry: log, certificate_identity: certificate, kind, statement } = row;
  const predicate = (statement?.predicate ?? {}) as {
    decision?: unknown;
    review_duration_seconds?: unknown;
    human_review?: { review_duration_seconds?: unknown };
  };
  const seconds = predicate.human_review?.review_duration_seconds ?? predicate.review_duration_seconds;
  const [subject] = statement?.subject ?? [];
  return [
    String(log.log_index),
    log.integrated_at,
    certificate.subject,
    certificate.root ?? '',
    kind,
    named(row, 'agent.name', 'claims.agent_name'),
    named(row, 'model.id', 'claims.model_id'),
    named(row, 'human_reviewer', 'human_review.reviewer', 'claims.human_reviewer'),
    [predicate.decision, seconds === undefined ? undefined : `${seconds} s`]
      .filter((part) => part !== undefined)
      .join(', '),
    subject === undefined ? '' : artifactOf(subject),
  ];
}

/** A commit has the name of its repository, which alone says little. */
function artifactOf({ name, digest }: Subject): string {
  const { sha256, gitCommit } = digest;
  if (sha256 !== undefined || gitCommit === undefined)
    return name ?? (sha256 === undefined ? '' : shortId(`sha256:${sha256}`));
  return `${name ?? 'commit'}@${shortId(gitCommit)}`;
}

/** The first of these fields that the row has, with what it rests on: `alice@example.com (declared)`. */
function named(
  { basis = {}, certificate_identity: identity, statement }: EntryRow,
  ...fields: readonly string[]
): string {
  const field = fields.find((name) => basis[name] !== undefined);
  return field === undefined ? '' : `${valueOfField({ identity, statement }, field)} (${basis[field]?.source})`;
}
