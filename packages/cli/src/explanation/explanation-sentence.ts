import type { EvidenceExplanation } from '@colophon/gate';
import type { Judgement } from '../commands/explain-result.ts';
import { counted, oneLine, shortId } from '../terminal/terminal.ts';
import { cut } from './shown-text.ts';
import { isSupported } from './supported.ts';

type Fact = EvidenceExplanation['facts'][number];
type Review = EvidenceExplanation['reviews'][number];
type Claimed = EvidenceExplanation['claimed_reviews'][number];

/**
 * One sentence: what was decided and by whose word, who signed, with which model, who reviewed and for how long, and what
 * speaks against it. What nobody else confirms is called claimed.
 */
export function explanationSentence(found: EvidenceExplanation, judgement: Judgement): string {
  const { subject, contradictions, rejections, unverified, unread } = found;
  const parts = [
    `${verdictWords(found, judgement)}: ${word(shortDigest(subject.name))} ${signedWords(found)}`,
    ...factWords(found, 'model_id', 'model'),
    ...factWords(found, 'commit_sha', 'commit'),
    reviewWords(found),
    ...(contradictions.length === 0 ? [] : [counted(contradictions.length, 'contradiction')]),
    ...(rejections.length === 0 ? [] : [`${counted(rejections.length, 'rejection')} of it`]),
    ...(unverified.length === 0 ? [] : [`${unverified.length} found not to verify`]),
    ...(unread.length === 0 ? [] : [`${unread.length} not read`]),
    ...listWords(found),
    ...incompleteWords(found),
  ];
  return `${parts.join('; ')}.`;
}

/** Whose word the verdict is: a decision counts by the reader's own roots and policy alone. */
function verdictWords(found: EvidenceExplanation, judgement: Judgement): string {
  const { admission } = found;
  const decided =
    admission === undefined
      ? 'no policy was asked'
      : `${admission.admitted ? 'admitted' : 'refused'} by ${policyNames(admission)}${reasonWords(admission)}`;
  if (judgement !== 'own') return `by the pack's own word only, ${decided}`;
  return isSupported(found) ? decided : `nothing verifies, ${decided}`;
}

function policyNames({ verdicts, reasons }: NonNullable<EvidenceExplanation['admission']>): string {
  const names = [...verdicts, ...reasons].flatMap(({ policy }) => policy ?? []);
  return [...new Set(names)].map(word).join(' and ') || 'every policy that was given';
}

function reasonWords({ reasons }: NonNullable<EvidenceExplanation['admission']>): string {
  const codes = [...new Set(reasons.map(({ code }) => code))];
  return codes.length === 0 ? '' : ` (${codes.join(', ')})`;
}

function signedWords({ signatures, log_entries: logged }: EvidenceExplanation): string {
  const signers = makersOf(signatures).map(
    ({ certificate_identity: { subject, issuer } }) => `${word(subject)} (issuer ${word(issuer)})`,
  );
  if (signers.length > 0) return `was signed by ${few([...new Set(signers)])}`;
  if (signatures.some(({ about }) => about === 'subject')) return 'was signed by no maker';
  const inLog = logged.flatMap(({ signers: of }) =>
    of.flatMap(({ subject, trusted }) => (trusted ? (subject ?? []) : [])),
  );
  if (inLog.length > 0) return `has in the log alone a signature by ${few([...new Set(inLog.map(word))])}`;
  return 'has no signature that verifies';
}

/** Signatures of the artifact that are no word about another's. */
function makersOf(signatures: EvidenceExplanation['signatures']): EvidenceExplanation['signatures'] {
  return signatures.filter(
    ({ about, kind }) => about === 'subject' && kind !== 'review' && kind !== 'review-withdrawal',
  );
}

function factWords({ facts }: EvidenceExplanation, field: string, name: string): string[] {
  const values = facts.filter((one) => one.field === field).map((one) => `${shown(one)} (${standingOf(one)})`);
  return values.length === 0 ? [] : [`${name} ${few(values)}`];
}

function shown({ field, value }: Fact): string {
  return word(field === 'commit_sha' ? shortId(value) : value);
}

function standingOf({ standing, source }: Fact): string {
  return standing === 'claimed' ? 'claimed' : `confirmed by ${source}`;
}

/** A review of the commit is none of the artifact: that the one was made from the other is an agent's claim. */
function reviewWords({ reviews, claimed_reviews: claimed, signatures }: EvidenceExplanation): string {
  const known = makersOf(signatures).map(({ certificate_identity: { issuer } }) => issuer);
  const of = (what: Review['about']) => [
    ...new Set(reviews.filter(({ about }) => about === what).map((one) => oneReview(one, known))),
  ];
  const own = of('subject');
  if (own.length > 0) return few(own);
  const ofCommit = of('commit');
  if (ofCommit.length > 0) return `no review of it, but its commit was ${few(ofCommit)}`;
  const named = claimed.flatMap((one) => (one.reviewer === undefined ? [] : [claimedWords(one)]));
  return named.length === 0 ? 'no review' : `no signed review, but the claim ${few([...new Set(named)])}`;
}

function claimedWords({ reviewer = '', approved, duration_seconds: seconds }: Claimed): string {
  const what = approved === false ? 'that it was not approved' : 'of a review';
  return `${what} by ${word(reviewer)}${seconds === undefined ? '' : ` in ${seconds} s`}`;
}

/** A person is who an issuer certifies: one of another issuer than the makers' may have the same address. */
function oneReview(
  { decision, reviewer, standing, duration_seconds: seconds, signer, issuer }: Review,
  known: readonly string[],
): string {
  const what = decision === 'approved' || decision === 'rejected' ? decision : `decision ${word(decision)}`;
  const whom =
    standing === 'confirmed' && reviewer !== undefined
      ? word(reviewer)
      : `${word(signer)}, who is no certified reviewer`;
  const by = known.includes(issuer) ? whom : `${whom} (issuer ${word(issuer)})`;
  return `${what} by ${by}${seconds === undefined ? ', for how long is not said' : ` in ${seconds} s`}`;
}

function listWords({ rejection_lists: lists }: EvidenceExplanation): string[] {
  const times = lists.flatMap(({ signed_at }) => signed_at ?? []);
  if (times.length > 0) return [`rejections as of ${times.join(' and ')}`];
  return [lists.length > 0 ? 'rejections incomplete' : 'rejections: only what is attached'];
}

/** Whatever was not reached is no evidence of absence. */
function incompleteWords({ places }: EvidenceExplanation): string[] {
  const names = places.filter(({ state }) => state === 'incomplete').map(({ place }) => place);
  return names.length === 0 ? [] : [`incomplete: ${names.join(', ')}`];
}

/** The first few of a list. */
function few(all: readonly string[]): string {
  const most = 3;
  const rest = all.length - most;
  return rest <= 0 ? all.join(' and ') : `${all.slice(0, most).join(' and ')} and ${rest} more`;
}

/** The digest stands in full below the sentence. */
function shortDigest(name: string): string {
  return name.replace(/(sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '$1');
}

/** A value in quotes where it could be taken for more of the sentence than itself, cut where it is no name any more. */
function word(text: string): string {
  const short = cut(text);
  return /^[\w./:@+~#%=-]+$/.test(short) ? short : oneLine(JSON.stringify(short));
}
