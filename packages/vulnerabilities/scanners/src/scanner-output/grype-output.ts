import type { ScannerReading, StatedScore } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { grypeExploitation } from './exploitation.ts';
import { fixedVersions } from './fixed-versions.ts';
import { has, isObject, listOf, type Members, objectOf, textOf, textsOf } from './members.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path, ReadingBuilder } from './reading-builder.ts';
import { refuse } from './scan-issue.ts';
import { statedScore } from './stated-score.ts';

/** `grype -o json`. */
export const grypeOutput: OutputFormat = {
  name: 'grype',
  looksLike: (root) =>
    isObject(root) &&
    has(root, 'matches') &&
    // Others are made as grype is, and write what it writes.
    (textOf(objectOf(root['descriptor'])['name']) ?? 'grype') === 'grype' &&
    (has(root, 'descriptor') ||
      has(root, 'source') ||
      has(root, 'distro') ||
      Object.keys(root).every((name) => name === 'matches' || name === 'ignoredMatches')),
  read: readGrype,
};

function readGrype(value: unknown): ParseResult<readonly ScannerReading[]> {
  const root = objectOf(value);
  const { matches, ignoredMatches, alertsByPackage, descriptor, source } = root;
  if (matches !== null && !Array.isArray(matches)) {
    return refuse('scan.list_invalid', `grype's list of matches is ${kindOf(matches)}.`, { path: '/matches' });
  }
  const reading = new ReadingBuilder('grype');
  for (const [index, match] of listOf(matches).entries()) addMatch(reading, match, ['matches', index]);
  for (const [index, match] of reading.list(ignoredMatches, ['ignoredMatches']).entries()) {
    addMatch(reading, match, ['ignoredMatches', index], ignoredBecause(objectOf(match)['appliedIgnoreRules']));
  }
  addAlerts(reading, listOf(alertsByPackage));

  const { version, timestamp, db } = objectOf(descriptor);
  const { built, status } = objectOf(db);
  // What a grype that was built without a version says of it.
  const known = version === '[not provided]' ? undefined : version;
  const facts = { version: known, scannedAt: timestamp, databaseBuiltAt: objectOf(status)['built'] ?? built };
  return { ok: true, value: [reading.done({ ...facts, target: targetOf(objectOf(source)['target']) })] };
}

function addMatch(reading: ReadingBuilder, value: unknown, path: Path, suppressed?: string): void {
  const match = reading.object(value, path);
  if (match === undefined) return;
  const vulnerability = objectOf(match['vulnerability']);
  const artifact = objectOf(match['artifact']);
  const related = listOf(match['relatedVulnerabilities']).map(objectOf);
  reading.add(path, {
    id: vulnerability['id'],
    aliases: related.map(({ id }) => id),
    severity: vulnerability['severity'],
    scores: [vulnerability, ...related].flatMap(scoresOf),
    name: artifact['name'],
    version: artifact['version'],
    purl: artifact['purl'],
    // One version, as grype wrote it before 0.10.
    fixedInVersions: [
      ...textsOf(objectOf(vulnerability['fix'])['versions']),
      ...fixedVersions(textOf(vulnerability['fixedInVersion'])),
    ],
    // A distribution's record often has no text of its own.
    description: vulnerability['description'] ?? related.map(({ description }) => textOf(description)).find(Boolean),
    suppressed,
    exploited: [vulnerability, ...related].flatMap(grypeExploitation),
  });
}

/** Of a name in a message. */
const SHOWN_LENGTH = 80;
/** Grype lists nothing of a package whose distribution it does not know, and says so here alone. */
const BLIND: ReadonlySet<unknown> = new Set(['distro-unknown', 'distro-disabled']);

function addAlerts(reading: ReadingBuilder, packages: readonly unknown[]): void {
  let others = 0;
  for (const [index, entry] of packages.entries()) {
    const { package: about, alerts } = objectOf(entry);
    const blind = listOf(alerts)
      .map(objectOf)
      .find(({ type }) => BLIND.has(type));
    if (blind === undefined) {
      others += 1;
      continue;
    }
    const [name, purl] = ['name', 'purl'].map((member) => textOf(objectOf(about)[member]));
    const component = name === undefined ? undefined : { name, ...(purl !== undefined && { purl }) };
    const message = `Grype knows no vulnerabilities of the distribution of ${(name ?? 'a package').slice(0, SHOWN_LENGTH)}.`;
    reading.skip(['alertsByPackage', index], 'scan.not_scanned', message, component);
  }
  reading.skip(['alertsByPackage'], 'scan.other_kind', 'Alerts about packages, which are no vulnerabilities.', others);
}

function scoresOf({ cvss, cvssV2, cvssV3, namespace }: Members): StatedScore[] {
  const scores = listOf(cvss).flatMap((entry) => {
    const { vector, metrics, source } = objectOf(entry);
    return statedScore(vector, objectOf(metrics)['baseScore'], textOf(source) ?? namespace);
  });
  // As grype wrote them before 0.10.
  for (const old of [cvssV2, cvssV3].map(objectOf)) {
    scores.push(...statedScore(old['vector'], old['baseScore'], namespace));
  }
  return scores;
}

function ignoredBecause(rules: unknown): string {
  const reasons = listOf(rules).map((entry) => {
    const rule = objectOf(entry);
    const status = textOf(rule['vex-status']);
    const justification = textOf(rule['vex-justification']);
    const vex =
      status === undefined ? [] : [`VEX: ${status}${justification === undefined ? '' : `, ${justification}`}`];
    return [...vex, ...[textOf(rule['reason'])].filter((reason) => reason !== undefined)].join(': ');
  });
  return [...new Set(reasons.filter((reason) => reason !== ''))].join('; ') || 'an ignore rule of grype';
}

function targetOf(target: unknown): unknown {
  if (!isObject(target)) return target;
  return target['userInput'] ?? target['path'] ?? target['name'];
}
