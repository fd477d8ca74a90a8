import { AliasGroups } from './alias-groups.ts';
import type { NoteBook } from './assessment-note.ts';
import { type ComponentIdentity, identifyComponent, normaliseVersion } from './component-identity.ts';
import type { Finding, FindingReport } from './finding.ts';
import { cvssOf, type Reading, sortedTexts } from './read-reported.ts';
import type { FindingComponent } from './reported-vulnerability.ts';
import { type Candidate, chooseScore, compareTexts, type ScoreBook } from './score-choice.ts';
import { SEVERITIES, type Severity, severityOfScore, severityOfWord, worstSeverity } from './severity.ts';
import { compareIds, idKey, isCve } from './vulnerability-id.ts';

/**
 * Findings of any number of scanners with each vulnerability of a component once. Their order says nothing, and merging
 * what was merged changes nothing.
 */
export function mergeFindings(findings: readonly Finding[], { scores, notes }: Reading): Finding[] {
  const groups = new AliasGroups();
  for (const finding of findings) groups.add(finding);
  const buckets = new BucketMap();
  for (const finding of findings) {
    for (const id of groups.resolve(finding.id)) buckets.add(id, finding);
  }
  buckets.joinIncomplete();
  return buckets
    .list()
    .map(({ id, members }) => {
      const finding = combine(id, members, groups, scores);
      if (finding.cvss === undefined && finding.reportedBy.length > 1) noteDisagreement(finding, notes);
      return finding;
    })
    .sort(compareFindings);
}

/** What is said of one vulnerability in one component. */
type Bucket = { readonly id: string; readonly identity: ComponentIdentity; readonly members: Finding[] };

class BucketMap {
  readonly #buckets = new Map<string, Bucket>();
  /** The same few thousand components have all the findings. */
  readonly #identities = new Map<string, ComponentIdentity>();

  add(id: string, finding: Finding): void {
    const { name, version = '', purl = '' } = finding.component;
    const text = `${purl}\0${name}\0${version}`;
    const identity = this.#identities.get(text) ?? identifyComponent(finding.component);
    this.#identities.set(text, identity);
    const where = `${identity.package ?? `\0${identity.names[0]}`}\0${identity.version ?? ''}`;
    const key = `${idKey(id)}\0${where}`;
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, { id, identity, members: [finding] });
    else bucket.members.push(finding);
  }

  /**
   * A component without package URL or version is the only one with a package URL and a version that it can be, where
   * the same vulnerability is listed there. Where it can be several, it stays by itself.
   */
  joinIncomplete(): void {
    const isComplete = ({ identity }: Bucket) => identity.package !== undefined && identity.version !== undefined;
    const incomplete = [...this.#buckets].filter(([, bucket]) => !isComplete(bucket));
    if (incomplete.length === 0) return;
    const wanted = new Set(incomplete.map(([, { id }]) => idKey(id)));
    const completeByName = new Map<string, Bucket[]>();
    for (const bucket of this.#buckets.values()) {
      if (!wanted.has(idKey(bucket.id)) || !isComplete(bucket)) continue;
      for (const name of bucket.identity.names) {
        const key = `${idKey(bucket.id)}\0${name}`;
        const known = completeByName.get(key);
        if (known === undefined) completeByName.set(key, [bucket]);
        else known.push(bucket);
      }
    }
    for (const [key, { id, identity, members }] of incomplete) {
      const [name] = identity.names;
      const candidates = (completeByName.get(`${idKey(id)}\0${name}`) ?? []).filter((one) =>
        canBe(identity, one.identity),
      );
      const [only] = candidates;
      if (only === undefined || candidates.length > 1) continue;
      for (const member of members) only.members.push(member);
      this.#buckets.delete(key);
    }
  }

  list(): Bucket[] {
    return [...this.#buckets.values()];
  }
}

/** The names are known to be equal. */
function canBe(incomplete: ComponentIdentity, complete: ComponentIdentity): boolean {
  if (incomplete.package !== undefined) return incomplete.package === complete.package;
  if (incomplete.version === undefined) return true;
  const kind = complete.package?.split('/')[0] ?? '';
  return normaliseVersion(kind, incomplete.version) === complete.version;
}

function combine(id: string, members: readonly Finding[], groups: AliasGroups, scores: ScoreBook): Finding {
  const name = isCve(id) ? id : groups.spelling(id);
  const [first] = members as [Finding];
  const isAlone = members.length === 1;
  const names = new Set(members.flatMap((one) => [one.id, ...one.aliases].map((text) => groups.spelling(text))));
  names.delete(name);
  const reportedBy = isAlone && first.reportedBy.length < 2 ? first.reportedBy : distinctReports(members);
  const chosen = chooseScore(members.flatMap((one) => candidatesOf(one, scores)));
  const cvss = chosen === undefined ? undefined : cvssOf(chosen);
  const published = members.reduce<string | undefined>(earlier, undefined);
  const suppressed = suppressionOf(members, reportedBy);
  return {
    id: name,
    severity: cvss === undefined ? worstSeverity(wordsOf(members)) : severityOfScore(cvss.score),
    ...(cvss === undefined ? {} : { cvss }),
    component: isAlone ? first.component : fullestComponent(members),
    fixedInVersions: isAlone ? first.fixedInVersions : sortedTexts(members.flatMap((one) => one.fixedInVersions)),
    description: isAlone ? first.description : longestText(members.map(({ description }) => description)),
    aliases: [...names].sort(compareIds),
    ...(published === undefined ? {} : { published }),
    reportedBy,
    ...(suppressed === undefined ? {} : { suppressed }),
  };
}

/** What each reporter's score is worth, and the finding's own where it has one that none of them stated. */
function candidatesOf({ cvss, reportedBy }: Finding, scores: ScoreBook): Candidate[] {
  return [...(cvss === undefined ? [] : [cvss]), ...reportedBy].flatMap((one): Candidate[] => {
    const { score, vector, source } = one as FindingReport;
    const from = source === undefined ? {} : { source };
    if (vector === undefined) return score === undefined ? [] : [{ score, ...from }];
    const scored = scores.read(vector);
    if ('issues' in scored) return [];
    return [{ score: scored.score, vector, version: scored.vector.version, ...from }];
  });
}

function* wordsOf(members: readonly Finding[]): Generator<Severity> {
  for (const { severity, reportedBy } of members) {
    yield severity;
    for (const { severity: word } of reportedBy) if (word !== undefined) yield severityOfWord(word) ?? 'unknown';
  }
}

/** Scanners need not agree, and where nobody scored it a word decides. */
function noteDisagreement({ id, severity, reportedBy }: Finding, notes: NoteBook): void {
  const words = reportedBy.flatMap(({ scanner, severity: word = '' }) => {
    const means = severityOfWord(word) ?? 'unknown';
    return means === 'unknown' ? [] : [{ means, text: `${scanner} says ${word}` }];
  });
  if (words.every(({ means }) => means === severity)) return;
  const said = [...new Set(words.map(({ text }) => text))].join(', ');
  const scanner = [...new Set(reportedBy.map((report) => report.scanner))].join(', ');
  notes.add('finding.severity_differs', `${said}: ${severity} counts.`, { id, scanner });
}

function distinctReports(members: readonly Finding[]): FindingReport[] {
  const reports = new Map<string, FindingReport>();
  for (const { reportedBy } of members) {
    for (const report of reportedBy) {
      const { scanner, id, severity, score, vector, source, suppressed } = report;
      reports.set(JSON.stringify([scanner, id, severity, score, vector, source, suppressed]), report);
    }
  }
  // The scanner and the id come first in the key, but a quotation mark is no letter.
  return [...reports]
    .sort(
      ([keyA, a], [keyB, b]) =>
        compareTexts(a.scanner, b.scanner) || compareTexts(a.id, b.id) || compareTexts(keyA, keyB),
    )
    .map(([, report]) => report);
}

/** The reasons of all, where nobody counts it. */
function suppressionOf(members: readonly Finding[], reports: readonly FindingReport[]): string | undefined {
  const unreported = members.filter(({ reportedBy }) => reportedBy.length === 0);
  const reasons = [...unreported, ...reports].map(({ suppressed }) => suppressed);
  if (reasons.some((reason) => reason === undefined)) return undefined;
  return [...new Set(reasons as string[])].sort().join('; ');
}

function fullestComponent(members: readonly Finding[]): FindingComponent {
  return members.map(({ component }) => component).reduce((a, b) => (compareComponents(b, a) < 0 ? b : a));
}

/** The one that says most first: a package URL, a version, qualifiers; then by letters. */
function compareComponents(a: FindingComponent, b: FindingComponent): number {
  const says = ({ purl, version }: FindingComponent) =>
    (purl === undefined ? 0 : 10_000 + purl.split(/[?&]/).length * 2) + (version === undefined ? 0 : 1);
  return (
    says(b) - says(a) ||
    compareTexts(a.purl, b.purl) ||
    compareTexts(a.version, b.version) ||
    compareTexts(a.name, b.name)
  );
}

function longestText(texts: readonly string[]): string {
  return texts.reduce((a, b) => (b.length > a.length || (b.length === a.length && b < a) ? b : a));
}

function earlier(day: string | undefined, { published }: Finding): string | undefined {
  return day === undefined || (published !== undefined && published < day) ? published : day;
}

/** The worst first, then by id and component. */
function compareFindings(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    (b.cvss?.score ?? -1) - (a.cvss?.score ?? -1) ||
    compareTexts(a.id, b.id) ||
    compareTexts(a.component.name, b.component.name) ||
    compareTexts(a.component.version, b.component.version) ||
    compareTexts(a.component.purl, b.component.purl)
  );
}
