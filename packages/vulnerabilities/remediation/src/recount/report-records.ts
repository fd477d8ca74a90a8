import { type Issue, isJsonObject, type ParseResult, parseStrictJson } from '@colophon/json';
import type { RemediationRecord } from '@colophon/records';
import {
  type Period,
  parsePeriod,
  parseRemediationRecord,
  type ReportDetails,
  type ReportRequest,
  reportDetails,
} from '@colophon/remediation-rules';
import { RemediationStore, type SqlDatabase } from '@colophon/store';
import { ReportError } from '../report-folder/report-error.ts';

/** Bytes; 50,000 records with their histories are a third of it. */
export const MOST_RECORDS_BYTES = 384 * 1024 * 1024;
const DEEPEST_RECORD = 32;
const MOST_ISSUES = 100;

/**
 * The records of a file: an array, or an object with an array `records`.
 * @param file what it is called in errors
 * @throws ReportError `report.records_invalid` with every issue, each with the place of its record
 */
export function parseRecords(bytes: Uint8Array, file: string): RemediationRecord[] {
  const parsed = parseStrictJson(bytes, { maxBytes: MOST_RECORDS_BYTES, maxDepth: DEEPEST_RECORD });
  if (!parsed.ok) throw recordsInvalid(file, parsed.issues);
  const { value } = parsed;
  const list = isJsonObject(value) ? value['records'] : value;
  if (Array.isArray(list)) return checkedRecords(list, file);
  const issue = {
    path: '',
    code: 'json.syntax',
    message: 'There are no records in it.',
    expected: 'an array of records',
  };
  throw recordsInvalid(file, [issue]);
}

/** Every record of the database, or of one product. */
export async function keptRecords(db: SqlDatabase, product: string | undefined): Promise<RemediationRecord[]> {
  const rows = await (await RemediationStore.open(db)).list(product === undefined ? {} : { product });
  return checkedRecords(
    rows.map(({ document }) => JSON.parse(document) as unknown),
    db.address,
  );
}

function checkedRecords(values: readonly unknown[], file: string): RemediationRecord[] {
  const issues: Issue[] = [];
  const records = values.flatMap((value, index) => {
    const parsed: ParseResult<RemediationRecord> = parseRemediationRecord(value);
    if (parsed.ok) return [parsed.value];
    const name = nameOf(value);
    issues.push(
      ...parsed.issues.map((issue) => ({
        ...issue,
        path: `/${index}${issue.path}`,
        message: `${name}${issue.message}`,
      })),
    );
    return [];
  });
  if (issues.length > 0) throw recordsInvalid(file, issues);
  return records;
}

/** The id of a record that is refused, where it has one: an index helps nobody in a database. */
function nameOf(value: unknown): string {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' ? `record ${id.slice(0, 100)}: ` : '';
}

/**
 * What the records say about the period.
 * @throws ReportError `report.records_invalid` with the ids of records that deny themselves, `report.day_invalid` for the period
 */
export function detailsOf(records: readonly RemediationRecord[], request: ReportRequest, file: string): ReportDetails {
  const details = reportDetails(records, request);
  if (details.ok) return details.value;
  const [first] = details.issues;
  if (first?.path === '') throw requestInvalid(first);
  throw recordsInvalid(file, details.issues);
}

/** @throws ReportError `report.day_invalid` */
export function parsedPeriod(text: string): Period {
  const parsed = parsePeriod(text);
  if (parsed.ok) return parsed.value;
  throw requestInvalid(parsed.issues[0]!, `--period ${text}`);
}

function requestInvalid({ message, expected }: Issue, checked?: string): ReportError {
  return new ReportError('report.day_invalid', message.replace(/\.$/, ''), {
    ...(checked === undefined ? {} : { checked }),
    ...(expected === undefined ? {} : { expected }),
  });
}

function recordsInvalid(file: string, issues: readonly Issue[]): ReportError {
  return new ReportError('report.records_invalid', `${file} holds records that nothing can be counted from`, {
    checked: file,
    issues: issues.slice(0, MOST_ISSUES),
  });
}
