import type { EvidenceExplanation } from '@colophon/gate';
import { widthOf } from '../column-table/column-table.ts';
import { wrapLine, wrapTable } from '../column-table/wrapped-lines.ts';
import { issuerWords, withRoot } from '../signer-words/signer-words.ts';
import { coloursFor, moreLine, shortId, type Terminal } from '../terminal/terminal.ts';
import { cut } from './shown-text.ts';

type Explained = EvidenceExplanation & { readonly sentence: string; readonly trusted_root: string };
type Section = {
  readonly title: string;
  readonly rows: ReadonlyArray<readonly string[]>;
  readonly isAgainst?: boolean;
};

/** Its reasons are the program's own words, whole. */
const DECISION = 'decision';
/** Of what somebody else could have attached a thousand times. */
const MOST_ROWS = 20;

/** The sentence, and below it every link behind it, for a person's terminal. */
export function explanationTable(found: Explained, terminal: Terminal): string {
  const width = widthOf({ terminal });
  const colours = coloursFor(terminal, terminal.stdout);
  const sections = [
    about(found),
    { title: 'what agents state', rows: facts(found) },
    { title: 'reviews', rows: reviews(found) },
    { title: 'contradictions', rows: disagreements(found.contradictions), isAgainst: true },
    { title: 'differences', rows: disagreements(found.differences) },
    { title: 'rejections', rows: rejections(found), isAgainst: true },
    { title: DECISION, rows: decision(found), isAgainst: found.admission?.admitted === false },
    { title: 'signatures that verify', rows: signatures(found) },
    { title: 'in the log, and not at hand', rows: logged(found) },
    { title: 'found, and does not verify', rows: found.unverified.map(({ code, message }) => [`  ${code}`, message]) },
    { title: 'not read', rows: found.unread.map(({ code, message }) => [`  ${code}`, message]), isAgainst: true },
    { title: 'looked at', rows: places(found) },
  ] satisfies Section[];
  const blocks = sections
    .filter(({ rows }) => rows.length > 0)
    .map(({ title, rows, isAgainst }: Section) => {
      const heading = isAgainst ? colours.red(title) : colours.bold(title);
      const rest = rows.length <= MOST_ROWS ? '' : `  ${moreLine(rows.length - MOST_ROWS)}\n`;
      return `${heading}\n${wrapTable(
        rows.slice(0, MOST_ROWS).map((row) => (title === DECISION ? row : row.map(cut))),
        width,
      )}${rest}`;
    });
  return `${wrapLine(found.sentence, width, '')}\n\n${blocks.join('\n')}`;
}

function about({ subject, trusted_root }: Explained): Section {
  const rows = [
    ['  name', subject.name],
    ['  digest', subject.digest],
    ['  trust', trusted_root],
  ];
  return { title: subject.kind, rows };
}

function facts({ facts: all }: Explained) {
  return all.map(({ standing, field, value, source, signer, issuer, root, log_index }) => [
    `  ${standing}`,
    field,
    `${value} (${source === 'declared' ? '' : `${source}, `}signed by ${signer ?? 'a key'}${issuer === undefined ? '' : ` of ${issuerWords({ issuer, root })}`}, index ${log_index})`,
  ]);
}

function reviews({ reviews: signed, claimed_reviews: claimed }: Explained) {
  return [
    ...signed.map((one) => [
      `  ${one.standing}`,
      one.decision,
      [
        one.reviewer ?? 'nobody is named',
        ...(one.duration_seconds === undefined ? [] : [`in ${one.duration_seconds} s`]),
        ...(one.reviewed_at === undefined ? [] : [`at ${one.reviewed_at}`]),
        ...(one.about === 'subject' ? [] : [one.about === 'commit' ? 'of the commit' : 'of something else']),
        `signed by ${one.signer} of ${issuerWords(one)}`,
        `index ${one.log_index}`,
        ...(one.comment === undefined ? [] : [`comment ${JSON.stringify(one.comment)}`]),
      ].join(', '),
    ]),
    ...claimed.map((one) => [
      `  ${one.standing}`,
      one.approved === undefined ? 'named' : one.approved ? 'approved' : 'not approved',
      [
        one.reviewer ?? 'nobody is named',
        ...(one.duration_seconds === undefined ? [] : [`in ${one.duration_seconds} s`]),
        ...(one.reviewed_at === undefined ? [] : [`at ${one.reviewed_at}`]),
        `the word of ${one.signer} of ${issuerWords(one)}${one.standing === 'claimed' ? '' : ` (${one.source})`}`,
        `index ${one.log_index}`,
      ].join(', '),
    ]),
  ];
}

function disagreements(all: Explained['contradictions']) {
  return all.flatMap(({ field, said }) =>
    said.map(({ value, by, log_index }, index) => [
      `  ${index === 0 ? field : ''}`,
      `${value} (${by}, index ${log_index})`,
    ]),
  );
}

function rejections({ rejections: all }: Explained) {
  return all.map(({ person, subject, integrated_at, id, certificate_identity: identity }) => [
    `  ${person.address}`,
    `at ${integrated_at}, signed by ${subject} of ${issuerWords({ ...person, root: identity?.root })}${id === undefined ? '' : `, ${shortId(id)}`}`,
  ]);
}

function decision({ admission }: Explained) {
  if (admission === undefined) return [];
  const list = (kind: string, reasons: typeof admission.reasons) =>
    reasons.map(({ code, message, expected, found, policy }) => [
      `  ${kind}`,
      [
        `${code}: ${message}`,
        ...(expected === undefined ? [] : [`Expected ${expected}.`]),
        ...(found === undefined ? [] : [`Found ${found}.`]),
        ...(policy === undefined ? [] : [`(${policy})`]),
      ].join(' '),
    ]);
  const verdicts = admission.verdicts.map(({ policy, admitted, mode }) => [
    `  ${admitted ? 'admits' : mode === 'audit' ? 'would refuse' : 'refuses'}`,
    policy,
  ]);
  return [...verdicts, ...list('reason', admission.reasons), ...list('warning', admission.warnings)];
}

function signatures({ signatures: all }: Explained) {
  return all.map(({ log_entry, kind, about, certificate_identity, certificate_serial, predicate_type, found_in }) => [
    `  ${log_entry.log_index}`,
    kind,
    [
      `${certificate_identity.subject} of ${issuerWords(certificate_identity)}, ${log_entry.integrated_at}`,
      ...(about === 'subject' ? [] : [about === 'commit' ? 'about the commit' : 'about something else']),
      ...(kind === 'statement' && predicate_type !== undefined ? [predicate_type] : []),
      ...(certificate_serial === undefined ? [] : [`certificate ${certificate_serial}`]),
      ...(certificate_identity.jti === undefined ? [] : [`token ${certificate_identity.jti}`]),
      found_in.join(' and '),
    ].join(', '),
  ]);
}

function logged({ log_entries: all }: Explained) {
  return all.map(({ log_index, kind, integrated_at, signers }) => [
    `  ${log_index}`,
    kind,
    `${integrated_at}, ${signers
      .map(({ subject, trusted, root, key_digest: key }) =>
        subject === undefined ? `key ${shortId(key ?? '')}` : trusted ? withRoot(subject, root) : `claimed: ${subject}`,
      )
      .join(', ')}`,
  ]);
}

function places({ places: all, rejection_lists: lists }: Explained) {
  return [
    ...all.map(({ place, state, address, detail }) => [
      `  ${place}`,
      state === 'not-asked' ? 'not asked' : state,
      [address, detail].filter((part) => part !== undefined).join(': '),
    ]),
    ...lists.map(({ from, signed_at, sequence, incomplete }) => [
      '  rejections',
      incomplete === undefined ? 'read' : 'incomplete',
      incomplete === undefined ? `as of ${signed_at}, sequence ${sequence}: ${from}` : `${from}: ${incomplete}`,
    ]),
  ];
}
