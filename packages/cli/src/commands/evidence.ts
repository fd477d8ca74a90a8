import { type EntryRow, type QueryAnswer, queryEvidence, storeEvidence } from '@colophon/evidence/client';
import { type Subject, valueOfField } from '@colophon/records';
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-code/exit-code.ts';
import { EVIDENCE_URL_HELP, evidenceStoreUrl } from '../home/evidence-url.ts';
import { readInput } from '../input/input.ts';
import { example } from '../program/example.ts';
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
import { formatTable, shortId } from '../terminal/terminal.ts';
import type { EvidenceImportResult } from './evidence-import-result.ts';

/** `colophon query`: what the verified statements say. */
export function defineQuery(command: Command, { terminal, env }: Session): void {
  command.addHelpText('after', example("colophon query 'runs where review.duration < 60s limit 10'"));
  command
    .option('--evidence-url <url>', EVIDENCE_URL_HELP, parseServiceUrl)
    .addOption(outputOption())
    .action(
      async (
        question: string,
        { evidenceUrl, output }: { evidenceUrl?: string; output: OutputFormat },
        command: Command,
      ) => {
        const answer = (await queryEvidence(
          evidenceStoreUrl(env, dataFlag(command), evidenceUrl),
          question,
        )) as unknown as QueryAnswer;
        printResult(terminal, output, { ok: true, ...answer }, describeAnswer);
      },
    );
}

/** `colophon evidence import`: more verified statements for the store. */
export function defineEvidence(evidence: Command, session: Session): void {
  const { terminal, env, signal } = session;
  evidence
    .command('import <bundle...>')
    .description('verify bundles and keep them; one that cannot be kept does not stop the others')
    .addHelpText('after', example('colophon evidence import change.patch.agent-run.sigstore.json'))
    .option('--evidence-url <url>', EVIDENCE_URL_HELP, parseServiceUrl)
    .addOption(outputOption())
    .action(
      async (
        files: string[],
        { evidenceUrl, output }: { evidenceUrl?: string; output: OutputFormat },
        command: Command,
      ) => {
        const server = evidenceStoreUrl(env, dataFlag(command), evidenceUrl);
        const bundles: ImportedBundle[] = [];
        let exitCode: ExitCode = EXIT.ok;
        for (const file of files) {
          try {
            bundles.push({ ok: true, bundle: file, ...(await storeEvidence(server, await readInput(file), file)) });
          } catch (error) {
            // One file is the whole command, and its error the whole answer.
            if (files.length === 1 || signal.aborted) throw error;
            const report: ErrorReport = documentWithoutSecrets({ checked: file, ...reportOf(error) });
            bundles.push({ ok: false, bundle: file, error: report });
            if (exitCode === EXIT.ok) exitCode = exitCodeOf(error);
          }
        }
        const result: EvidenceImportResult = { ok: exitCode === EXIT.ok, bundles };
        printResult(terminal, output, result, () => describeImported(bundles));
        if (output === 'table') {
          for (const { error } of bundles) if (error !== undefined) printError(terminal, output, error);
        }
        session.setExitCode(exitCode);
      },
    );
}

type ImportedBundle = EvidenceImportResult['bundles'][number];

function describeImported(bundles: readonly ImportedBundle[]): string {
  return formatTable(
    bundles.map(({ bundle, kind = '', id = '', error }) =>
      error === undefined ? [bundle, kind, id] : [bundle, 'not kept', error.code],
    ),
  );
}

function describeAnswer(answer: QueryAnswer): string {
  const more = answer.more ? `… and more: the first ${answer.limit} are shown (limit n)\n` : '';
  if (answer.rows.length === 0) return 'none\n';
  if (answer.set === 'artifacts' || answer.set === 'commits') {
    const header = Object.keys(answer.rows[0] as object);
    const rows = answer.rows.map((row) => header.map((name) => String((row as Record<string, unknown>)[name] ?? '')));
    return formatTable([header.map((name) => name.toUpperCase()), ...rows]) + more;
  }
  return (
    formatTable([
      ['LOG INDEX', 'TIME', 'SIGNED BY', 'KIND', 'AGENT', 'MODEL', 'REVIEWER', 'REVIEW', 'ARTIFACT'],
      ...answer.rows.map(entryCells),
    ]) + more
  );
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
function named(
  { basis = {}, certificate_identity: identity, statement }: EntryRow,
  ...fields: readonly string[]
): string {
  const field = fields.find((name) => basis[name] !== undefined);
  return field === undefined ? '' : `${valueOfField({ identity, statement }, field)} (${basis[field]?.source})`;
}
