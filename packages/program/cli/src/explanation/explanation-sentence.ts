import type { EvidenceExplanation } from '@colophon/gate';
import type { Judgement } from '../commands/explain-result.ts';
import { counted, oneLine, shortId } from '../terminal/terminal.ts';
import { cut } from './shown-text.ts';
import { isOfArtifact, isSupported } from './supported.ts';

type Fact = EvidenceExplanation['facts'][number];
type Review = EvidenceExplanation['reviews'][number];
type Claimed = EvidenceExplanation['claimed_reviews'][number];
type Admission = NonNullable<EvidenceExplanation['admission']>;

/**
 * One sentence: what was decided and by whose word, who signed, with which model, who reviewed and for how long, and what
 * speaks against it. What nobody else confirms is called claimed.
 */
export function explanationSentence(found: EvidenceExplanation, judgement: Judgement): string {
  const { subject, contradictions, differences, rejections, unverified, unread } = found;
  const parts = [
    `${verdictWords(found, judgement)}: ${word(shortDigest(subject.name))} ${signedWords(found)}`,
    ...factWords(found, 'model_id', 'model'),
    ...witnessWords(found),
    ...factWords(found, 'commit_sha', 'commit'),
    reviewWords(found),
    ...(contradictions.length === 0 ? [] : [counted(contradictions.length, 'contradiction')]),
    ...(differences.length === 0 ? [] : [counted(differences.length, 'difference')]),
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
  const decided = admission === undefined ? 'no policy was asked' : decisionWords(admission);
  if (judgement !== 'own') return `by the pack's own word only, ${decided}`;
  return isSupported(found) ? decided : `nothing verifies, ${decided}`;
}

/** Warnings that are no refusal of a policy that only watches. */
const TOLD: ReadonlySet<string> = new Set(['admission.exception', 'admission.contradiction_seen']);

/** A policy that only watches has admitted nothing where it would have refused. */
function decisionWords({ admitted, reasons, warnings: all, verdicts }: Admission): string {
  const warnings = all.filter(({ code }) => !TOLD.has(code));
  const watching =
    warnings.length === 0 ? '' : `${namesIn(warnings)} would refuse but only watches${codesIn(warnings)}`;
  if (!admitted) {
    const refused = `refused by ${namesIn(reasons) || 'every policy that was given'}${codesIn(reasons)}`;
    return watching === '' ? refused : `${refused}, and ${watching}`;
  }
  const by = namesIn(verdicts.filter((verdict) => verdict.admitted)) || 'no policy';
  return watching === '' ? `admitted by ${by}` : `admitted by ${by}, and ${watching}`;
}

function namesIn(of: ReadonlyArray<{ readonly policy?: string | undefined }>): string {
  return [...new Set(of.flatMap(({ policy }) => policy ?? []))].map(word).join(' and ');
}

function codesIn(reasons: Admission['reasons']): string {
  const codes = [...new Set(reasons.map(({ code }) => code))];
  return codes.length === 0 ? '' : ` (${codes.join(', ')})`;
}

function signedWords({ signatures, log_entries: logged }: EvidenceExplanation): string {
  const signers = makersOf(signatures).map(
    ({ certificate_identity: identity }) => `${word(identity.subject)} (${whoseWord(identity)})`,
  );
  if (signers.length > 0) return `was signed by ${few([...new Set(signers)])}`;
  if (signatures.some(({ about }) => about === 'subject')) return 'was signed by no maker';
  const inLog = (entries: EvidenceExplanation['log_entries']) => [
    ...new Set(entries.flatMap(({ signers: of }) => of.flatMap((one) => (one.trusted ? (one.subject ?? []) : [])))),
  ];
  const own = inLog(logged.filter(isOfArtifact));
  if (own.length > 0) return `has in the log alone a signature by ${few(own.map(word))}`;
  const none = 'has no signature that verifies';
  const others = inLog(logged);
  return others.length === 0
    ? none
    : `${none}, and in the log a statement by ${few(others.map(word))} that is not at hand`;
}

/** Signatures of the artifact that are no word about another's. */
function makersOf(signatures: EvidenceExplanation['signatures']): EvidenceExplanation['signatures'] {
  return signatures.filter(
    ({ about, kind }) => about === 'subject' && kind !== 'review' && kind !== 'review-withdrawal',
  );
}

/** What the agent of one issuer claims is confirmed by no other's. */
function factWords({ facts, signatures }: EvidenceExplanation, field: string, name: string): string[] {
  const known = onlyCertifierOf(signatures);
  const values = facts.filter((one) => one.field === field).map((one) => `${shown(one)} (${standingOf(one, known)})`);
  return values.length === 0 ? [] : [`${name} ${few(values)}`];
}

function shown({ field, value }: Fact): string {
  return word(field === 'commit_sha' ? shortId(value) : value);
}

function standingOf({ standing, source, issuer, root }: Fact, known: string | undefined): string {
  if (standing === 'claimed') return source === 'declared' ? 'claimed' : `claimed, ${source}`;
  const by = issuer === undefined ? undefined : whoseWord({ issuer, root });
  return `confirmed by ${source}${by === undefined || by === known ? '' : `, ${by}`}`;
}

/** Who says that a signer is whom the certificate names. */
function whoseWord({ issuer, root }: { readonly issuer: string; readonly root?: string | undefined }): string {
  return `issuer ${word(issuer)}${root === undefined ? '' : `, root ${word(root)}`}`;
}

/** What a witness cannot see. */
function witnessWords({ facts }: EvidenceExplanation): string[] {
  const isWitnessed = facts.some(({ field, source }) => field === 'model_id' && source.startsWith('witness-'));
  return isWitnessed ? ['a witness saw which models answered, not which lines they wrote'] : [];
}

/** Whose word all makers are by; undefined where by several, or there is none. */
function onlyCertifierOf(signatures: EvidenceExplanation['signatures']): string | undefined {
  const all = new Set(makersOf(signatures).map(({ certificate_identity: identity }) => whoseWord(identity)));
  return all.size === 1 ? [...all][0] : undefined;
}

/** A review of the commit is none of the artifact: that the one was made from the other is a claim of whoever signed. */
function reviewWords({ reviews, claimed_reviews: claimed, signatures }: EvidenceExplanation): string {
  const known = onlyCertifierOf(signatures);
  const wordsOf = (some: readonly Review[]) => [...new Set(some.map((one) => oneReview(one, known)))];
  const about = (what: Review['about']) => {
    const all = reviews.filter((one) => one.about === what);
    // Anybody who may sign can add approvals before a rejection.
    return few(wordsOf(all), wordsOf(all.filter(({ decision }) => decision !== 'approved')));
  };
  const own = about('subject');
  if (own !== '') return own;
  const ofCommit = about('commit');
  if (ofCommit !== '') return `no review of it, but a commit that its signers name was ${ofCommit}`;
  const named = claimed.flatMap((one) => (one.reviewer === undefined ? [] : [claimedWords(one)]));
  return named.length === 0 ? 'no review' : `no signed review, but the claim ${few([...new Set(named)])}`;
}

function claimedWords({ reviewer = '', approved, duration_seconds: seconds }: Claimed): string {
  const what = approved === false ? 'that it was not approved' : 'of a review';
  return `${what} by ${word(reviewer)}${seconds === undefined ? '' : ` in ${seconds} s`}`;
}

/**
 * A person is who an issuer certifies under a root: one of another may have the same address.
 * @param known by whose word all makers are; undefined where by several
 */
function oneReview(
  { decision, reviewer, standing, duration_seconds: seconds, signer, ...certified }: Review,
  known: string | undefined,
): string {
  const what = decision === 'approved' || decision === 'rejected' ? decision : `decision ${word(decision)}`;
  const whom =
    standing === 'confirmed' && reviewer !== undefined
      ? word(reviewer)
      : `${word(signer)}, who is no certified reviewer`;
  const by = known === whoseWord(certified) ? whom : `${whom} (${whoseWord(certified)})`;
  return `${what} by ${by}${seconds === undefined ? ', for how long is not said' : ` in ${seconds} s`}`;
}

function listWords({ rejection_lists: lists, places }: EvidenceExplanation): string[] {
  const times = lists.flatMap(({ signed_at }) => signed_at ?? []);
  const incomplete = lists.length - times.length;
  if (times.length > 0) {
    const rest = incomplete === 0 ? '' : `, ${counted(incomplete, 'list')} incomplete`;
    const over = lists.flatMap(({ overflows = [] }) => overflows.map(({ subject }) => word(subject)));
    const more = over.length === 0 ? '' : `, not all of those by ${few(over)}`;
    return [`rejections as of ${times.join(' and ')}${more}${rest}`];
  }
  if (lists.length > 0) return ['rejections incomplete'];
  // What a registry has, the maker of a pack may have left out.
  const isPack = places.some(({ place }) => place === 'pack');
  return [`rejections: only what ${isPack ? 'the pack holds' : 'is attached'}`];
}

/** Whatever was not reached is no evidence of absence. */
function incompleteWords({ places }: EvidenceExplanation): string[] {
  const names = places.filter(({ state }) => state === 'incomplete').map(({ place }) => place);
  return names.length === 0 ? [] : [`incomplete: ${names.join(', ')}`];
}

/** The first few of a list in its order; those of `before` are shown before any others. */
function few(all: readonly string[], before: readonly string[] = []): string {
  const most = 3;
  const chosen = new Set([...new Set([...before, ...all])].slice(0, most));
  const shown = all.filter((one) => chosen.has(one));
  const rest = all.length - shown.length;
  return rest === 0 ? shown.join(' and ') : `${shown.join(' and ')} and ${rest} more`;
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
