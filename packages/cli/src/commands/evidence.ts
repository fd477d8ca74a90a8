import { type EntryRow, type QueryAnswer, queryEvidence, storeEvidence } from '@colophon/evidence/client';
import { type Subject, valueOfField } from '@colophon/records';
import type { Command } from 'commander';
import { type Column, columnTable, type TableView, type WideFlag, wideOption } from '../column-table/column-table.ts';
import { EXIT, type ExitCode } from '../exit-code/exit-code.ts';
import { EVIDENCE_URL_HELP, evidenceStoreUrl } from '../home/evidence-url.ts';
import { readInput } from '../input/input.ts';
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
import { shortId } from '../terminal/terminal.ts';

/** `colophon query`: what the verified statements say. */
export function defineQuery(command: Command, { terminal, env }: Session): void {
  command
    .option('--evidence-url <url>', EVIDENCE_URL_HELP, parseServiceUrl)
    .addOption(outputOption())
    .addOption(wideOption())
    .action(
      async (
        question: string,
        { evidenceUrl, output, wide }: { evidenceUrl?: string; output: OutputFormat } & WideFlag,
        command: Command,
      ) => {
        const answer = (await queryEvidence(
          evidenceStoreUrl(env, dataFlag(command), evidenceUrl),
          question,
        )) as unknown as QueryAnswer;
        printResult(terminal, output, answer, () => describeAnswer(answer, { terminal, wide }));
      },
    );
}

/** `colophon evidence import`: more verified statements for the store. */
export function defineEvidence(evidence: Command, session: Session): void {
  const { terminal, env, signal } = session;
  evidence
    .command('import <bundle...>')
    .description('verify bundles and keep them; one that cannot be kept does not stop the others')
    .option('--evidence-url <url>', EVIDENCE_URL_HELP, parseServiceUrl)
    .addOption(outputOption())
    .addOption(wideOption())
    .action(
      async (
        files: string[],
        { evidenceUrl, output, wide }: { evidenceUrl?: string; output: OutputFormat } & WideFlag,
        command: Command,
      ) => {
        const server = evidenceStoreUrl(env, dataFlag(command), evidenceUrl);
        const records: ImportRecord[] = [];
        let exitCode: ExitCode = EXIT.ok;
        for (const file of files) {
          try {
            records.push({ file, ...(await storeEvidence(server, await readInput(file), file)) });
          } catch (error) {
            // One file is the whole command, and its error the whole answer.
            if (files.length === 1 || signal.aborted) throw error;
            records.push({ file, error: documentWithoutSecrets({ checked: file, ...reportOf(error) }) });
            if (exitCode === EXIT.ok) exitCode = exitCodeOf(error);
          }
        }
        printResult(terminal, output, records, () => describeImported(records, { terminal, wide }));
        if (output === 'table') {
          for (const record of records) if ('error' in record) printError(terminal, output, record.error);
        }
        session.setExitCode(exitCode);
      },
    );
}

/** What became of one file: kept, or why not. */
type ImportRecord = { readonly file: string } & (
  | { readonly kind: string; readonly id: string }
  | { readonly error: ErrorReport }
);

const IMPORTED: readonly Column[] = [
  { heading: 'FILE', rank: 1, shortest: 24 },
  { heading: 'KIND', rank: 1 },
  { heading: 'ID', rank: 2 },
];

function describeImported(records: readonly ImportRecord[], view: TableView): string {
  return columnTable(
    IMPORTED,
    records.map((record) =>
      'error' in record ? [record.file, 'not kept', record.error.code] : [record.file, record.kind, record.id],
    ),
    view,
  );
}

const ENTRIES: readonly Column[] = [
  { heading: 'LOG INDEX', rank: 1 },
  { heading: 'TIME', rank: 4 },
  { heading: 'SIGNED BY', rank: 1, shortest: 20 },
  { heading: 'KIND', rank: 2 },
  { heading: 'AGENT', rank: 7 },
  { heading: 'MODEL', rank: 6 },
  { heading: 'REVIEWER', rank: 5 },
  { heading: 'REVIEW', rank: 3 },
  { heading: 'ARTIFACT', rank: 1, shortest: 20 },
];

function describeAnswer(answer: QueryAnswer, view: TableView): string {
  const more = answer.more ? `… and more: the first ${answer.limit} are shown (limit n)\n` : '';
  if (answer.rows.length === 0) return 'none\n';
  if (answer.set === 'artifacts' || answer.set === 'commits') {
    const header = Object.keys(answer.rows[0] as object);
    const rows = answer.rows.map((row) => header.map((name) => String((row as Record<string, unknown>)[name] ?? '')));
    // The first says what it is.
    const columns = header.map((name, index) => ({ heading: name.toUpperCase(), rank: index + 1, shortest: 40 }));
    return columnTable(columns, rows, view) + more;
  }
  return columnTable(ENTRIES, answer.rows.map(entryCells), view) + more;
}

function entryCells(row: EntryRow): string[] {
  const { log, certificate, kind, statement } = row;
  const predicate = (statement?.predicate ?? {}) as {
    decision?: unknown;
    review_duration_seconds?: unknown;
    human_review?: { review_duration_seconds?: unknown };
  };
  const seconds = predicate.human_review?.review_duration_seconds ?? predicate.review_duration_seconds;
  const [subject] = statement?.subject ?? [];
  return [
    String(log.logIndex),
    log.integratedAt,
    certificate.subject,
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
  if (sha256 !== undefined || gitCommit === undefined) return name ?? sha256 ?? '';
  return `${name ?? 'commit'}@${shortId(gitCommit)}`;
}

/** The first of these fields that the row has, with what it rests on: `alice@example.com (declared)`. */
function named({ basis = {}, certificate: identity, statement }: EntryRow, ...fields: readonly string[]): string {
  const field = fields.find((name) => basis[name] !== undefined);
  return field === undefined ? '' : `${valueOfField({ identity, statement }, field)} (${basis[field]?.source})`;
}
