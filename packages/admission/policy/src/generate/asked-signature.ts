import { DEFAULT_REVIEWER_PATTERN, type Policy } from '../policy/policy.ts';
import type { PolicyFile } from '../policy/policy-schema.ts';
import { GenerateError } from './generate-error.ts';
import { signersOf, type WrittenIdentity, type WrittenSigners } from './written-signers.ts';

/** One signature that an image needs: of the image itself or, with `statement`, of a statement about it. */
export type AskedSignature = {
  /** For the other program: lower-case letters, digits and hyphens; one of its own for each. */
  readonly name: string;
  readonly signers: WrittenSigners;
  readonly statement?: AskedStatement;
};

type AskedStatement = { readonly name: string; readonly predicateType: string; readonly isReview: boolean };

/**
 * The signatures that an image needs, all of them, as far as other programs can ask for them.
 * @throws GenerateError `generate.not_expressible` for a policy of which nothing can be said elsewhere
 * @see contract §5.3, §5.4
 */
export function askedSignatures(policy: Policy): readonly AskedSignature[] {
  const { agent, human, review, require = [] } = fileOf(policy);
  const maker = agent ?? human;
  if (maker === undefined) {
    throw new GenerateError('generate.not_expressible', 'no other program limits what passes to listed digests', {
      expected: 'agent or human',
      found: policy.maker.kind,
    });
  }
  const statement = { name: 'review', predicateType: policy.review.predicateType, isReview: true };
  const required = require.map(({ predicateType, ...rule }, index): AskedSignature => {
    const asked = { name: `required-${index + 1}`, signers: signersOf(rule) };
    if (predicateType === undefined) return asked;
    const isReview = policy.review.isReview(predicateType);
    return { ...asked, statement: { name: 'statement', predicateType, isReview } };
  });
  const { kind } = policy.maker;
  // One authority for all: the agent signs the review too (contract §5.3).
  if (policy.profile === 'spec') return [{ name: kind, signers: signersOf(maker), statement }, ...required];
  const reviews = policy.review.isRequired
    ? [{ name: 'reviewer', signers: reviewersOf(policy, review), statement }]
    : [];
  return [{ name: kind, signers: signersOf(maker) }, ...reviews, ...required];
}

/** The file of a policy. @throws TypeError for a policy that was not read from one */
export function fileOf({ written }: Policy): PolicyFile {
  if (written === undefined) throw new TypeError('only a policy that was read from a file is written down');
  return written.file;
}

/** Who reviews, as the file has it or as it is where that says nothing. */
function reviewersOf(policy: Policy, review: NonNullable<PolicyFile['review']> = {}): WrittenSigners {
  if (review.identities !== undefined) return signersOf(review);
  const isNamed = review.subject !== undefined || review.subjectRegExp !== undefined;
  const { subject, subjectRegExp } = isNamed ? review : { subjectRegExp: DEFAULT_REVIEWER_PATTERN };
  const [issuer] = policy.review.identity.issuers;
  return signersOf({ issuer, subject, subjectRegExp } as WrittenIdentity);
}
