import type { DecisionRow } from '@colophon/evidence/client';
import type { Column } from '../column-table/column-table.ts';

/** Which image passed and why another did not; a row is one image. */
export const DECISIONS: readonly Column[] = [
  { heading: 'TIME', rank: 3 },
  { heading: 'DECISION', rank: 1 },
  { heading: 'NAMESPACE', rank: 2, shortest: 12 },
  { heading: 'OBJECT', rank: 4, shortest: 16 },
  { heading: 'IMAGE', rank: 1, shortest: 20 },
  { heading: 'DIGEST', rank: 8 },
  { heading: 'REASON', rank: 1, shortest: 20 },
  { heading: 'POLICY', rank: 6, shortest: 12 },
  { heading: 'AGENT', rank: 5, shortest: 18, isBased: true },
  { heading: 'REVIEWER', rank: 5, shortest: 20, isBased: true },
  { heading: 'EXCEPTION', rank: 7, shortest: 16, isBased: true },
];

/** The cells of DECISIONS. Names stand with what they rest on, as everywhere: the webhook’s word alone. */
export function decisionCells({ time, admitted, enforced, object, images: [image], basis }: DecisionRow): string[] {
  const based = (field: string, names: readonly string[] = []) => {
    const source = basis[field]?.source;
    return names.length === 0 || source === undefined ? '' : `${names.join(', ')} (${source})`;
  };
  return [
    time,
    (image?.admitted ?? admitted) ? 'admitted' : enforced ? 'refused' : 'refused, audit',
    object.namespace,
    `${object.kind}/${object.name}`,
    image?.image ?? '',
    image?.digest ?? '',
    [...new Set(image?.reasons.map(({ code }) => code))].join(', '),
    image?.policies.join(', ') ?? '',
    based('images.agents', image?.agents),
    based('images.reviewers', image?.reviewers),
    based('images.exception.owner', image?.exception && [image.exception.owner]),
  ];
}
