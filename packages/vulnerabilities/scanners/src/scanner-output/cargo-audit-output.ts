import type { ScannerReading } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { componentPurl } from './component-purl.ts';
import { fixedVersions } from './fixed-versions.ts';
import { has, isObject, listOf, objectOf, textOf, textsOf } from './members.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path, ReadingBuilder } from './reading-builder.ts';
import { refuse } from './scan-issue.ts';
import { statedScore } from './stated-score.ts';

/** `cargo audit --json`. */
export const cargoAuditOutput: OutputFormat = {
  name: 'cargo-audit',
  looksLike: (root) =>
    isObject(root) &&
    isObject(root['vulnerabilities']) &&
    (has(root, 'lockfile') || has(objectOf(root['database']), 'advisory-count')),
  read: (value) => {
    const { database, vulnerabilities, warnings } = objectOf(value);
    const found = objectOf(vulnerabilities);
    const { list } = found;
    if (!has(found, 'list')) {
      const message = 'cargo-audit lists its findings in `vulnerabilities.list`, and there is none.';
      return refuse('scan.list_missing', message, { path: '/vulnerabilities' });
    }
    if (list !== null && !Array.isArray(list)) {
      const message = `cargo-audit's list of vulnerabilities is ${kindOf(list)}.`;
      return refuse('scan.list_invalid', message, { path: '/vulnerabilities/list' });
    }
    const reading = new ReadingBuilder('cargo-audit');
    for (const [index, entry] of listOf(list).entries()) add(reading, entry, ['vulnerabilities', 'list', index]);
    countWarnings(reading, warnings);
    const facts = { databaseBuiltAt: objectOf(database)['last-updated'] };
    return { ok: true, value: [reading.done(facts)] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

function add(reading: ReadingBuilder, value: unknown, path: Path): void {
  const entry = reading.object(value, path);
  if (entry === undefined) return;
  const advisory = objectOf(entry['advisory']);
  const { name, version } = objectOf(entry['package']);
  const crate = textOf(name) ?? textOf(advisory['package']);
  const withdrawn = textOf(advisory['withdrawn']);
  reading.add(path, {
    id: advisory['id'],
    aliases: textsOf(advisory['aliases']),
    scores: statedScore(advisory['cvss'], undefined, 'rustsec'),
    name: crate,
    version,
    purl: crate === undefined ? undefined : componentPurl('cargo', crate, textOf(version)),
    // Older versions have the patched versions in the advisory.
    fixedInVersions: textsOf(
      objectOf(entry['versions'] ?? advisory)['patched'] ?? advisory['patched_versions'],
    ).flatMap(fixedVersions),
    description: textOf(advisory['title']) ?? advisory['description'],
    published: advisory['date'],
    suppressed: withdrawn === undefined ? undefined : `withdrawn: ${withdrawn}`,
  });
}

/** Crates that nobody keeps, that were yanked, that are unsound: by kind, or one list in older versions. */
function countWarnings(reading: ReadingBuilder, warnings: unknown): void {
  const kinds: ReadonlyArray<readonly [string, unknown]> = Array.isArray(warnings)
    ? [['', warnings]]
    : Object.entries(objectOf(warnings));
  for (const [kind, list] of kinds) {
    const words = kind === '' ? 'Warnings' : `Warnings of the kind \`${kind.slice(0, 40)}\``;
    const message = `${words}, which cargo-audit does not count as vulnerabilities.`;
    reading.skip(kind === '' ? ['warnings'] : ['warnings', kind], 'scan.other_kind', message, listOf(list).length);
  }
}
