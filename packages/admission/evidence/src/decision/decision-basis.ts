import type { AdmissionDecisionRecord, FieldBasis } from '@colophon/records';

/**
 * What each name and hash of a decision rests on, by its field: the webhook's own word, whatever it verified, and no
 * certificate. What it verified is in `entries`, where that was handed in.
 */
export function decisionBasis({ user, images }: Pick<AdmissionDecisionRecord, 'user' | 'images'>): FieldBasis {
  const [image] = images;
  const has: Readonly<Record<string, boolean>> = {
    user: user !== undefined,
    'images.digest': image?.digest !== undefined,
    'images.agents': (image?.agents.length ?? 0) > 0,
    'images.reviewers': (image?.reviewers.length ?? 0) > 0,
    'images.exception.owner': image?.exception !== undefined,
  };
  const fields = Object.keys(has).filter((field) => has[field]);
  return Object.fromEntries(fields.map((field) => [field, { source: 'declared' }]));
}
