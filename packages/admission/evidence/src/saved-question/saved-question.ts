/** A question that ships: what it finds, for a person, and how it is asked. */
type SavedQuestion = {
  readonly finds: string;
  /** `value` is what the question is asked with; absent where it needs nothing. */
  readonly ask: (value: string) => string;
  readonly needs?: 'policy-pack-hash';
};

/** Questions that every auditor asks, by name. */
export const SAVED_QUESTIONS = {
  'model-substituted': {
    finds: 'runs in which another model answered than was requested',
    ask: () => 'runs where model.substituted = true order by sequence desc',
  },
  'short-reviews': {
    finds: 'artifacts whose review took less than 60 seconds',
    ask: () => 'artifacts where human_review.review_duration_seconds < 60s or review_duration_seconds < 60s',
  },
  'unreviewed-runs': {
    finds: 'runs that no reviewer has approved since',
    ask: () => 'runs where reviewed = false order by sequence desc',
  },
  'old-policy-pack': {
    finds: 'runs under another policy pack than this one',
    ask: (hash: string) => `runs where policy.pack_hash != ${hash}`,
    needs: 'policy-pack-hash',
  },
  'self-reviews': {
    finds: 'reviews that an agent signed itself: its own word, and no review',
    ask: () => 'review-claims where subject ~ "agent:.*" order by sequence desc',
  },
} as const satisfies Readonly<Record<string, SavedQuestion>>;

export type SavedQuestionName = keyof typeof SAVED_QUESTIONS;
export const SAVED_QUESTION_NAMES = Object.keys(SAVED_QUESTIONS) as readonly SavedQuestionName[];
