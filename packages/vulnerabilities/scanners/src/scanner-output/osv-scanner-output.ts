import type { ScannerReading } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { osvFixedVersions } from './fixed-versions.ts';
import { has, isObject, listOf, type Members, objectOf, textOf, textsOf } from './members.ts';
import { osvPurl } from './osv-purl.ts';
import { osvDescription, osvIds, osvScores, osvSeverity, osvWithdrawn } from './osv-record.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path, ReadingBuilder } from './reading-builder.ts';
import { refuse } from './scan-issue.ts';
import { statedScore } from './stated-score.ts';

/** Members that stand beside `results`; other programs have `results` too. */
const ROOT_MEMBERS =
  /^(?:results|experimental_.+|license_summary|image_metadata|generic_findings|plugin_statuses|packages_scanned)$/;

/** `osv-scanner --format json`. */
export const osvScannerOutput: OutputFormat = {
  name: 'osv-scanner',
  looksLike: (root) => {
    if (!isObject(root) || !has(root, 'results') || !Object.keys(root).every((name) => ROOT_MEMBERS.test(name))) {
      return false;
    }
    const { results } = root;
    return !Array.isArray(results) || results.every((entry) => !isObject(entry) || has(entry, 'packages'));
  },
  read: (value) => {
    const { results, image_metadata: image, experimental_generic_findings: generic } = objectOf(value);
    if (results !== null && !Array.isArray(results)) {
      return refuse('scan.list_invalid', `osv-scanner's list of results is ${kindOf(results)}.`, { path: '/results' });
    }
    const reading = new ReadingBuilder('osv-scanner');
    const sources = new Set<string>();
    for (const [index, entry] of listOf(results).entries()) {
      const result = reading.object(entry, ['results', index]);
      if (result === undefined) continue;
      const { source, packageSource, packages } = result;
      const path = textOf(objectOf(source ?? packageSource)['path']);
      if (path !== undefined) sources.add(path);
      for (const [at, found] of reading.list(packages, ['results', index, 'packages']).entries()) {
        addPackage(reading, found, ['results', index, 'packages', at]);
      }
    }
    const others = listOf(generic).length;
    const path = ['experimental_generic_findings'];
    reading.skip(path, 'scan.other_kind', 'Findings of other checks, which are no vulnerabilities.', others);
    const target = textOf(objectOf(image)['name']) ?? [...sources].slice(0, SHOWN_SOURCES).join(', ');
    return { ok: true, value: [reading.done({ target })] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

const SHOWN_SOURCES = 5;

function addPackage(reading: ReadingBuilder, value: unknown, path: Path): void {
  const found = reading.object(value, path);
  if (found === undefined) return;
  const component = componentOf(objectOf(found['package'] ?? found['Package']));
  const records = reading.list(found['vulnerabilities'], [...path, 'vulnerabilities']);
  const byId = new Map<string, Members>();
  const byAlias = new Map<string, Members>();
  const places = new Map<Members, number>();
  for (const [index, record] of records.entries()) {
    const members = reading.object(record, [...path, 'vulnerabilities', index]);
    if (members === undefined) continue;
    places.set(members, index);
    const id = textOf(members['id']);
    if (id !== undefined) byId.set(id, members);
    for (const alias of textsOf(members['aliases'])) byAlias.set(alias, members);
  }
  const grouped = new Set<Members>();
  for (const [index, value] of reading.list(found['groups'], [...path, 'groups']).entries()) {
    const group = reading.object(value, [...path, 'groups', index]);
    if (group === undefined) continue;
    const own = textsOf(group['ids'])
      .map((id) => byId.get(id) ?? byAlias.get(id))
      // A record that stands in two groups counts in the first.
      .filter((record) => record !== undefined && !grouped.has(record)) as Members[];
    for (const record of own) grouped.add(record);
    addGroup(reading, [...path, 'groups', index], component, own, group);
  }
  // Outputs of older versions, and of those who wrote their own, may have records that stand in no group.
  for (const [record, index] of places) {
    if (!grouped.has(record)) addGroup(reading, [...path, 'vulnerabilities', index], component, [record], {});
  }
  const licences = listOf(found['license_violations']).length;
  const at = [...path, 'license_violations'];
  reading.skip(at, 'scan.other_kind', 'Licences that are not allowed, which are no vulnerabilities.', licences);
}

type Component = { name: string | undefined; version: string | undefined; purl: unknown };

/** A commit without a package is its own name. */
function componentOf({ name, version, commit, ecosystem, purl }: Members): Component {
  const hash = textOf(commit);
  const names = textOf(name) ?? hash;
  const number = textOf(version) ?? hash;
  return { name: names, version: number, purl: purl ?? osvPurl(textOf(ecosystem), textOf(name), textOf(version)) };
}

/** Records whose ids are names of one another: one vulnerability. */
function addGroup(
  reading: ReadingBuilder,
  path: Path,
  component: Component,
  records: readonly Members[],
  group: Members,
): void {
  const ids = textsOf(group['ids']);
  const [id] = ids.length > 0 ? ids : records.flatMap(osvIds);
  const scores = records.flatMap(osvScores);
  reading.add(path, {
    ...component,
    id,
    aliases: [...ids, ...textsOf(group['aliases']), ...records.flatMap(osvIds)],
    severity: records.map(osvSeverity).find((severity) => severity !== undefined),
    // Computed by osv-scanner from the same vectors, where it has them.
    scores: scores.length > 0 ? scores : statedScore(undefined, group['max_severity'], 'osv-scanner'),
    fixedInVersions: records.flatMap((record) => osvFixedVersions(record['affected'], component.name)),
    description: records.map(osvDescription).find((text) => text !== undefined),
    published: records.map(({ published }) => textOf(published)).find((text) => text !== undefined),
    suppressed: suppressedBecause(records, group),
  });
}

function suppressedBecause(records: readonly Members[], group: Members): string | undefined {
  const withdrawn = records.map(osvWithdrawn);
  if (withdrawn.length > 0 && withdrawn.every((reason) => reason !== undefined)) return withdrawn[0];
  const analyses = Object.values(objectOf(group['experimental_analysis'] ?? group['experimentalAnalysis'])).map(
    objectOf,
  );
  if (analyses.length === 0) return undefined;
  if (analyses.every(({ called }) => called === false)) return 'the vulnerable code is not called';
  return analyses.every(({ unimportant }) => unimportant === true) ? 'unimportant to the distribution' : undefined;
}
