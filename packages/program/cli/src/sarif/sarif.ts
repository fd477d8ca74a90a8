import type { Log, ReportingDescriptor, Result } from 'sarif';
import { VERSION } from '../program/version.ts';
import { oneLine } from '../terminal/terminal.ts';

/** One finding for a code scanner's page. */
export type SarifFinding = {
  /** One of our stable codes, or a vulnerability. */
  readonly code: string;
  readonly level: 'error' | 'warning' | 'note';
  readonly message: string;
  /** Relative to where the program runs, or absolute. */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
  /** JSON Pointer inside the file, or what else it is called there. */
  readonly path?: string;
  /** What the rule is about, where it is none of our codes. */
  readonly help?: string;
};

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
// A helpUri would have to be absolute, and the page is where the source is.
const ERRORS_PAGE = 'docs/errors.md of Colophon';

/**
 * A SARIF 2.1.0 log of one run: every code is a rule, every finding a result at its place.
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/
 */
export function sarifLog(findings: readonly SarifFinding[]): Log {
  const helps = new Map(findings.map(({ code, help }) => [code, help ?? `${code} in ${ERRORS_PAGE}`]));
  const ids = [...helps.keys()].sort();
  const rules: ReportingDescriptor[] = ids.map((id) => ({ id, help: { text: helps.get(id) as string } }));
  const places = new Map(ids.map((id, index) => [id, index]));
  const results = findings.map((finding) => resultOf(finding, places.get(finding.code) as number));
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'colophon', version: VERSION, rules } }, results }],
  };
}

function resultOf(
  { code, level, message, file, line, column, endLine, path }: SarifFinding,
  ruleIndex: number,
): Result {
  const region =
    line === undefined
      ? undefined
      : { startLine: line, ...(column && { startColumn: column }), ...(endLine && { endLine }) };
  return {
    ruleId: code,
    ruleIndex,
    level,
    message: { text: oneLine(message) },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...(region && { region }) },
        ...(path === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: oneLine(path) }] }),
      },
    ],
  };
}

/** A relative file stays relative, as code scanners want it. */
function uriOf(file: string): string {
  const path = encodeURI(file.replaceAll('\\', '/')).replaceAll('#', '%23').replaceAll('?', '%3F');
  return path.startsWith('/') ? `file://${path}` : path;
}
