import { DEFAULT_NEGATIVES_MAX_AGE_SECONDS, type NegativesView, type Policy } from '@colophon/admission';
import type { PolicyCaseFile, WrittenList } from '../policy-case/policy-case-schema.ts';
import { assertOfNow, wordsOf } from './read-standing-negatives.ts';

/** Where the list of a policy is that names none. */
const CONFIGURED_LIST = 'the configured evidence store';

/**
 * What is known of rejections for a policy where a case says so instead of a store: the list that it writes out, an empty
 * one, or none. A list that is written out has to be as young as any other. A policy that names a list asks for it, and one
 * with `negatives: none` for none, whatever the case says.
 */
export function writtenNegatives(written: PolicyCaseFile['negatives'], now: Date): (policy: Policy) => NegativesView {
  return ({ negatives }) => {
    if (negatives === 'none') return { kind: 'registry-only' };
    const from = negatives?.from ?? CONFIGURED_LIST;
    const said = written ?? (negatives === undefined ? 'registry-only' : 'list');
    if (said === 'missing') return { kind: 'incomplete', from, message: 'the case is without it' };
    if (said === 'registry-only') {
      const named = { kind: 'incomplete', from, message: 'the policy names it, and the case is without it' } as const;
      return negatives === undefined ? { kind: 'registry-only' } : named;
    }
    const list = said === 'list' ? { time: now.toISOString() } : said;
    const maxAgeSeconds = negatives?.maxAgeSeconds ?? DEFAULT_NEGATIVES_MAX_AGE_SECONDS;
    try {
      assertOfNow(list.time, list.time, { maxAgeSeconds, now });
    } catch (error) {
      return { kind: 'incomplete', from, message: (error as Error).message };
    }
    return { kind: 'list', list: { from, sequence: 1, time: list.time, ...wordsIn(list) }, maxAgeSeconds };
  };
}

function wordsIn({ rejections = [], withdrawals = [], overflows = [] }: WrittenList) {
  // Nobody signed them: each is another one.
  const nameOf = (index: number) => (index + 1).toString(16).padStart(64, '0');
  return wordsOf({
    rejections: rejections.map(({ id, images = [], commits = [], ...rejection }, index) => ({
      ...rejection,
      id: id ?? nameOf(index),
      content: nameOf(index),
      images: [...images],
      commits: [...commits],
    })),
    withdrawals,
    overflows,
  });
}
