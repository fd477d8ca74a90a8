import type { ScannerReading } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { snykExploitation } from './exploitation.ts';
import { has, isObject, listOf, type Members, objectOf, textOf } from './members.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path, ReadingBuilder } from './reading-builder.ts';
import { refuse } from './scan-issue.ts';
import { managerOfSnykId, snykPurl } from './snyk-purl.ts';
import { statedScore } from './stated-score.ts';

/** What Snyk's REST API answers for the issues of an organisation or a group (JSON:API). */
export const snykIssuesOutput: OutputFormat = {
  name: 'snyk issues',
  looksLike: (root) => {
    if (!isObject(root) || !has(root, 'jsonapi') || !has(root, 'data')) return false;
    const { data } = root;
    return !Array.isArray(data) || data.every((entry) => !isObject(entry) || entry['type'] === 'issue');
  },
  read: (value) => {
    const { data, links } = objectOf(value);
    if (data !== null && !Array.isArray(data)) {
      return refuse('scan.list_invalid', `Snyk's list of issues is ${kindOf(data)}.`, { path: '/data' });
    }
    const reading = new ReadingBuilder('snyk');
    const others = new Map<string, number>();
    for (const [index, entry] of listOf(data).entries()) {
      const issue = reading.object(entry, ['data', index]);
      if (issue === undefined) continue;
      const attributes = objectOf(issue['attributes']);
      const type = textOf(attributes['type']) ?? 'package_vulnerability';
      if (type === 'package_vulnerability') addIssue(reading, attributes, ['data', index]);
      else others.set(type, (others.get(type) ?? 0) + 1);
    }
    for (const [type, count] of others) {
      const message = `Issues of the type \`${type.slice(0, 40)}\`, which are no vulnerabilities of a component.`;
      reading.skip(['data'], 'scan.other_kind', message, count);
    }
    if (isLink(objectOf(links)['next'])) {
      reading.skip(['links', 'next'], 'scan.incomplete', 'This is one page of several: the next one is another file.');
    }
    return { ok: true, value: [reading.done({})] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

function isLink(value: unknown): boolean {
  return textOf(value) !== undefined || isObject(value);
}

function addIssue(reading: ReadingBuilder, attributes: Members, path: Path): void {
  const problems = listOf(attributes['problems']).map((problem) => objectOf(problem)['id']);
  const key = textOf(attributes['key']);
  const manager = managerOfSnykId(key);
  const representations = reading
    .list(attributes['coordinates'], [...path, 'attributes', 'coordinates'])
    .flatMap((coordinate) => listOf(objectOf(coordinate)['representations']));
  const components = representations.flatMap((each): Component[] => {
    const { dependency, package: own } = objectOf(each);
    if (isObject(dependency)) return [{ name: dependency['package_name'], version: dependency['package_version'] }];
    // The issues of one package, which Snyk was asked for by its package URL.
    return isObject(own) ? [{ name: own['name'], version: own['version'], purl: own['url'] }] : [];
  });
  const scores = listOf(attributes['severities']).flatMap((entry) => {
    const { vector, score, source } = objectOf(entry);
    return statedScore(vector, score, textOf(source)?.toLowerCase());
  });
  // An issue that names no package is listed as unread, not left out.
  for (const { name, version, purl } of components.length > 0 ? components : [{}]) {
    reading.add(path, {
      id: key ?? problems.find((id) => textOf(id) !== undefined),
      aliases: problems,
      severity: attributes['effective_severity_level'],
      scores,
      name,
      version,
      purl: purl ?? snykPurl(manager, textOf(name), textOf(version)),
      description: attributes['title'],
      suppressed: closedBecause(attributes),
      exploited: snykExploitation(attributes['exploit_details']),
    });
  }
}

type Component = { readonly name?: unknown; readonly version?: unknown; readonly purl?: unknown };

function closedBecause({ ignored, status, resolution }: Members): string | undefined {
  if (ignored === true) return 'ignored in Snyk';
  if (status !== 'resolved') return undefined;
  const how = textOf(objectOf(resolution)['type']);
  return how === undefined ? 'resolved in Snyk' : `resolved in Snyk: ${how}`;
}
