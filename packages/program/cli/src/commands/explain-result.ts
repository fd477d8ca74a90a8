import { evidenceExplanation } from '@colophon/gate/result';
import { oneOf, type ResultOf, resultOf, string, timestamp } from '@colophon/records/result';

/** By whose roots and policy a verdict holds. */
export const JUDGEMENTS = ['own', 'pack'] as const;
export type Judgement = (typeof JUDGEMENTS)[number];

const { admission, ...always } = evidenceExplanation.properties;

const facts = {
  sentence: string('the verdict, and what it rests on, for people'),
  trusted_root: string('file of the trusted root'),
  ...always,
} as const;

/** `colophon explain`: a refusal by the given policy has its own exit code and is printed in full. */
export const explainResult = resultOf(evidenceExplanation.description, facts, { admission });
export type ExplainResult = ResultOf<typeof explainResult>;

const { subject } = evidenceExplanation.properties;

/** `colophon pack`. */
export const packResult = resultOf(
  'an evidence pack that was written',
  {
    image: string('as it was asked for'),
    digest: subject.properties.digest,
    pack: string('the file'),
    pack_digest: subject.properties.digest,
    created_at: timestamp,
    sentence: facts.sentence,
    trusted_root: facts.trusted_root,
  },
  { admission },
);
export type PackResult = ResultOf<typeof packResult>;

/** `colophon verify --offline`. */
export const verifiedPackResult = resultOf(
  'what a pack proves, by the reader’s trusted root and policy',
  {
    pack: string('the file'),
    trusted_by: oneOf('whose trusted root it is: with the pack’s own nothing is proven', JUDGEMENTS),
    policy_by: oneOf('whose policy it is; none where neither names one', [...JUDGEMENTS, 'none']),
    created_at: { ...timestamp, description: 'when the pack was made, by its own word' },
    ...facts,
  },
  { admission },
);
export type VerifiedPackResult = ResultOf<typeof verifiedPackResult>;
