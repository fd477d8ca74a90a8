import { compareTexts, dayOf } from '@colophon/notation';
import { type Cvss, type Finding, type FindingComponent, type FindingReport, findingSchema } from '@colophon/records';
import { type AssessmentNoteCode, NoteBook } from './assessment-note.ts';
import { isPurl } from './component-identity.ts';
import { ComponentIndex } from './component-index.ts';
import { exploitationWords } from './exploitation-claim.ts';
import { type KnownName, NameBook } from './name-book.ts';
import { parsePublicationDay } from './publication-day.ts';
import type { ReportedVulnerability } from './reported-vulnerability.ts';
import { type Candidate, candidateOf, chooseScore, isFarBelow, isHeard, ScoreBook } from './score-choice.ts';
import { severityOfScore, severityOfWord, worstSeverity } from './severity.ts';
import { compareIds } from './vulnerability-id.ts';

/**
 * What was found out about vectors, names and components. Outputs that are assessed one after the other may share it: the
 * same few thousand come again and again. It grows with how many different ones there are.
 */
export class AssessmentMemory {
  readonly scores = new ScoreBook();
  readonly names = new NameBook();
  readonly components = new ComponentIndex();
}

/** What is the same for all entries that are read together. */
export type Reading = {
  readonly memory: AssessmentMemory;
  readonly notes: NoteBook;
  /** The day of import, `2026-11-21`: what became public after it did not. Without it, nothing is in the future. */
  readonly today?: string;
  /** One entry is one finding: the other CVEs that it names are other names, and none is a finding of its own. */
  readonly keepsEntries?: boolean;
};

/** A reading without notes yet. `at` is the moment of import, RFC 3339. */
export function newReading(at?: string, memory = new AssessmentMemory()): Reading {
  const today = at === undefined ? undefined : dayOf(at);
  return { memory, notes: new NoteBook(), ...(today === undefined ? {} : { today }) };
}

/** The members of a finding; others are somebody else's. */
export const FINDING_MEMBERS: ReadonlySet<string> = new Set(Object.keys(findingSchema.properties));

/** An entry may have so many names; each CVE among them is a finding of its own. */
const MOST_NAMES = 200;

/**
 * What one entry of a scanner's output says, as findings: one for each CVE that it names, as an advisory may name
 * several, or one under its other name. Everything is normalised and scored.
 */
export function findingsOfReported(
  reported: ReportedVulnerability,
  { memory, notes, today, keepsEntries = false }: Reading,
): Finding[] {
  const id = reported.id.trim();
  const note = (code: AssessmentNoteCode, message: string) =>
    notes.add(code, message, { id, scanner: reported.scanner });
  const candidates = reported.scores.flatMap((stated) => candidateOf(stated, memory.scores, note) ?? []);
  const candidate = chooseScore(candidates);
  const severity = reported.severity?.trim();
  const word = severity === undefined ? undefined : severityOfWord(severity);
  if (severity !== undefined && word === undefined) {
    note('finding.severity_unknown', `Nobody knows the severity ${severity.slice(0, 40)}.`);
  }
  const published = publishedOf(reported.published, today, note);
  const { component } = reported;
  if (component.purl !== undefined && !isPurl(component.purl)) {
    note('finding.purl_invalid', `This is no package URL: ${component.purl.slice(0, 200)}`);
  }
  const report = reportOf(reported, id, severity, candidate);
  const counted = candidate === undefined || !isHeard(candidate, word ?? 'unknown') ? undefined : candidate;
  const counts = counted === undefined ? (word ?? 'unknown') : severityOfScore(counted.score);
  if (word !== 'none' && candidates.some(({ score }) => score === 0)) {
    note('finding.score_zero', `A vector without any impact scores 0: ${counts} counts.`);
  }
  const claims = [word ?? 'unknown', ...candidates.map(({ score }) => severityOfScore(score))];
  const worst = worstSeverity(claims);
  if (isFarBelow(counts, worst)) note('finding.severity_differs', `Somebody says ${worst}: ${counts} counts.`);
  const common = {
    severity: counts,
    ...(counted === undefined ? {} : { cvss: cvssOf(counted) }),
    component: componentOf(component),
    fixedInVersions: sortedTexts(reported.fixedInVersions),
    description: reported.description?.trim() ?? '',
  };
  const named = namesOf(id, reported.aliases, { book: memory.names, note, keepsEntries });
  const ids = named.map((one) => one.id);
  return named.map(({ id: name, aliases }) => {
    const exploited = exploitationWords(reported, name, ids);
    return {
      id: name,
      ...common,
      aliases,
      ...(published === undefined ? {} : { published }),
      reportedBy: [exploited === undefined ? report : { ...report, exploited }],
      ...(report.suppressed === undefined ? {} : { suppressed: report.suppressed }),
    };
  });
}

type Names = { readonly id: string; readonly aliases: readonly string[] };

type NamesContext = {
  readonly book: NameBook;
  readonly note: (code: AssessmentNoteCode, message: string) => void;
  readonly keepsEntries: boolean;
};

/** The names of an entry, once for each CVE among them, or under its own where entries are kept. */
function namesOf(
  ownId: string,
  otherIds: readonly string[],
  { book, note, keepsEntries }: NamesContext,
): readonly Names[] {
  const names = new Map<string, KnownName>();
  for (let i = -1; i < otherIds.length; i++) {
    const name = book.read(i < 0 ? ownId : (otherIds[i] as string));
    // A weakness is a kind of vulnerability, and no name of one.
    if (name.id === '' || name.key.startsWith('CWE-')) continue;
    if (name.isMalformedCve) note('finding.cve_malformed', `This is no CVE id: ${name.id.slice(0, 100)}`);
    if (names.size === MOST_NAMES) {
      note('finding.names_left_out', `It has more than ${MOST_NAMES} names.`);
      break;
    }
    if (!names.has(name.key)) names.set(name.key, name);
  }
  const cves = new Set<string>();
  const others: string[] = [];
  for (const { id, cve, isCve } of names.values()) {
    if (cve !== undefined) cves.add(cve);
    if (!isCve) others.push(id);
  }
  if (others.length > 1) others.sort(compareIds);
  if (cves.size > 1 && keepsEntries) return [withAllNames(book.read(ownId), [...cves, ...others])];
  if (cves.size > 1) note('finding.several_cves', `It names ${cves.size} CVEs, and each is a finding of its own.`);
  if (cves.size > 0) return Array.from(cves, (id) => ({ id, aliases: others }));
  const [id = ownId, ...aliases] = others;
  return [{ id, aliases }];
}

/** One entry that names several CVEs, under its own name. */
function withAllNames({ id, cve = id }: KnownName, names: readonly string[]): Names {
  return { id: cve, aliases: names.filter((name) => name !== cve).sort(compareIds) };
}

function reportOf(
  { scanner, suppressed }: ReportedVulnerability,
  id: string,
  severity: string | undefined,
  candidate: Candidate | undefined,
): FindingReport {
  const score = candidate?.stated ?? candidate?.score;
  return {
    scanner,
    id,
    ...(severity === undefined || severity === '' ? {} : { severity }),
    ...(score === undefined ? {} : { score }),
    ...(candidate?.vector === undefined ? {} : { vector: candidate.vector }),
    ...(candidate?.source === undefined ? {} : { source: candidate.source }),
    ...(suppressed === undefined ? {} : { suppressed: reasonOf(suppressed) }),
  };
}

/** Why something does not count, also where nobody says why. */
export function reasonOf(suppressed: string): string {
  return suppressed.trim() || 'no reason given';
}

/** A score as a finding has it. */
export function cvssOf({ score, vector }: Candidate): Cvss {
  return { score, ...(vector === undefined ? {} : { vector }) };
}

function componentOf({ name, version, purl }: FindingComponent): FindingComponent {
  return {
    name: name.trim(),
    ...(version === undefined || version.trim() === '' ? {} : { version: version.trim() }),
    ...(purl === undefined || purl.trim() === '' ? {} : { purl: purl.trim() }),
  };
}

function publishedOf(
  text: string | undefined,
  today: string | undefined,
  note: (code: AssessmentNoteCode, message: string) => void,
): string | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const day = parsePublicationDay(text);
  if (day === undefined) note('finding.date_invalid', `This is no day of publication: ${text.slice(0, 60)}`);
  else if (today !== undefined && day > today) note('finding.date_future', `It is said to become public on ${day}.`);
  else return day;
  return undefined;
}

/** Each text once, without blanks around it, sorted: parts that are numbers by their value. */
export function sortedTexts(texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))].sort(compareNaturally);
}

const PARTS = /\d+|\D+/g;

/** `2.9.0` before `2.15.0`. */
function compareNaturally(a: string, b: string): number {
  const [left, right] = [a.match(PARTS) ?? [], b.match(PARTS) ?? []];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i] as string, right[i] as string];
    const [m, n] = [Number(x), Number(y)];
    if (!Number.isNaN(m) && !Number.isNaN(n) && m !== n) return m - n;
    if (x !== y && (Number.isNaN(m) || Number.isNaN(n))) return x < y ? -1 : 1;
  }
  return left.length - right.length || compareTexts(a, b);
}
