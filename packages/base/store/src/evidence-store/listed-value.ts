import type { DecisionList } from './evidence-record.ts';
import type { Comparison, EvidenceFilter } from './evidence-select.ts';

/** Joins `evidence_decision_listed AS listed` to `decision` by one value of one list: what {@link ListedValue} binds. */
export const OF_DECISION =
  'listed.decision_id = decision.id AND listed.time = decision.time AND listed.list = ? AND listed.value = ?';

/** Columns of which one value finds few decisions. */
const OF_MANY_VALUES: readonly string[] = [
  'request_uid',
  'namespace',
  'name',
  'owner',
  'user',
  'image',
  'digest',
  'exception_owner',
];
/** The list whose values find fewest decisions first; a policy covers most of them. */
const FEWEST_FIRST: readonly DecisionList[] = ['reason', 'reviewer', 'agent', 'policy'];

/**
 * Decides by what decisions are found that all have to have a listed value: by the value, unless another condition finds
 * fewer. Joined, its rows come one by one in the order of their time; a subquery would look all of them up before the
 * first is told. Any further value is looked for in each row that is found.
 */
export function splitListed(where: EvidenceFilter | undefined): {
  readonly joined?: ListedValue | undefined;
  readonly rest?: EvidenceFilter | undefined;
} {
  if (where === undefined) return {};
  const parts = 'all' in where ? where.all : [where];
  const listed = parts.filter(isListedValue);
  if (listed.length === 0) return { rest: where };
  const findsFew = (part: EvidenceFilter) =>
    'column' in part &&
    part.operator === '=' &&
    part.column.table === 'decision' &&
    OF_MANY_VALUES.includes(part.column.name);
  const byList = FEWEST_FIRST.map((list) => listed.find(({ column }) => column.list === list));
  const joined = parts.some(findsFew) ? undefined : byList.find((one) => one !== undefined);
  const rest = parts
    .filter((part) => part !== joined)
    .map((part) => (isListedValue(part) ? { ...part, isLookedFor: true as const } : part));
  return { joined, rest: rest.length === 0 ? undefined : { all: rest } };
}

/** A comparison with one value of one list; `isLookedFor` in rows that are found by another condition. */
export type ListedValue = Comparison & {
  readonly column: { readonly list: DecisionList };
  readonly isLookedFor?: true;
};

/** Whether a condition is that a list of the image has one value. */
export function isListedValue(filter: EvidenceFilter): filter is ListedValue {
  return (
    'column' in filter &&
    filter.column.table === 'decision_listed' &&
    filter.operator === '=' &&
    filter.column.list !== undefined
  );
}
