import type { ScannerReading, StatedScore } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { fixedVersions } from './fixed-versions.ts';
import { has, isObject, listOf, type Members, objectOf, textOf, textsOf } from './members.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path, ReadingBuilder } from './reading-builder.ts';
import { type Refusal, refuse } from './scan-issue.ts';
import { statedScore } from './stated-score.ts';
import { type TrivySystem, trivyPurl } from './trivy-purl.ts';

/** `trivy --format json` since 0.20: one object with `Results`, which is left out where there are none. */
export const trivyOutput: OutputFormat = {
  name: 'trivy',
  looksLike: (root) =>
    isObject(root) &&
    !has(root, 'ClusterName') &&
    (has(root, 'SchemaVersion') || has(root, 'Results')) &&
    (has(root, 'ArtifactName') || has(root, 'ArtifactType') || has(root, 'Results')),
  read: (value) => {
    const root = objectOf(value);
    const reading = new ReadingBuilder('trivy');
    const refusal = addReport(reading, root, []);
    if (refusal !== undefined) return refusal;
    return done(reading, root, root['ArtifactName']);
  },
};

/** Trivy before 0.20: a list of results, and `null` where there are none. */
export const trivyLegacyOutput: OutputFormat = {
  name: 'trivy before 0.20',
  looksLike: (root) =>
    Array.isArray(root) && root.length > 0 && root.every((entry) => isObject(entry) && has(entry, 'Target')),
  read: (value) => {
    const reading = new ReadingBuilder('trivy');
    const results = listOf(value);
    for (const [index, result] of results.entries()) addResult(reading, result, [index], {});
    const [only] = results;
    return done(reading, {}, results.length === 1 ? objectOf(only)['Target'] : undefined);
  },
};

/** `trivy k8s --format json`: the results of every resource of a cluster. */
export const trivyClusterOutput: OutputFormat = {
  name: 'trivy k8s',
  looksLike: (root) =>
    isObject(root) &&
    has(root, 'ClusterName') &&
    ['Resources', 'Vulnerabilities', 'Misconfigurations', 'Findings', 'RBACAssessment'].some((name) => has(root, name)),
  read: (value) => {
    const root = objectOf(value);
    const reading = new ReadingBuilder('trivy');
    // Older reports have a list for each kind of check, newer ones one of all resources.
    for (const list of ['Resources', 'Findings', 'Vulnerabilities', 'Misconfigurations', 'RBACAssessment']) {
      for (const [index, resource] of reading.list(root[list], [list]).entries()) {
        const members = reading.object(resource, [list, index]);
        if (members === undefined) continue;
        const failure = textOf(members['Error']);
        if (failure !== undefined) {
          const message = `trivy could not look at a resource: ${failure.slice(0, SHOWN_REASON)}`;
          reading.skip([list, index], 'scan.not_scanned', message);
        }
        const refusal = addReport(reading, members, [list, index]);
        if (refusal !== undefined) return refusal;
      }
    }
    return done(reading, root, root['ClusterName']);
  },
};

const SHOWN_REASON = 200;

function done(reading: ReadingBuilder, root: Members, target: unknown): ParseResult<readonly ScannerReading[]> {
  const version = objectOf(root['Trivy'])['Version'];
  return { ok: true, value: [reading.done({ version, scannedAt: root['CreatedAt'], target })] };
}

function addReport(reading: ReadingBuilder, report: Members, path: Path): Refusal | undefined {
  const { Results: results, Metadata: metadata } = report;
  if (results !== undefined && results !== null && !Array.isArray(results)) {
    const message = `trivy's list of results is ${kindOf(results)}.`;
    return refuse('scan.list_invalid', message, { path: `/${[...path, 'Results'].join('/')}` });
  }
  const system = systemOf(metadata);
  for (const [index, result] of listOf(results).entries())
    addResult(reading, result, [...path, 'Results', index], system);
  return undefined;
}

function systemOf(metadata: unknown): TrivySystem {
  // A resource of a cluster has a list of them since trivy 0.50: one for each of its images.
  const { Family: family, Name: release } = objectOf(objectOf(listOf(metadata)[0] ?? metadata)['OS']);
  return { family: textOf(family), release: textOf(release) };
}

/** What a result may hold beside vulnerabilities. */
const OTHER_KINDS: ReadonlyArray<readonly [member: string, words: string]> = [
  ['Misconfigurations', 'Misconfigurations, which are no vulnerabilities of a component.'],
  ['Secrets', 'Secrets, which are no vulnerabilities of a component.'],
  ['Licenses', 'Licences, which are no vulnerabilities.'],
  ['CustomResources', 'Resources of custom checks, which are no vulnerabilities.'],
];

function addResult(reading: ReadingBuilder, value: unknown, path: Path, system: TrivySystem): void {
  const result = reading.object(value, path);
  if (result === undefined) return;
  const { Vulnerabilities: found, ExperimentalModifiedFindings: modified, Type: type } = result;
  for (const [index, entry] of reading.list(found, [...path, 'Vulnerabilities']).entries()) {
    addVulnerability(reading, entry, [...path, 'Vulnerabilities', index], type, system);
  }
  const others = new Map<string, number>();
  for (const [index, entry] of reading.list(modified, [...path, 'ExperimentalModifiedFindings']).entries()) {
    const { Type: kind, Finding: finding, Status: status, Statement: statement, Source: source } = objectOf(entry);
    if (kind !== undefined && kind !== 'vulnerability') {
      others.set('ExperimentalModifiedFindings', (others.get('ExperimentalModifiedFindings') ?? 0) + 1);
      continue;
    }
    const words = [textOf(status) ?? 'ignored', textOf(statement)].filter((word) => word !== undefined);
    const by = textOf(source);
    const reason = `${words.join(': ')}${by === undefined ? '' : ` (${by})`}`;
    const at = [...path, 'ExperimentalModifiedFindings', index, 'Finding'];
    addVulnerability(reading, finding, at, type, system, reason);
  }
  const suppressed = others.get('ExperimentalModifiedFindings') ?? 0;
  const at = [...path, 'ExperimentalModifiedFindings'];
  reading.skip(at, 'scan.other_kind', 'Suppressed findings that are no vulnerabilities.', suppressed);
  for (const [member, words] of OTHER_KINDS) {
    reading.skip([...path, member], 'scan.other_kind', words, listOf(result[member]).length);
  }
}

function addVulnerability(
  reading: ReadingBuilder,
  value: unknown,
  path: Path,
  type: unknown,
  system: TrivySystem,
  suppressed?: string,
): void {
  const entry = reading.object(value, path);
  if (entry === undefined) return;
  const name = textOf(entry['PkgName']);
  const version = textOf(entry['InstalledVersion']);
  reading.add(path, {
    id: entry['VulnerabilityID'],
    aliases: textsOf(entry['VendorIDs']),
    severity: entry['Severity'],
    scores: trivyScores(entry['CVSS']),
    name: entry['PkgName'],
    version: entry['InstalledVersion'],
    purl: objectOf(entry['PkgIdentifier'])['PURL'] ?? trivyPurl(type, name, version, system),
    fixedInVersions: fixedVersions(textOf(entry['FixedVersion'])),
    description: entry['Description'] ?? entry['Title'],
    published: entry['PublishedDate'],
    suppressed,
  });
}

/** Scores by who gave them. */
export function trivyScores(cvss: unknown): StatedScore[] {
  return Object.entries(objectOf(cvss)).flatMap(([source, rating]) => {
    const { V40Vector, V40Score, V3Vector, V3Score, V2Vector, V2Score } = objectOf(rating);
    return [
      ...statedScore(V40Vector, V40Score, source),
      ...statedScore(V3Vector, V3Score, source),
      ...statedScore(V2Vector, V2Score, source),
    ];
  });
}
