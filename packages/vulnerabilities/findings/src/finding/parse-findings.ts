import { type Issue, isJsonObject, type ParseResult } from '@colophon/json';
import type { Finding, FindingReport } from '@colophon/records';
import type { AssessmentNote } from './assessment-note.ts';
import { FieldReader } from './field-reader.ts';
import { FINDING_MEMBERS, findingsOfReported, newReading, type Reading, reasonOf } from './read-reported.ts';
import { saidMembers } from './said-members.ts';

/** A list that is wrong throughout gets no answer larger than itself. */
const MOST_ISSUES = 100;

/**
 * Reads an array of findings (contract §2.7), ours or somebody else's: of each entry `id` and the component's name must be
 * there. `severity` may be in any case, `cvss` an object, a number or a vector, and what we add to the contract's shape may
 * be missing. Ids are normalised and scores recomputed as for a scanner's output. Members that are not ours are kept.
 *
 * @param note is given what was noticed on the way: a score that is none, a vector that cannot be read
 * @returns one finding for each entry, in their order, also where an entry names several CVEs; or issues with codes
 *   `finding.field_*`, up to 100 of them.
 */
export function parseFindings(
  value: unknown,
  note: (note: AssessmentNote) => void = () => {},
): ParseResult<readonly Finding[]> {
  const reading: Reading = { ...newReading(), keepsEntries: true };
  const { findings, issues } = readFindings(value, reading);
  for (const one of reading.notes.list()) note(one);
  return issues.length === 0 ? { ok: true, value: findings } : { ok: false, issues: issues.slice(0, MOST_ISSUES) };
}

/**
 * What could be read of an array of findings, and what could not; one entry that is none spoils no other, and a member of
 * another type than it has is left out of its entry.
 */
export function readFindings(
  value: unknown,
  reading: Reading,
): { readonly findings: readonly Finding[]; readonly issues: readonly Issue[] } {
  if (!Array.isArray(value)) return { findings: [], issues: [notFindings()] };
  const fields = new FieldReader('finding', 'contract §2.7');
  const findings = value.flatMap((entry: unknown, index) => readFinding(entry, [index], fields, reading));
  return { findings, issues: fields.issues };
}

function notFindings(): Issue {
  return {
    path: '',
    code: 'finding.field_type',
    message: 'The document is no list of findings.',
    expected: 'an array of findings',
    source: 'contract §2.7',
  };
}

type Path = readonly (string | number)[];

function readFinding(entry: unknown, path: Path, fields: FieldReader, reading: Reading): Finding[] {
  if (!isJsonObject(entry)) {
    fields.note('field_type', path, 'a finding');
    return [];
  }
  const id = fields.text(entry, 'id', path);
  const component = fields.object(entry, 'component', path);
  const name = component === undefined ? undefined : fields.text(component, 'name', [...path, 'component']);
  const version = component && fields.optionalText(component, 'version', [...path, 'component']);
  const purl = component && fields.optionalText(component, 'purl', [...path, 'component']);
  const severity = fields.optionalText(entry, 'severity', path);
  const suppressed = fields.optionalText(entry, 'suppressed', path);
  const published =
    typeof entry['published'] === 'number' ? String(entry['published']) : fields.optionalText(entry, 'published', path);
  const description = fields.optionalText(entry, 'description', path);
  const reports = readReports(entry['reportedBy'], [...path, 'reportedBy'], fields);
  const stated = readCvss(entry['cvss'], [...path, 'cvss'], fields);
  const fixedInVersions = fields.texts(entry, 'fixedInVersions', path);
  const aliases = fields.texts(entry, 'aliases', path);
  if (id === undefined || name === undefined) return [];
  const others = Object.fromEntries(Object.entries(entry).filter(([member]) => !FINDING_MEMBERS.has(member)));
  const read = findingsOfReported(
    {
      scanner: reports[0]?.scanner ?? 'findings',
      id,
      aliases,
      ...(severity === undefined ? {} : { severity }),
      scores: [...stated, ...reports],
      component: { name, ...(version === undefined ? {} : { version }), ...(purl === undefined ? {} : { purl }) },
      fixedInVersions,
      ...(description === undefined ? {} : { description }),
      ...(published === undefined ? {} : { published }),
    },
    reading,
  );
  // An entry that comes back as itself has its texts as they were.
  const versions = fixedInVersions.filter((one) => one.trim() !== '');
  const own = reading.keepsEntries === true ? { fixedInVersions: versions, description: description ?? '' } : {};
  return read.map((finding) => ({
    ...finding,
    ...own,
    reportedBy: reports.map(asKept),
    ...(suppressed === undefined ? {} : { suppressed: reasonOf(suppressed) }),
    ...others,
  }));
}

/** As some write a number. */
const NUMERAL = /^\d{1,2}(?:\.\d{1,3})?$/;
/** Alone they may be no score, and a severity that stands beside counts less than one. */
const CVSS_VERSIONS: ReadonlySet<string> = new Set(['2.0', '3.0', '3.1', '4.0']);

/** `{score, vector}`, a number alone, or a vector alone. */
function readCvss(value: unknown, path: Path, fields: FieldReader): { score?: number; vector?: string }[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'number') return [{ score: value }];
  if (typeof value === 'string') {
    return [NUMERAL.test(value) && !CVSS_VERSIONS.has(value) ? { score: Number(value) } : { vector: value }];
  }
  if (!isJsonObject(value)) {
    fields.note('field_type', path, 'an object with score and vector');
    return [];
  }
  const { score: stated } = value;
  const isNumeral = typeof stated === 'string' && NUMERAL.test(stated);
  const score = isNumeral ? Number(stated) : fields.optionalNumber(value, 'score', path);
  const vector = fields.optionalText(value, 'vector', path);
  return [{ ...(score === undefined ? {} : { score }), ...(vector === undefined ? {} : { vector }) }];
}

/** A report without what says nothing; below 0 there is no score. */
function asKept(report: FindingReport): FindingReport {
  const { score, suppressed } = report;
  return saidMembers<FindingReport>({
    ...report,
    score: score !== undefined && score >= 0 ? score : undefined,
    suppressed: suppressed === undefined ? undefined : reasonOf(suppressed),
  });
}

function readReports(value: unknown, path: Path, fields: FieldReader): FindingReport[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    fields.note('field_type', path, 'an array of reports');
    return [];
  }
  return value.flatMap((report: unknown, index) => {
    const at = [...path, index];
    if (!isJsonObject(report)) {
      fields.note('field_type', at, 'what one scanner said');
      return [];
    }
    const scanner = fields.text(report, 'scanner', at);
    const id = fields.text(report, 'id', at);
    const score = fields.optionalNumber(report, 'score', at);
    const texts = Object.fromEntries(
      ['severity', 'vector', 'source', 'suppressed', 'exploited'].flatMap((name) => {
        const text = fields.optionalText(report, name, at);
        return text === undefined ? [] : [[name, text]];
      }),
    );
    if (scanner === undefined || id === undefined) return [];
    const { severity, vector, source, suppressed, exploited } = texts as { [name: string]: string };
    return [
      {
        scanner,
        id,
        ...(severity === undefined ? {} : { severity }),
        // A 0 without a vector is what programs write for "not scored".
        ...(score === undefined || (score === 0 && vector === undefined) ? {} : { score }),
        ...(vector === undefined ? {} : { vector }),
        ...(source === undefined ? {} : { source }),
        ...(suppressed === undefined ? {} : { suppressed }),
        ...(exploited === undefined ? {} : { exploited }),
      },
    ];
  });
}
