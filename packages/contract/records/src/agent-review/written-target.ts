import type { Issue } from '@colophon/json';
import { FIELD_MESSAGES } from '../record-schema/field-message.ts';
import { checkRecord } from '../record-schema/record-check.ts';
import { reviewAboutSchema } from './agent-review-schema.ts';
import type { ReviewedPlatform, ReviewTarget } from './review-target.ts';

/** What a review says that it is about; undefined where it does not say. */
export type WrittenTarget = {
  readonly target: ReviewTarget;
  /** Manifests of the image, an index, that were reviewed too. */
  readonly platforms: readonly ReviewedPlatform[];
};

/**
 * Reads `target` and `platforms` of a predicate, whatever else it holds: a digest is one of what the target is, and only an
 * image has platforms.
 * @returns undefined where neither is there, or every issue at once, with codes `agent_review.*`
 */
export function readWrittenTarget(
  predicate: unknown,
): WrittenTarget | { readonly issues: readonly Issue[] } | undefined {
  if (typeof predicate !== 'object' || predicate === null) return undefined;
  if (!Object.hasOwn(predicate, 'target') && !Object.hasOwn(predicate, 'platforms')) return undefined;
  const issues = checkRecord('agent_review', reviewAboutSchema, predicate, SOURCE);
  if (issues.length > 0) return { issues };
  const { target, platforms } = predicate as Partial<WrittenTarget>;
  if (target === undefined) return faulty('/target', 'field_missing', 'the index that has these platforms');
  const isCommit = target.kind === 'commit';
  if (isCommit !== target.digest.startsWith('gitCommit:')) {
    return faulty('/target/digest', 'field_invalid', isCommit ? 'gitCommit:<commit id>' : 'sha256:<64 hex>');
  }
  if (platforms !== undefined && target.kind !== 'image') return faulty('/target/kind', 'field_invalid', 'image');
  return { target, platforms: platforms ?? [] };
}

const SOURCE = 'contract §2.4';

function faulty(path: string, words: 'field_missing' | 'field_invalid', expected: string) {
  const issue: Issue = {
    path,
    code: `agent_review.${words}`,
    message: FIELD_MESSAGES[words],
    expected,
    source: SOURCE,
  };
  return { issues: [issue] };
}
