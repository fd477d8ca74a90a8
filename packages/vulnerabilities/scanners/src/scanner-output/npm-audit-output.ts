import type { ScannerReading } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { componentPurl } from './component-purl.ts';
import { has, isObject, listOf, type Members, objectOf, textOf } from './members.ts';
import { addAdvisory, advisoryId, advisoryNumber } from './npm-advisory.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path, ReadingBuilder } from './reading-builder.ts';
import { refuse } from './scan-issue.ts';
import { statedScore } from './stated-score.ts';

/** `npm audit --json` of npm 6, and `pnpm audit --json`: advisories by number. */
export const npmAuditOutput: OutputFormat = {
  name: 'npm audit (npm 6)',
  looksLike: (root) => isObject(root) && has(root, 'advisories') && (has(root, 'metadata') || has(root, 'actions')),
  read: (value) => {
    const { advisories, muted } = objectOf(value);
    if (advisories !== null && !isObject(advisories)) {
      return refuse('scan.list_invalid', `npm's advisories are ${kindOf(advisories)}.`, { path: '/advisories' });
    }
    const reading = new ReadingBuilder('npm-audit');
    for (const [key, advisory] of Object.entries(objectOf(advisories))) {
      addAdvisory(reading, advisory, ['advisories', key]);
    }
    const message = 'Advisories that npm is configured to leave out; it lists only their numbers.';
    reading.skip(['muted'], 'scan.id_missing', message, listOf(muted).length);
    return { ok: true, value: [reading.done({})] };
  },
};

/** `npm audit --json` since npm 7: packages by name, each with its advisories. */
export const npmReportOutput: OutputFormat = {
  name: 'npm audit (npm 7 and later)',
  looksLike: (root) => isObject(root) && has(root, 'auditReportVersion'),
  read: (value) => {
    const root = objectOf(value);
    const { vulnerabilities } = root;
    if (!has(root, 'vulnerabilities')) {
      return refuse('scan.list_missing', 'npm audit lists its findings in `vulnerabilities`, and there is none.');
    }
    if (vulnerabilities !== null && !isObject(vulnerabilities)) {
      const message = `npm's vulnerabilities are ${kindOf(vulnerabilities)}.`;
      return refuse('scan.list_invalid', message, { path: '/vulnerabilities' });
    }
    const reading = new ReadingBuilder('npm-audit');
    let throughOthers = 0;
    for (const [key, entry] of Object.entries(objectOf(vulnerabilities))) {
      const path = ['vulnerabilities', key];
      const found = reading.object(entry, path);
      if (found === undefined) continue;
      const via = reading.list(found['via'], [...path, 'via']);
      if (!via.some((reason) => typeof reason !== 'string')) throughOthers++;
      for (const [index, reason] of via.entries()) {
        // A name stands for another package of this list, which has the advisory.
        if (typeof reason !== 'string') addReason(reading, reason, [...path, 'via', index], found, key);
      }
    }
    const message = 'Packages that are affected through one of their dependencies alone; that one has the finding.';
    reading.skip(['vulnerabilities'], 'scan.through_dependency', message, throughOthers);
    return { ok: true, value: [reading.done({})] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

function addReason(reading: ReadingBuilder, value: unknown, path: Path, found: Members, key: string): void {
  const reason = reading.object(value, path);
  if (reason === undefined) return;
  const name = textOf(reason['dependency']) ?? textOf(reason['name']) ?? textOf(found['name']) ?? key;
  const { score, vectorString } = objectOf(reason['cvss']);
  // `id` in npm 7.0.
  const number = reason['source'] ?? reason['id'];
  const fix = objectOf(found['fixAvailable']);
  // Otherwise it is the version of another package, one that brings this one in.
  const fixVersion = fix['name'] === name ? textOf(fix['version']) : undefined;
  reading.add(path, {
    id: advisoryId(undefined, reason['url'], number),
    aliases: [advisoryNumber(number)],
    severity: reason['severity'],
    scores: statedScore(vectorString, score, 'npm'),
    // npm does not say which version is installed.
    name,
    purl: componentPurl('npm', name, undefined),
    fixedInVersions: fixVersion === undefined ? [] : [fixVersion],
    description: reason['title'],
  });
}
