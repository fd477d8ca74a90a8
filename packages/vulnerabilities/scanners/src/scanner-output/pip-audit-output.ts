import type { ScannerReading } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { componentPurl } from './component-purl.ts';
import { has, isObject, listOf, objectOf, textOf, textsOf } from './members.ts';
import type { OutputFormat } from './output-format.ts';
import { ReadingBuilder } from './reading-builder.ts';

/** `pip-audit --format json`; a bare list before 2.5. */
export const pipAuditOutput: OutputFormat = {
  name: 'pip-audit',
  looksLike: (root) => {
    if (Array.isArray(root)) return root.length > 0 && root.every(isDependency);
    if (!isObject(root) || !Object.keys(root).every((name) => name === 'dependencies' || name === 'fixes'))
      return false;
    const { dependencies } = root;
    return dependencies === null || (Array.isArray(dependencies) && dependencies.every(isDependency));
  },
  read: (value) => {
    const reading = new ReadingBuilder('pip-audit');
    const isBare = Array.isArray(value);
    const dependencies = listOf(isBare ? value : objectOf(value)['dependencies']);
    for (const [index, dependency] of dependencies.entries()) {
      addDependency(reading, dependency, isBare ? [index] : ['dependencies', index]);
    }
    return { ok: true, value: [reading.done({})] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

function isDependency(value: unknown): boolean {
  return isObject(value) && has(value, 'name') && (has(value, 'vulns') || has(value, 'skip_reason'));
}

function addDependency(reading: ReadingBuilder, value: unknown, path: readonly (string | number)[]): void {
  const { name, version, vulns, skip_reason: skipped } = objectOf(value);
  const reason = textOf(skipped);
  const names = textOf(name);
  const purl = names === undefined ? undefined : componentPurl('pypi', names, textOf(version));
  if (reason !== undefined) {
    const component = names === undefined ? undefined : { name: names, ...(purl !== undefined && { purl }) };
    reading.skip(path, 'scan.not_scanned', `pip-audit could not look it up: ${reason}`, component);
  }
  for (const [index, entry] of reading.list(vulns, [...path, 'vulns']).entries()) {
    const vulnerability = reading.object(entry, [...path, 'vulns', index]);
    if (vulnerability === undefined) continue;
    reading.add([...path, 'vulns', index], {
      id: vulnerability['id'],
      aliases: textsOf(vulnerability['aliases']),
      name,
      version,
      purl,
      fixedInVersions: textsOf(vulnerability['fix_versions']),
      description: vulnerability['description'],
    });
  }
}
