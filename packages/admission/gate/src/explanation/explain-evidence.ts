import {
  approvalOf,
  type Disagreement,
  type Disagreements,
  disagreementsIn,
  type HeardNegative,
  isWholeYes,
  isYesTo,
  mayBeOnePerson,
  meaningOf,
  type NegativesView,
  namesNothing,
  negativeOf,
  type Rejection,
  rejectionOf,
  rejects,
  takesBackFor,
  withCopies,
} from '@colophon/admission';
import type { PeopleIssuers, RejectedSignature } from '@colophon/records';
import type { LoggedEntry } from '@colophon/sigstore';
import type { ImageVerdict } from '../image-gate/judge-image.ts';
import { withBasis } from '../image-gate/with-basis.ts';
import { commitsOf, type ExplainedSubject, type FoundSignature, kindOf, namesSubject } from './explained-documents.ts';
import { explainedFacts } from './explained-facts.ts';
import { claimedReview, explainedReview } from './explained-reviews.ts';
import {
  type AskedPlace,
  type ClaimedReview,
  EVIDENCE_PLACES,
  type EvidenceExplanation,
  type ExplainedSignature,
  type SeenList,
} from './explanation-result.ts';

/** What an explanation is put together from: all of it verified, or said not to be. */
export type ExplainedMaterial = {
  readonly subject: ExplainedSubject;
  readonly signatures: readonly FoundSignature[];
  readonly unverified: readonly RejectedSignature[];
  readonly unread: readonly RejectedSignature[];
  /** What each list of standing rejections says. */
  readonly lists: readonly NegativesView[];
  readonly logEntries?: readonly LoggedEntry[];
  readonly places: readonly AskedPlace[];
  readonly verdict?: ImageVerdict | undefined;
  /** What the policies of the verdict make of the negative words that they hear. */
  readonly heard?: readonly HeardNegative[] | undefined;
  /** By whose e-mail certificates people speak; nobody's where no policy says. */
  readonly peopleIssuers?: PeopleIssuers | undefined;
};

/** As the policies count them, each once; where none was asked, nobody says whose word counts, and everybody's does. */
function disagreementsOf(
  verdict: ImageVerdict | undefined,
  ours: readonly FoundSignature[],
  peopleIssuers: PeopleIssuers | undefined,
): Disagreements {
  if (verdict === undefined) return disagreementsIn(ours, peopleIssuers);
  const once = (all: readonly Disagreement[]) => [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  return {
    contradictions: once(verdict.verdicts.flatMap(({ contradictions }) => contradictions)),
    differences: once(verdict.verdicts.flatMap(({ differences }) => differences)),
  };
}

/**
 * Puts together what is known about an artifact: who made it with what, who reviewed it, what confirms each value, and
 * what contradicts it. A statement about something else counts for nothing but a rejection or review of the commit. Pure:
 * nothing is asked or verified here, and no clock is read.
 */
export function explainEvidence(material: ExplainedMaterial): EvidenceExplanation {
  const { subject, lists, verdict, unverified, unread, places, logEntries = [] } = material;
  const signatures = [...material.signatures].sort(
    (one, other) =>
      Date.parse(one.log_entry.integrated_at) - Date.parse(other.log_entry.integrated_at) ||
      one.log_entry.log_index - other.log_entry.log_index,
  );
  const ours = signatures.filter((one) => namesSubject(one, subject));
  const commits = new Set(ours.flatMap(commitsOf));
  const aboutOf = (one: FoundSignature): ExplainedSignature['about'] => {
    if (namesSubject(one, subject) && isOfSubject(one, subject)) return 'subject';
    return commitsOf(one).some((commit) => commits.has(commit)) ? 'commit' : 'other';
  };
  const reviews = signatures.flatMap((one) => explainedReview(one, aboutOf(one), material.peopleIssuers) ?? []);
  const known = new Set(signatures.map(entryKey));
  const { kind, name, digest } = subject;
  return {
    subject: { kind, name, digest },
    facts: explainedFacts(ours),
    reviews,
    claimed_reviews: eachOnce(ours.flatMap((one) => claimedReview(one) ?? [])),
    ...disagreementsOf(verdict, ours, material.peopleIssuers),
    rejections: standingRejections(material, commits),
    rejection_lists: lists.flatMap(seenList),
    signatures: signatures.map((one) => explainedSignature(one, aboutOf(one))),
    log_entries: logEntries
      .filter((entry) => !known.has(entryKey({ log_entry: entry })))
      .map(({ body: _, ...entry }) => entry),
    unverified,
    unread,
    places: [...places].sort((one, other) => EVIDENCE_PLACES.indexOf(one.place) - EVIDENCE_PLACES.indexOf(other.place)),
    ...(verdict === undefined ? {} : { admission: withBasis(verdict) }),
  };
}

/** Whether a review that names the subject is about it: an approval of an index is none of what is in it, nor the reverse. */
function isOfSubject(one: FoundSignature, { kind, digest, digests }: ExplainedSubject): boolean {
  const { statement } = one;
  if (statement === undefined || kindOf(one) !== 'review' || meaningOf(statement) === 'negative') return true;
  return isYesTo(statement, { digest, digests }, kind === 'digest' ? ['image', 'file'] : [kind]);
}

/** A signature in two formats says one thing. */
function eachOnce(reviews: readonly ClaimedReview[]): readonly ClaimedReview[] {
  const once = new Map<string, ClaimedReview>();
  for (const one of reviews) {
    const { log_index: _, ...said } = one;
    const key = JSON.stringify(said);
    if (!once.has(key)) once.set(key, one);
  }
  return [...once.values()];
}

function entryKey({ log_entry: { log_id, log_index } }: Pick<FoundSignature, 'log_entry'>): string {
  return `${log_id} ${log_index}`;
}

function explainedSignature(one: FoundSignature, about: ExplainedSignature['about']): ExplainedSignature {
  const { certificate_identity, certificate_serial, log_entry, bundle_digest, certified_at, format, statement } = one;
  return {
    kind: kindOf(one),
    about,
    certificate_identity,
    log_entry,
    found_in: one.found_in,
    ...(certificate_serial === undefined ? {} : { certificate_serial }),
    ...(certified_at === undefined ? {} : { certified_at }),
    ...(bundle_digest === undefined ? {} : { bundle_digest }),
    ...(format === undefined ? {} : { format }),
    ...(statement === undefined ? {} : { predicate_type: statement.predicateType, statement }),
  };
}

/**
 * What rejects the subject or its commits, attached, stored or in a list, once. Whose no counts is a policy's question, and so
 * is what ends it: what policies hear stands as long as for any of them. A review that none hears stands until the same person
 * approves later.
 */
function standingRejections(
  { subject, signatures, lists, peopleIssuers, heard: all = [] }: ExplainedMaterial,
  commits: ReadonlySet<string>,
): readonly Rejection[] {
  const heard = Map.groupBy(all, ({ negative }) => negative.content);
  const listed = lists.flatMap((view) => (view.kind === 'list' ? view.list.rejections : []));
  const attached = signatures.flatMap((one) => {
    const { statement, certificate_identity: identity } = one;
    const rejection = rejectionOf(one, peopleIssuers);
    if (statement === undefined || rejection === undefined) return [];
    // What is heard may be taken for another person's, whom the certificate claims.
    if (heard.has(negativeOf({ ...one, statement }).content)) return [];
    // What is attached and names nothing that we know is about what it is attached to.
    const about = namesNothing(rejection) && one.format !== undefined ? { images: [subject.digest] } : {};
    return [{ ...rejection, ...about, certificate_identity: identity }];
  });
  const approvals = signatures.filter(isWholeYes).flatMap((one) => approvalOf(one) ?? []);
  const kind = subject.kind === 'file' ? 'file' : 'image';
  const artifact = { kind, digest: subject.digest, digests: subject.digests, commits } as const;
  const isEnded = (one: Rejection) =>
    approvals.some((approval) => takesBackFor(approval, one, artifact, (a, b) => mayBeOnePerson(a, b)));
  const unheard = [...attached, ...listed].filter(
    (one) => !heard.has(one.content) && rejects(one, artifact) && !isEnded(one),
  );
  const standing = [...heard.values()]
    .filter((words) => !words.every(({ isTakenBack }) => isTakenBack))
    .flatMap((words) => words.map(({ negative: { predicate_type: _, ...rejection } }) => rejection));
  return withCopies<Rejection>([...standing, ...unheard]).map(({ word }) => word);
}

function seenList(view: NegativesView): SeenList[] {
  if (view.kind === 'registry-only') return [];
  if (view.kind === 'incomplete') return [{ from: view.from, incomplete: view.message }];
  const { from, sequence, time, overflows = [] } = view.list;
  const over = overflows.map(({ certificate_identity: { issuer, subject } }) => ({ issuer, subject }));
  return [{ from, sequence, signed_at: time, ...(over.length === 0 ? {} : { overflows: over }) }];
}
