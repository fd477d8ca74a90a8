import type { ScannerReading } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { componentPurl } from './component-purl.ts';
import { has, isObject, listOf, type Members, objectOf, textOf, textsOf } from './members.ts';
import { addAdvisory, advisoryId, advisoryNumber } from './npm-advisory.ts';
import { messagesOf } from './output-document.ts';
import type { OutputFormat } from './output-format.ts';
import { type Path, ReadingBuilder } from './reading-builder.ts';
import { refuse } from './scan-issue.ts';

const SHOWN_REASON = 300;

/** What Yarn 1 writes beside its advisories. */
const OTHER_MESSAGES = ['auditSummary', 'auditAction', 'info', 'warning', 'error'];

/** `yarn audit --json` of Yarn 1: an advisory on each line, one for each place, and a summary at the end. */
export const yarnAuditOutput: OutputFormat = {
  name: 'yarn audit (Yarn 1)',
  looksLike: (root) => {
    const messages = messagesOf(root);
    return (
      messages.every(isMessage) &&
      messages.some(({ type }) => type === 'auditAdvisory' || type === 'auditSummary' || type === 'error')
    );
  },
  read: (root) => {
    const messages = messagesOf(root).map(objectOf);
    const isWhole = messages.some(({ type }) => type === 'auditSummary');
    const failure = messages.find(({ type }) => type === 'error');
    if (failure !== undefined && !isWhole) {
      const reason = textOf(failure['data'])?.slice(0, SHOWN_REASON) ?? 'it gives no reason';
      const message = `The scanner reports that it failed: ${reason}`;
      return refuse('scan.scanner_failed', message, { expected: 'the output of a scan that ended well' });
    }
    const reading = new ReadingBuilder('yarn-audit');
    const seen = new Set<string>();
    for (const [index, { type, data }] of messages.entries()) {
      if (type !== 'auditAdvisory') continue;
      const advisory = objectOf(data)['advisory'];
      const { id, module_name: name, findings } = objectOf(advisory);
      const key = JSON.stringify([id, name, listOf(findings).map((finding) => objectOf(finding)['version'])]);
      if (id !== undefined && seen.has(key)) continue;
      seen.add(key);
      addAdvisory(reading, advisory, [index, 'data', 'advisory']);
    }
    if (!isWhole) {
      const message = 'Yarn ends its output with a summary, and there is none: some of it may be missing.';
      reading.skip([], 'scan.incomplete', message);
    }
    return { ok: true, value: [reading.done({})] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

function isMessage(value: unknown): value is Members {
  if (!isObject(value) || !has(value, 'data')) return false;
  const { type, data } = value;
  return type === 'auditAdvisory' ? has(objectOf(data), 'advisory') : OTHER_MESSAGES.includes(type as string);
}

/** `yarn npm audit --json` since Yarn 4: an advisory and its package on each line; nothing at all where there is none. */
export const yarnReportOutput: OutputFormat = {
  name: 'yarn npm audit (Yarn 4)',
  looksLike: (root) => messagesOf(root).length > 0 && messagesOf(root).every(isPackage),
  read: (root) => {
    const reading = new ReadingBuilder('yarn-audit');
    let deprecated = 0;
    for (const [index, entry] of messagesOf(root).entries()) {
      const { value: name, children } = objectOf(entry);
      const advisory = objectOf(children);
      if (textOf(advisory['ID'])?.endsWith('(deprecation)')) deprecated++;
      else addPackage(reading, textOf(name), advisory, [index]);
    }
    const message = 'Packages that are no longer maintained, which is not a vulnerability.';
    reading.skip([], 'scan.other_kind', message, deprecated);
    return { ok: true, value: [reading.done({})] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

function isPackage(entry: unknown): boolean {
  const { value, children } = objectOf(entry);
  return typeof value === 'string' && isObject(children) && has(children, 'ID') && has(children, 'Severity');
}

function addPackage(reading: ReadingBuilder, name: string | undefined, advisory: Members, path: Path): void {
  const versions = new Set(textsOf(advisory['Tree Versions']));
  for (const version of versions.size > 0 ? versions : [undefined]) {
    reading.add(path, {
      id: advisoryId(undefined, advisory['URL'], advisory['ID']),
      aliases: [advisoryNumber(advisory['ID'])],
      severity: advisory['Severity'],
      name,
      version,
      purl: name === undefined ? undefined : componentPurl('npm', name, version),
      description: advisory['Issue'],
    });
  }
}
