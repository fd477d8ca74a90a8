import type { ScannerReading, StatedScore } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { snykExploitation } from './exploitation.ts';
import { has, isObject, listOf, type Members, objectOf, textOf, textsOf } from './members.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path, ReadingBuilder } from './reading-builder.ts';
import { type Refusal, refuse } from './scan-issue.ts';
import { managerOfSnykId, snykPurl } from './snyk-purl.ts';
import { statedScore } from './stated-score.ts';

/** `snyk test --json` and `snyk container test --json`: one project, or a list of them; one reading of all. */
export const snykOutput: OutputFormat = {
  name: 'snyk',
  looksLike: (root) =>
    Array.isArray(root)
      ? root.length > 0 && root.every(isProject) && root.some(isScannedProject)
      : isScannedProject(root),
  read: (value) => {
    const reading = new ReadingBuilder('snyk');
    const targets: string[] = [];
    const projects = Array.isArray(value) ? value : [value];
    for (const [index, entry] of projects.entries()) {
      const path = Array.isArray(value) ? [index] : [];
      const project = objectOf(entry);
      if (!isScannedProject(entry)) {
        const reason = textOf(project['error']) ?? 'no reason given';
        reading.skip(path, 'scan.not_scanned', `Snyk could not test a project: ${reason.slice(0, SHOWN_LENGTH)}`);
        continue;
      }
      const refusal = addProject(reading, project, path);
      if (refusal !== undefined) return refusal;
      const name = textOf(project['projectName']) ?? textOf(project['path']);
      if (name !== undefined && !targets.includes(name)) targets.push(name);
    }
    const more = targets.length > SHOWN_TARGETS ? [`and ${targets.length - SHOWN_TARGETS} more`] : [];
    const target = [...targets.slice(0, SHOWN_TARGETS), ...more].join(', ');
    return { ok: true, value: [reading.done({ target })] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

const SHOWN_TARGETS = 5;
const SHOWN_LENGTH = 200;
/** Members that Snyk's projects have and other lists of `vulnerabilities` have not. */
const PROJECT_MEMBERS = ['dependencyCount', 'packageManager', 'projectName', 'licensesPolicy', 'uniqueCount', 'org'];

function isProject(value: unknown): boolean {
  return isScannedProject(value) || (isObject(value) && has(value, 'error') && value['ok'] === false);
}

function isScannedProject(value: unknown): boolean {
  return (
    isObject(value) &&
    has(value, 'vulnerabilities') &&
    // `snyk iac` has the list, too, and never anything in it.
    !has(value, 'infrastructureAsCodeIssues') &&
    PROJECT_MEMBERS.some((name) => has(value, name))
  );
}

function addProject(reading: ReadingBuilder, project: Members, path: Path): Refusal | undefined {
  const { vulnerabilities, packageManager, filtered, applications } = project;
  if (vulnerabilities !== null && !Array.isArray(vulnerabilities)) {
    const message = `Snyk's list of vulnerabilities is ${kindOf(vulnerabilities)}.`;
    return refuse('scan.list_invalid', message, { path: `/${[...path, 'vulnerabilities'].join('/')}` });
  }
  let licences = 0;
  const addAll = (list: unknown, at: Path, suppressed?: string) => {
    for (const [index, entry] of reading.list(list, at).entries()) {
      if (isLicence(entry)) licences++;
      else addVulnerability(reading, entry, [...at, index], packageManager, suppressed);
    }
  };
  addAll(vulnerabilities, [...path, 'vulnerabilities']);
  const { ignore, patch } = objectOf(filtered);
  addAll(ignore, [...path, 'filtered', 'ignore'], 'ignored in Snyk');
  addAll(patch, [...path, 'filtered', 'patch'], 'patched by Snyk');
  reading.skip(
    [...path, 'vulnerabilities'],
    'scan.other_kind',
    'Licence issues, which are no vulnerabilities.',
    licences,
  );
  // The programs in an image, each a project of its own.
  for (const [index, application] of reading.list(applications, [...path, 'applications']).entries()) {
    const members = reading.object(application, [...path, 'applications', index]);
    const refusal = members && addProject(reading, members, [...path, 'applications', index]);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function isLicence(entry: unknown): boolean {
  const { type, id } = objectOf(entry);
  return type === 'license' || textOf(id)?.startsWith('snyk:lic:') === true;
}

function addVulnerability(
  reading: ReadingBuilder,
  value: unknown,
  path: Path,
  projectManager: unknown,
  suppressed?: string,
): void {
  const entry = reading.object(value, path);
  if (entry === undefined) return;
  const { name, version } = packageOf(entry);
  const manager = textOf(entry['packageManager']) ?? textOf(projectManager) ?? managerOfSnykId(textOf(entry['id']));
  reading.add(path, {
    id: entry['id'],
    aliases: [...Object.values(objectOf(entry['identifiers'])).flatMap(textsOf), ...textsOf(entry['alternativeIds'])],
    // What stood here before Snyk had `critical` is `high` for both.
    severity: entry['severityWithCritical'] ?? entry['severity'],
    scores: scoresOf(entry),
    name,
    version,
    purl: snykPurl(manager, name, textOf(version)),
    fixedInVersions: [
      ...textsOf(entry['fixedIn']),
      ...[textOf(entry['nearestFixedInVersion'])].filter((version) => version !== undefined),
    ],
    description: textOf(entry['title']) ?? entry['description'],
    published: entry['disclosureTime'] ?? entry['publicationTime'],
    suppressed: ignoredBecause(entry) ?? suppressed,
    exploited: snykExploitation(entry['exploitDetails']),
  });
}

/** Of code that no package manager brought, name and version stand in one: `https://example.org|cpio@2.12`. */
const UNMANAGED = /^[a-z]+:\/\/[^|]*\|(.+)@([^@]+)$/;

function packageOf({ name, packageName, moduleName, version }: Members) {
  const text = textOf(name) ?? textOf(packageName) ?? textOf(moduleName);
  const [, unmanaged, number] = UNMANAGED.exec(version === undefined ? (text ?? '') : '') ?? [];
  return unmanaged === undefined ? { name: text, version } : { name: unmanaged, version: number };
}

function scoresOf(entry: Members): StatedScore[] {
  const own = statedScore(entry['CVSSv3'] ?? entry['CVSSv4'], entry['cvssScore'], 'snyk');
  const sources = listOf(entry['cvssSources']).flatMap((source) => {
    const { vector, baseScore, assigner } = objectOf(source);
    return statedScore(vector, baseScore, textOf(assigner)?.toLowerCase());
  });
  const details = listOf(entry['cvssDetails']).flatMap((detail) => {
    const { cvssV3Vector, cvssV3BaseScore, assigner } = objectOf(detail);
    return statedScore(cvssV3Vector, cvssV3BaseScore, textOf(assigner)?.toLowerCase());
  });
  return [...(own.length > 0 ? own : statedScore(undefined, entry['cvssScore'], 'snyk')), ...sources, ...details];
}

/** What `.snyk` or a person says of it, where Snyk lists it all the same. */
function ignoredBecause(entry: Members): string | undefined {
  const { ignored, patches } = objectOf(entry['filtered']);
  if (listOf(ignored).length > 0) {
    const reasons = listOf(ignored).map((rule) => textOf(objectOf(rule)['reason']));
    return ['ignored in Snyk', ...reasons.filter((reason) => reason !== undefined)].join(': ');
  }
  if (listOf(patches).length > 0) return 'patched by Snyk';
  return entry['isIgnored'] === true ? 'ignored in Snyk' : undefined;
}
