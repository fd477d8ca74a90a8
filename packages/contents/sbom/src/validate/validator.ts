import { type Issue, jsonPointer, parsePointer, placesOf, withReplacedText } from '@colophon/json';
import { AI_EXTENSION, SPEC_TECHNIQUE } from '../attribution/attribution-names.ts';
import { type CheckOptions, checksOf } from '../check/checks.ts';
import type { Bom, SpecVersion } from '../document/bom.ts';
import { asBom, MAX_BOM_BYTES, MAX_BOM_DEPTH, parseBom } from '../document/parse-bom.ts';
import {
  closedSchema,
  officialSchema,
  type Profile,
  referredSchemas,
  type SchemaSource,
} from '../schema/official-schema.ts';
import { compileSchema, type SchemaCheck } from '../schema/schema-check.ts';
import type { WordedFault } from '../schema/schema-words.ts';
import type { BomIssue, Finding } from './bom-issue.ts';
import type { BomDocumentCode } from './document-codes.ts';
import { type DocumentReader, readerFindings } from './document-reader.ts';
import { referenceFinding } from './reference-finding.ts';

/** So many issues of each kind are listed: a hostile document must not buy an answer larger than itself. */
export const MOST_ISSUES = 1_000;

export type ValidationOptions = CheckOptions & {
  readonly profile?: Profile;
  /** What this program refuses is an error, too. */
  readonly for?: DocumentReader | undefined;
  /** Bytes; default `MAX_BOM_BYTES`. */
  readonly maxBytes?: number;
};

/** What is to be said about one document. */
export type BomReport = {
  /** No issue is an error. */
  readonly valid: boolean;
  /** Errors first; in each kind in the order of the checks. */
  readonly issues: readonly BomIssue[];
  /** Issues that were found beyond the `MOST_ISSUES` of a kind. */
  readonly omitted: number;
  /** The document, where the bytes hold one: also one that is not valid. */
  readonly document?: Bom;
};

/** Decides about CycloneDX documents of every version; a schema is read and compiled when it is first needed. */
export type BomValidator = {
  /** Everything that is to be said about the bytes of a document, with lines. Never throws on any bytes. */
  validateBytes(bytes: Uint8Array, options?: ValidationOptions): BomReport;
  /** The same for a document that was made here and has no text yet. */
  validateBom(bom: Bom, options?: ValidationOptions): BomReport;
};

/** @param read gives the official schema files by name; see `SchemaSource` */
export function createBomValidator(read: SchemaSource): BomValidator {
  const compiled = new Map<string, SchemaCheck | undefined>();
  let referred: ReturnType<typeof referredSchemas> | undefined;

  function schemaOf(make: typeof closedSchema, version: SpecVersion, profile: Profile): SchemaCheck | undefined {
    const key = `${make.name} ${version} ${profile}`;
    if (!compiled.has(key)) {
      referred ??= referredSchemas(read);
      const schema = make(read, version, profile);
      compiled.set(key, schema === undefined ? undefined : compileSchema(schema, referred));
    }
    return compiled.get(key);
  }

  function schemaFindings(bom: Bom, profile: Profile, reader: DocumentReader | undefined, findings: Findings): void {
    const official = schemaOf(officialSchema, bom.specVersion, profile) as SchemaCheck;
    const { isValid, hasOddReference } = official.decide(bom);
    if (!isValid) {
      const { faults, isComplete } = official.explain(bom, MOST_ISSUES);
      for (const fault of faults) findings.add({ ...withWayOut(fault), severity: 'error' });
      // Ajv has the last word, whether or not there are words for it.
      if (faults.length === 0)
        findings.add({
          path: '',
          code: 'sbom.schema_choice',
          severity: 'error',
          message: 'The document is not what its schema allows.',
        });
      if (!isComplete) findings.add(NOT_ALL);
    }
    // Ajv stops at the first fault, and does not know what comes after it.
    const references = isValid && !hasOddReference ? [] : official.oddReferences(bom, MOST_ISSUES + 1);
    for (const place of references) {
      const finding = referenceFinding(place, reader);
      if (finding !== undefined) findings.add(finding);
    }
    const closed = isValid ? schemaOf(closedSchema, bom.specVersion, profile) : undefined;
    if (closed === undefined || closed.isValid(bom)) return;
    const { faults, isComplete } = closed.explain(bom, MOST_ISSUES);
    // Dependency-Track decides 1.2 and 1.3 by these schemas.
    const severity = reader === undefined ? 'warning' : 'error';
    for (const fault of faults) findings.add({ ...fault, severity });
    if (!isComplete) findings.add(NOT_ALL);
  }

  function findingsOf(
    bom: Bom,
    { profile = 'standard', for: reader, ...options }: ValidationOptions,
    before: readonly Finding[] = [],
  ): Findings {
    const findings = new Findings(before);
    schemaFindings(bom, profile, reader, findings);
    if (reader !== undefined) for (const finding of readerFindings(bom)) findings.add(finding);
    for (const finding of checksOf(bom, options)) findings.add(finding);
    return findings;
  }

  return {
    validateBom: (bom, options = {}) => ({ ...findingsOf(bom, options).report(), document: bom }),
    validateBytes: (bytes, options = {}) => {
      const read = readDocument(bytes, options.maxBytes ?? MAX_BOM_BYTES);
      const found =
        read.document === undefined ? new Findings(read.findings) : findingsOf(read.document, options, read.findings);
      const report = found.report();
      const issues = withPlaces(read.bytes, report.issues);
      return { ...report, issues, ...(read.document && { document: read.document }) };
    },
  };
}

/** Where the contract asks for what no official schema allows, there are two ways out. */
function withWayOut(fault: WordedFault): WordedFault {
  const isContractForm =
    (fault.code === 'sbom.schema_unknown_member' && fault.path.endsWith(`/${AI_EXTENSION}`)) ||
    (fault.code === 'sbom.schema_value' && fault.message.startsWith(JSON.stringify(SPEC_TECHNIQUE)));
  return isContractForm ? { ...fault, expected: '--profile spec, or the standard form: colophon sbom convert' } : fault;
}

const NOT_ALL: Finding & { readonly code: BomDocumentCode } = {
  path: '',
  code: 'sbom.more_issues',
  severity: 'note',
  message: `There may be more faults than the ${MOST_ISSUES} that are listed.`,
};

/** What was found, bounded. */
class Findings {
  private readonly kept: { readonly [severity in Finding['severity']]: Finding[] } = {
    error: [],
    warning: [],
    note: [],
  };
  private omitted = 0;

  constructor(before: readonly Finding[]) {
    for (const finding of before) this.add(finding);
  }

  add(finding: Finding): void {
    const list = this.kept[finding.severity];
    if (list.length < MOST_ISSUES) list.push(finding);
    else this.omitted += 1;
  }

  report(): { readonly valid: boolean; readonly issues: readonly Finding[]; readonly omitted: number } {
    const { error, warning, note } = this.kept;
    const { omitted } = this;
    const more = omitted > 0 ? [{ ...NOT_ALL, message: `More issues were found than are listed: ${omitted}.` }] : [];
    return { valid: error.length === 0, issues: [...error, ...warning, ...note, ...more], omitted };
  }
}

/**
 * JSON that two readers could understand differently and that generators write all the same. The document can be read,
 * and whoever relies on it is told.
 */
const READ_ANYWAY: readonly string[] = ['json.number_range', 'json.nul', 'json.lone_surrogate'];
/** So many issues make the parser stop, and then nobody knows what the rest holds. */
const PARSER_STOPS = 20;

function readDocument(
  all: Uint8Array,
  maxBytes: number,
): { readonly bytes: Uint8Array; readonly document?: Bom; readonly findings: readonly Finding[] } {
  const hasMark = all[0] === 0xef && all[1] === 0xbb && all[2] === 0xbf;
  const bytes = hasMark ? all.subarray(3) : all;
  const mark: Finding[] = hasMark
    ? [
        {
          path: '',
          code: 'json.bom',
          severity: 'note',
          message: 'The document starts with a byte order mark, which was passed over.',
        },
      ]
    : [];
  const parsed = parseBom(bytes, { maxBytes, oddText: 'refused' });
  if (parsed.ok) return { bytes, document: parsed.value, findings: mark };
  const isXml = parsed.issues[0]?.code === 'json.syntax' && bytes.find((byte) => byte > 0x20) === 0x3c;
  if (isXml) return { bytes, findings: [IS_XML] };
  const findings = (severity: Finding['severity']) => [
    ...mark,
    ...parsed.issues.map((issue) => findingOf(issue, severity)),
  ];
  if (parsed.issues.length < PARSER_STOPS && parsed.issues.every(({ code }) => READ_ANYWAY.includes(code))) {
    const document = readAnyway(bytes);
    if (document !== undefined) return { bytes, document, findings: findings('warning') };
  }
  return { bytes, findings: findings('error') };
}

const IS_XML: Finding & { readonly code: BomDocumentCode } = {
  path: '',
  code: 'sbom.not_cyclonedx',
  severity: 'error',
  message: 'This is XML, and documents are read in JSON alone.',
  expected: 'CycloneDX JSON',
};

function readAnyway(bytes: Uint8Array): Bom | undefined {
  try {
    const text = new TextDecoder().decode(bytes);
    const read = asBom(withReplacedText(JSON.parse(text), text));
    return read.ok ? read.value : undefined;
  } catch {
    return undefined;
  }
}

function findingOf({ path, code, message, expected }: Issue, severity: Finding['severity']): Finding {
  const wanted = code === 'json.too_deep' ? `at most ${MAX_BOM_DEPTH} levels` : expected;
  return { path, code, severity, message, ...(wanted === undefined ? {} : { expected: wanted }) };
}

/** Looks for the lines; what has none of its own stands where the nearest value around it stands. */
function withPlaces(bytes: Uint8Array, findings: readonly Finding[]): readonly BomIssue[] {
  const isUnread = findings.some(({ code }) => code === 'json.too_large' || code === 'json.not_utf8');
  if (findings.length === 0 || isUnread) return findings.map(withShownPath);
  const paths = new Set(findings.map(({ path }) => path));
  const toTheEnd = findings.some(({ code }) => code.startsWith('json.'));
  const { places, brokenAt } = placesOf(new TextDecoder().decode(bytes), paths, { toTheEnd });
  return findings.map((finding) => {
    const isSyntax = finding.code === 'json.syntax' || (finding.code === 'json.nul' && brokenAt !== undefined);
    const place = isSyntax ? brokenAt : places.get(finding.path);
    return { ...withShownPath(finding), ...place };
  });
}

/** Names come from outside: the path that is shown has no control characters and no name of a megabyte. */
function withShownPath(finding: Finding): Finding {
  if (finding.code.startsWith('json.')) return finding;
  return { ...finding, path: jsonPointer(parsePointer(finding.path) ?? []) };
}
