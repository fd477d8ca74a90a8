import { compareTexts } from '@colophon/notation';
import type { Finding, FindingComponent, FindingReport } from '@colophon/records';
import { SEVERITIES, type Severity } from '@colophon/records';
import { AliasGroups } from './alias-groups.ts';
import { ofAllBuilds } from './build-qualifier.ts';
import { type ComponentIdentity, normaliseVersion } from './component-identity.ts';
import type { ComponentIndex } from './component-index.ts';
import { cvssOf, FINDING_MEMBERS, type Reading, sortedTexts } from './read-reported.ts';
import { type Candidate, chooseScore, isFarBelow, isHeard, type ScoreBook } from './score-choice.ts';
import { severityOfScore, severityOfWord, worstSeverity } from './severity.ts';
import { compareIds, idKey, isCve } from './vulnerability-id.ts';

/**
 * Findings of any number of scanners with each vulnerability of a component once. Their order says nothing, and merging
 * what was merged changes nothing.
 */
export function mergeFindings(findings: readonly Finding[], reading: Reading): Finding[] {
  const groups = new AliasGroups();
  for (const finding of findings) groups.add(finding);
  const buckets = new BucketMap(reading.memory.components);
  for (const finding of findings) {
    for (const id of groups.resolve(finding.id)) buckets.add(id, finding);
  }
  buckets.joinIncomplete();
  return buckets
    .list()
    .map(({ id, members }) => {
      const finding = combine(id, members, groups, reading);
      if (finding.reportedBy.length > 1) noteDisagreement(finding, reading);
      return finding;
    })
    .sort(compareFindings);
}

/** What is said of one vulnerability in one component. */
type Bucket = { readonly id: string; readonly identity: ComponentIdentity; readonly members: Finding[] };

class BucketMap {
  /** By the key of an id, then by component. */
  readonly #buckets = new Map<string, Map<string, Bucket>>();
  readonly #components: ComponentIndex;

  constructor(components: ComponentIndex) {
    this.#components = components;
  }

  add(id: string, finding: Finding): void {
    const { identity, key: where } = this.#components.of(finding.component);
    const key = idKey(id);
    let byComponent = this.#buckets.get(key);
    if (byComponent === undefined) {
      byComponent = new Map();
      this.#buckets.set(key, byComponent);
    }
    const bucket = byComponent.get(where);
    if (bucket === undefined) byComponent.set(where, { id, identity, members: [finding] });
    else bucket.members.push(finding);
  }

  /**
   * A component without package URL or version is the only one with a package URL and a version that it can be, where
   * the same vulnerability is listed there. Where it can be several, it stays by itself.
   */
  joinIncomplete(): void {
    for (const byComponent of this.#buckets.values()) {
      const incomplete = [...byComponent].filter(([, bucket]) => !isComplete(bucket));
      if (incomplete.length === 0 || incomplete.length === byComponent.size) continue;
      const complete = completeBuckets([...byComponent.values()].filter(isComplete));
      for (const [where, { identity, members }] of incomplete) {
        const [only, ...others] = complete(identity);
        if (only === undefined || others.length > 0) continue;
        for (const member of members) only.members.push(member);
        byComponent.delete(where);
      }
    }
  }

  list(): Bucket[] {
    return [...this.#buckets.values()].flatMap((byComponent) => [...byComponent.values()]);
  }
}

function isComplete({ identity }: Bucket): boolean {
  return identity.package !== undefined && identity.version !== undefined;
}

/** Finds those that something incomplete can be; each is looked up and none searched for, as there may be 100,000. */
function completeBuckets(buckets: readonly Bucket[]): (incomplete: ComponentIdentity) => readonly Bucket[] {
  const found = new Map<string, Bucket[]>();
  const keep = (key: string, bucket: Bucket) => {
    const known = found.get(key);
    if (known === undefined) found.set(key, [bucket]);
    else known.push(bucket);
  };
  for (const bucket of buckets) {
    const { package: known, version, names } = bucket.identity;
    keep(`package\0${known}`, bucket);
    for (const name of names) {
      keep(`name\0${name}`, bucket);
      keep(`version\0${name}\0${version}`, bucket);
    }
  }
  return ({ package: known, version, names: [name] }) => {
    if (known !== undefined) return found.get(`package\0${known}`) ?? [];
    if (version === undefined) return found.get(`name\0${name}`) ?? [];
    // As each kind of package would write it.
    const versions = new Set(KINDS.map((kind) => normaliseVersion(kind, version)));
    const named = [...versions].flatMap((one) => found.get(`version\0${name}\0${one}`) ?? []);
    return named.filter(({ identity }) => normaliseVersion(kindOf(identity), version) === identity.version);
  };
}

/** One of each way to write versions. */
const KINDS = ['', 'golang', 'deb'];

function kindOf(identity: ComponentIdentity): string {
  return identity.package?.split('/')[0] ?? '';
}

function combine(id: string, members: readonly Finding[], groups: AliasGroups, reading: Reading): Finding {
  const { scores, components } = reading.memory;
  const name = isCve(id) ? id : groups.spelling(id);
  const [first] = members as [Finding];
  const isAlone = members.length === 1;
  if (isAlone && isFinished(first, name, groups)) return first;
  const aliases = otherNames(name, members, groups);
  const reportedBy = isAlone && first.reportedBy.length < 2 ? first.reportedBy : distinctReports(members);
  const words = worstSeverity(wordsOf(members));
  const chosen = chooseScore(members.flatMap((one) => candidatesOf(one, scores)));
  const cvss = chosen === undefined || !isHeard(chosen, words) ? undefined : cvssOf(chosen);
  const published = members.reduce<string | undefined>(earlier, undefined);
  const suppressed = suppressionOf(members, reportedBy);
  return {
    id: name,
    severity: cvss === undefined ? words : severityOfScore(cvss.score),
    ...(cvss === undefined ? {} : { cvss }),
    component: isAlone ? first.component : fullestComponent(members, components),
    fixedInVersions: isAlone ? first.fixedInVersions : sortedTexts(members.flatMap((one) => one.fixedInVersions)),
    description: isAlone ? first.description : longestText(members.map(({ description }) => description)),
    aliases,
    ...(published === undefined ? {} : { published }),
    reportedBy,
    ...(suppressed === undefined ? {} : { suppressed }),
  };
}

function otherNames(name: string, members: readonly Finding[], groups: AliasGroups): readonly string[] {
  const names = new Set<string>();
  for (const { id, aliases } of members) {
    if (id !== name) names.add(groups.spelling(id));
    for (const alias of aliases) names.add(groups.spelling(alias));
  }
  names.delete(name);
  return [...names].sort(compareIds);
}

/** Of most findings there is nothing to decide any more. */
function isFinished(finding: Finding, name: string, groups: AliasGroups): boolean {
  const { id, cvss, aliases, reportedBy } = finding;
  return (
    id === name &&
    cvss !== undefined &&
    cvss.score > 0 &&
    reportedBy.length === 1 &&
    reportedBy[0]?.suppressed === finding.suppressed &&
    aliases.every((alias) => groups.spelling(alias) === alias) &&
    Object.keys(finding).every((member) => FINDING_MEMBERS.has(member))
  );
}

/** What each reporter's score is worth, and the finding's own where it has one that none of them stated. */
function candidatesOf({ cvss, reportedBy }: Pick<Finding, 'cvss' | 'reportedBy'>, scores: ScoreBook): Candidate[] {
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

/** Scanners need not agree: where nobody scored it a word decides, and a score may lie far below another scanner's. */
function noteDisagreement({ id, severity, cvss, reportedBy }: Finding, { notes, memory }: Reading): void {
  const words = reportedBy.flatMap(({ scanner, severity: word = '' }) => {
    const means = severityOfWord(word) ?? 'unknown';
    return means === 'unknown' ? [] : [{ means, text: `${scanner} says ${word}` }];
  });
  const scores = reportedBy.flatMap((report) =>
    candidatesOf({ reportedBy: [report] }, memory.scores).map(({ score }) => {
      const { scanner } = report;
      return { means: severityOfScore(score), text: `${scanner} says ${score}` };
    }),
  );
  const scanners = [...new Set(reportedBy.map((report) => report.scanner))];
  // Of one scanner's own scores it was said when its entry was read.
  const differing =
    cvss === undefined
      ? words.filter(({ means }) => means !== severity)
      : scanners.length > 1
        ? [...words, ...scores].filter(({ means }) => isFarBelow(severity, means))
        : [];
  if (differing.length === 0) return;
  const said = [...new Set((cvss === undefined ? words : differing).map(({ text }) => text))].join(', ');
  notes.add('finding.severity_differs', `${said}: ${severity} counts.`, { id, scanner: scanners.join(', ') });
}

function distinctReports(members: readonly Finding[]): FindingReport[] {
  const sorted = members.flatMap(({ reportedBy }) => reportedBy).sort(compareReports);
  return sorted.filter(
    (report, index) => index === 0 || compareReports(report, sorted[index - 1] as FindingReport) !== 0,
  );
}

function compareReports(a: FindingReport, b: FindingReport): number {
  return (
    compareTexts(a.scanner, b.scanner) ||
    compareTexts(a.id, b.id) ||
    compareTexts(a.severity, b.severity) ||
    (a.score ?? -1) - (b.score ?? -1) ||
    compareTexts(a.vector, b.vector) ||
    compareTexts(a.source, b.source) ||
    compareTexts(a.suppressed, b.suppressed) ||
    compareTexts(a.exploited, b.exploited)
  );
}

/** The reasons of all, where nobody counts it. */
function suppressionOf(members: readonly Finding[], reports: readonly FindingReport[]): string | undefined {
  const unreported = members.filter(({ reportedBy }) => reportedBy.length === 0);
  const reasons = [...unreported, ...reports].map(({ suppressed }) => suppressed);
  if (reasons.some((reason) => reason === undefined)) return undefined;
  return [...new Set(reasons as string[])].sort().join('; ');
}

/** The one that says most: a package URL, a version, qualifiers; of equals the first by letters. It stands for all builds. */
function fullestComponent(members: readonly Finding[], components: ComponentIndex): FindingComponent {
  // With a package URL and a version it is what it was taken for, also when it is read again.
  const saidBy = (component: FindingComponent) => {
    const { package: known, version } = components.of(component).identity;
    const qualifiers = Math.min(component.purl?.split(/[?&]/).length ?? 0, 1_000);
    const stated = component.version === undefined ? 0 : 1;
    return (known === undefined ? 0 : 20_000) + (version === undefined ? 0 : 10_000) + qualifiers * 2 + stated;
  };
  const compare = (a: FindingComponent, b: FindingComponent) =>
    a.purl === b.purl && a.version === b.version && a.name === b.name
      ? 0
      : saidBy(b) - saidBy(a) ||
        compareTexts(a.purl, b.purl) ||
        compareTexts(a.version, b.version) ||
        compareTexts(a.name, b.name);
  const all = members.map(({ component }) => component);
  return ofAllBuilds(
    all.reduce((a, b) => (compare(b, a) < 0 ? b : a)),
    all,
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
