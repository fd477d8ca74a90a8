import type { ScannerReading } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { groupedName } from './component-name.ts';
import { has, isObject, listOf, type Members, objectOf, textOf } from './members.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path, ReadingBuilder } from './reading-builder.ts';
import { refuse } from './scan-issue.ts';
import { statedScore } from './stated-score.ts';

/** Dependency-Track's export of a project's findings, or what its API answers for them: the bare list. */
export const dependencyTrackOutput: OutputFormat = {
  name: 'Dependency-Track findings',
  looksLike: (root) =>
    Array.isArray(root)
      ? root.length > 0 && root.every(isFinding)
      : isObject(root) &&
        (objectOf(root['meta'])['application'] === 'Dependency-Track' ||
          (Array.isArray(root['findings']) && root['findings'].length > 0 && root['findings'].every(isFinding))),
  read: (value) => {
    if (Array.isArray(value)) return readFindings(value, [], {});
    const root = objectOf(value);
    const { findings } = root;
    if (!has(root, 'findings')) {
      const message =
        'The export of Dependency-Track has no member `findings`: it does not say that nothing was found.';
      return refuse('scan.list_missing', message, { expected: 'an export of findings, not of a project or a policy' });
    }
    if (findings !== null && !Array.isArray(findings)) {
      const message = `Dependency-Track's list of findings is ${kindOf(findings)}.`;
      return refuse('scan.list_invalid', message, { path: '/findings' });
    }
    return readFindings(listOf(findings), ['findings'], root);
  },
};

function isFinding(value: unknown): boolean {
  return (
    isObject(value) && isObject(value['component']) && isObject(value['vulnerability']) && has(value, 'attribution')
  );
}

function readFindings(findings: readonly unknown[], at: Path, root: Members): ParseResult<readonly ScannerReading[]> {
  const reading = new ReadingBuilder('dependency-track');
  for (const [index, finding] of findings.entries()) add(reading, finding, [...at, index]);
  const { version, timestamp } = objectOf(root['meta']);
  const project = objectOf(root['project']);
  const target = [textOf(project['name']), textOf(project['version'])].filter((part) => part !== undefined).join(' ');
  return { ok: true, value: [reading.done({ version, scannedAt: timestamp, target })] };
}

function add(reading: ReadingBuilder, value: unknown, path: Path): void {
  const finding = reading.object(value, path);
  if (finding === undefined) return;
  const component = objectOf(finding['component']);
  const vulnerability = objectOf(finding['vulnerability']);
  const { source } = vulnerability;
  reading.add(path, {
    id: idOf(vulnerability),
    aliases: listOf(vulnerability['aliases']).flatMap((alias) => {
      const { allBySource, ...named } = objectOf(alias);
      return [...Object.values(named), ...Object.values(objectOf(allBySource))];
    }),
    severity: vulnerability['severity'],
    scores: [
      ...statedScore(vulnerability['cvssV4Vector'], vulnerability['cvssV4Score'], source, '4.0'),
      ...statedScore(vulnerability['cvssV3Vector'], vulnerability['cvssV3BaseScore'], source, '3.1'),
      ...statedScore(vulnerability['cvssV2Vector'], vulnerability['cvssV2BaseScore'], source, '2.0'),
    ],
    name: groupedName(component['group'], component['name'], component['purl']),
    version: component['version'],
    purl: component['purl'],
    description: vulnerability['description'] ?? vulnerability['title'],
    published: vulnerability['published'],
    suppressed: suppressedBecause(objectOf(finding['analysis'])),
  });
}

/** Some sources, such as npm before it took GitHub's ids, have numbers that are names in that source alone. */
function idOf({ vulnId, source }: Members): unknown {
  const id = textOf(vulnId);
  return id !== undefined && /^\d+$/.test(id) && textOf(source) !== undefined ? `${source}-${id}` : vulnId;
}

const CLOSED_STATES = new Set(['NOT_AFFECTED', 'FALSE_POSITIVE', 'RESOLVED']);

function suppressedBecause({ isSuppressed, state, justification }: Members): string | undefined {
  const decided = textOf(state);
  const isClosed = decided !== undefined && CLOSED_STATES.has(decided);
  if (isSuppressed !== true && !isClosed) return undefined;
  const words = [isClosed ? decided : 'suppressed in Dependency-Track', isClosed ? textOf(justification) : decided];
  return words.filter((word) => word !== undefined && word !== 'NOT_SET').join(': ');
}
