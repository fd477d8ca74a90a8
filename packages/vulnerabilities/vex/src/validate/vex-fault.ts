import type { Issue } from '@colophon/json';
import { type Place, pointerTo } from '../read/place.ts';
import type { VexIssueCode } from '../read/vex-issue.ts';

/** Rules that a VEX document breaks, by their stable codes, beside those of reading; listed in docs/errors.md. */
export const VEX_RULE_CODES = [
  'vex.field_unknown',
  'vex.field_empty',
  'vex.entry_repeated',
  'vex.timestamp_future',
  'vex.id_not_iri',
  'vex.purl_invalid',
  'vex.justification_missing',
  'vex.action_missing',
  'vex.text_misplaced',
  'vex.statement_repeated',
  'vex.statement_contradicts',
] as const;

export type VexSeverity = 'error' | 'warning' | 'note';

/** One thing to say about a document; an error makes it invalid. */
export type VexFault = Issue & { readonly severity: VexSeverity };

/** More of one severity are counted and not listed. */
const MOST_FAULTS = 1_000;

/** What is found in a document, bounded. */
export class VexFaults {
  private readonly found: Readonly<Record<VexSeverity, VexFault[]>> = { error: [], warning: [], note: [] };
  private omitted = 0;

  add(severity: VexSeverity, place: Place | string | undefined, fault: Omit<Issue, 'path'>): void {
    const list = this.found[severity];
    const path = () => (typeof place === 'string' ? place : pointerTo(place));
    if (list.length < MOST_FAULTS) list.push({ path: path(), ...fault, severity });
    else this.omitted += 1;
  }

  error(
    place: Place | undefined,
    code: VexIssueCode | (typeof VEX_RULE_CODES)[number],
    message: string,
    expected?: string,
    source?: string,
  ): void {
    this.add('error', place, {
      code,
      message,
      ...(expected !== undefined && { expected }),
      ...(source !== undefined && { source }),
    });
  }

  get hasErrors(): boolean {
    return this.found.error.length > 0;
  }

  /** Errors first. */
  list(): readonly VexFault[] {
    const { error, warning, note } = this.found;
    const all = [...error, ...warning, ...note];
    if (this.omitted === 0) return all;
    const message = `More issues were found than are listed: ${this.omitted}.`;
    return [...all, { path: '', code: 'vex.more_issues', message, severity: 'note' }];
  }
}
