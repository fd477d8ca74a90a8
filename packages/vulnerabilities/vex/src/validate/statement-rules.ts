import { VEX_JUSTIFICATIONS } from '@colophon/records';
import { below, type Place, pointerTo } from '../read/place.ts';
import type { VexProduct, VexStatement } from '../vex-document/vex-document.ts';
import { plainTime } from '../vex-time/vex-time.ts';
import { NO_ACTION } from '../write/openvex-writer.ts';
import type { VexFaults, VexSeverity } from './vex-fault.ts';

/** What the rules are called in the document, and how bad it is that something is lacking. */
export type StatementRules = {
  /** The members of the two texts; the contract's shape has one for both. */
  readonly impact: string;
  readonly action: string;
  readonly lacking: VexSeverity;
};

/** What a status asks for and what it cannot have, and what statements say of each other. */
export function checkStatements(
  statements: readonly VexStatement[],
  places: readonly Place[],
  rules: StatementRules,
  faults: VexFaults,
): void {
  statements.forEach((statement, index) => {
    checkNeeds(statement, rules, places[index], faults);
    // What is one text may be any of them, and other formats have places of their own.
    if (rules.impact === 'impact_statement') checkTexts(statement, places[index], faults);
    else if (statement.status !== 'not_affected' && statement.justification !== undefined)
      faults.add(rules.lacking, places[index], misplaced('justification', statement));
  });
  checkAgainstEachOther(statements, places, faults);
}

function checkNeeds(
  { status, justification, impact_statement, action_statement }: VexStatement,
  { impact, action, lacking }: StatementRules,
  place: Place | undefined,
  faults: VexFaults,
): void {
  if (status === 'not_affected' && justification === undefined) {
    const alone = isBlank(impact_statement) ? '' : ` "${impact}" alone is for people, and no tool can judge it.`;
    faults.add(lacking, place, {
      code: 'vex.justification_missing',
      message: `not_affected requires a justification.${alone}`,
      expected: VEX_JUSTIFICATIONS.join(', '),
      source: 'contract §3',
    });
  }
  if (status !== 'affected') return;
  if (isBlank(action_statement)) {
    faults.add(lacking, place, {
      code: 'vex.action_missing',
      message: 'affected requires an action statement.',
      expected: `"${action}"`,
    });
  } else if (action_statement === NO_ACTION) {
    faults.add('warning', place, {
      code: 'vex.action_missing',
      message: 'The action statement says that there is none.',
      expected: 'what to do about it',
    });
  }
}

function checkTexts(statement: VexStatement, place: Place | undefined, faults: VexFaults): void {
  const { status, justification, impact_statement, action_statement } = statement;
  const isNotAffected = status === 'not_affected';
  const report = (member: string) => faults.add('error', place && below(place, member), misplaced(member, statement));
  if (!isNotAffected && justification !== undefined) report('justification');
  if (!isNotAffected && impact_statement !== undefined) report('impact_statement');
  if (status !== 'affected' && action_statement !== undefined) report('action_statement');
}

function misplaced(member: string, { status }: VexStatement) {
  return {
    code: 'vex.text_misplaced',
    message: `${member} is not allowed with ${status}; go-vex refuses such a statement.`,
    expected: 'status_notes',
  };
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}

type Said = { readonly index: number; readonly status: string; readonly justification: string | undefined };

/** The latest statement counts, so two of the same time must not say different things. */
export function checkAgainstEachOther(
  statements: readonly VexStatement[],
  places: readonly Place[],
  faults: VexFaults,
): void {
  const said = new Map<string, Said>();
  statements.forEach(({ vulnerability, timestamp, products, status, justification }, index) => {
    const reported = new Set<number>();
    for (const subject of products.flatMap(subjectKeys)) {
      const key = JSON.stringify([vulnerability.name, plainTime(timestamp), subject]);
      const before = said.get(key);
      if (before === undefined) said.set(key, { index, status, justification });
      else if (!reported.has(before.index)) {
        reported.add(before.index);
        report(before, index);
      }
    }

    function report(before: Said, at: number): void {
      const other = pointerTo(places[before.index]);
      if (before.status !== status) {
        faults.add('error', places[at], {
          code: 'vex.statement_contradicts',
          message: `${other} says ${before.status} of the same product, vulnerability and time, and this says ${status}.`,
          expected: 'a later time for the one that counts',
        });
      } else if (before.justification !== justification) {
        faults.add('warning', places[at], {
          code: 'vex.statement_contradicts',
          message: `${other} has another justification for the same product, vulnerability and time.`,
        });
      } else {
        faults.add('warning', places[at], {
          code: 'vex.statement_repeated',
          message: `${other} says the same of the same product and vulnerability.`,
        });
      }
    }
  });
}

/** What a statement speaks of, one by one. */
export function subjectKeys(product: VexProduct): readonly string[] {
  const { subcomponents = [], ...subject } = product;
  const own = subjectKey(subject);
  return subcomponents.length === 0 ? [own] : subcomponents.map((one) => `${own} ${subjectKey(one)}`);
}

function subjectKey({ id, purl, cpe22, cpe23, hashes, versions }: VexProduct): string {
  const identifier = id ?? purl;
  if (identifier !== undefined) return JSON.stringify([identifier, versions]);
  const listed = hashes === undefined ? undefined : Object.entries(hashes).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([cpe23 ?? cpe22, listed, versions]);
}
