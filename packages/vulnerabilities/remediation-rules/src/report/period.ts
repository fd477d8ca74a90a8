import type { ParseResult } from '@colophon/json';
import { dayNumber, formatDay } from '@colophon/notation';
import { reportIssue } from './report-issue.ts';

/** A quarter of a calendar year in UTC: from its first day, and up to the first one after it. */
export type Period = {
  /** `2026-Q4` */
  readonly name: string;
  /** `2026-10-01` */
  readonly from: string;
  /** `2027-01-01`, which is not in it. */
  readonly until: string;
  /** The same as days since 1970-01-01. */
  readonly firstDay: number;
  readonly endDay: number;
};

const YEAR_FIRST = /^([0-9]{4})[ -]?q([1-4])$/i;
const QUARTER_FIRST = /^q([1-4])[ -]?([0-9]{4})$/i;
/** The first CVE is of this year; and the quarter's end must still have a name of four digits. */
const FIRST_YEAR = 1999;
const LAST_YEAR = 9998;

/**
 * Reads a quarter: `2026-Q4`, and as people also write it `2026q4`, `2026 Q4`, `Q4 2026` and `Q4-2026`.
 *
 * @returns the period under the one name that reports use, or `report.period_invalid`.
 * @see contract §2.10 `period`
 */
export function parsePeriod(text: string): ParseResult<Period> {
  const written = text.trim();
  const [, year, quarter] = YEAR_FIRST.exec(written) ?? swapped(QUARTER_FIRST.exec(written)) ?? [];
  if (year === undefined || quarter === undefined || Number(year) < FIRST_YEAR || Number(year) > LAST_YEAR) {
    const expected = `a quarter such as 2026-Q4, of the years ${FIRST_YEAR} to ${LAST_YEAR}`;
    return { ok: false, issues: [reportIssue('report.period_invalid', '', 'This is no quarter of a year.', expected)] };
  }
  const firstDay = firstOfMonth(Number(year), Number(quarter) * 3 - 2);
  const endDay =
    quarter === '4' ? firstOfMonth(Number(year) + 1, 1) : firstOfMonth(Number(year), Number(quarter) * 3 + 1);
  const name = `${year}-Q${quarter}`;
  return { ok: true, value: { name, from: formatDay(firstDay), until: formatDay(endDay), firstDay, endDay } };
}

function swapped(found: RegExpExecArray | null): readonly (string | undefined)[] | undefined {
  return found === null ? undefined : [found[0], found[2], found[1]];
}

function firstOfMonth(year: number, month: number): number {
  return dayNumber(`${year}-${String(month).padStart(2, '0')}-01`)!;
}
