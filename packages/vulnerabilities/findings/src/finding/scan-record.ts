import { isJsonObject, type JsonObject, type ParseResult } from '@colophon/json';
import { formatInstant, parseInstant, parseSha256 } from '@colophon/notation';
import {
  type Finding,
  type NamedBom,
  SCAN_RECORD_FORMAT,
  type ScannedSbom,
  type Scanner,
  type ScanRecord,
  type UnreadEntry,
} from '@colophon/records';
import { FieldReader } from './field-reader.ts';
import { readFindings } from './parse-findings.ts';
import { newReading } from './read-reported.ts';
import { saidMembers } from './said-members.ts';
import type { ScannerReading } from './scan.ts';

/**
 * One scan as it is kept: who looked, when, with which knowledge, at what, and what was found. What is not known is left out,
 * a blank text too: the record has the form of scanRecordSchema, whatever it was made of.
 */
export function scanRecord(
  reading: Omit<ScannerReading, 'reported'>,
  findings: readonly Finding[],
  source: ScanRecord['source'],
  sbom?: ScannedSbom,
): ScanRecord {
  const { scanner, scannedAt, target, namedBoms, unread } = reading;
  return {
    format: SCAN_RECORD_FORMAT,
    scanner: saidMembers(scanner),
    ...saidMembers<Pick<ScanRecord, 'scannedAt' | 'target'>>({ scannedAt, target }),
    ...(namedBoms === undefined ? {} : { namedBoms }),
    ...(sbom === undefined ? {} : { sbom: saidMembers(sbom) }),
    source,
    findings,
    unread: unread.map(({ component, ...entry }) =>
      component === undefined ? entry : { ...entry, component: saidMembers(component) },
    ),
  };
}

/** True for what calls itself a scan record, whatever else is wrong with it. */
export function isScanRecord(value: unknown): boolean {
  return isJsonObject(value) && value['format'] === SCAN_RECORD_FORMAT;
}

const MOST_ISSUES = 100;

/**
 * Reads a scan record that was kept, also by earlier programs and by others. Everything that scanRecordSchema allows is read.
 * Beyond it, as nothing is unclear in them:
 *
 * - null and blank text for a member that may be absent: it is absent
 * - a digest without `sha256:`, or in capitals, as the contract shows both (§2.1)
 * - the scanner's name in capitals, as scanners write their own
 * - no `unread`, no `path` and `message` of an entry in it, no `version` of a named SBOM (it is 1): they say nothing about a
 *   finding
 * - findings as parseFindings reads them: the contract's six members, in the ways in which others write them
 *
 * The record that comes back has the form of the schema in every case, and its times are in UTC.
 *
 * @returns the record, or issues with codes `scan_record.*` and, of its findings, `finding.field_*`.
 */
export function parseScanRecord(value: unknown): ParseResult<ScanRecord> {
  const fields = new FieldReader('scan_record', 'contract §2.7');
  if (!isJsonObject(value)) {
    fields.note('field_type', [], 'a scan record');
    return { ok: false, issues: fields.issues };
  }
  if (!isScanRecord(value)) fields.note('field_invalid', ['format'], SCAN_RECORD_FORMAT);
  const scanner = readScanner(fields.object(value, 'scanner', []), fields);
  const scannedAt = readInstant(value, 'scannedAt', [], fields);
  const target = fields.optionalText(value, 'target', []);
  const namedBoms = readNamedBoms(value['namedBoms'], fields);
  const sbom = value['sbom'] === undefined ? undefined : readSbom(fields.object(value, 'sbom', []), fields);
  const source = fields.object(value, 'source', []);
  const name = source && fields.text(source, 'name', ['source']);
  const digest = source && readDigest(source, ['source'], fields);
  const unread = readUnread(value['unread'], fields);
  const read = readFindings(value['findings'], newReading());
  const issues = [...fields.issues, ...read.issues.map((issue) => ({ ...issue, path: `/findings${issue.path}` }))];
  if (issues.length > 0 || scanner === undefined || name === undefined || digest === undefined) {
    return { ok: false, issues: issues.slice(0, MOST_ISSUES) };
  }
  const reading = {
    scanner,
    ...(scannedAt === undefined ? {} : { scannedAt }),
    ...(target === undefined ? {} : { target }),
    ...(namedBoms === undefined ? {} : { namedBoms }),
    unread,
  };
  return { ok: true, value: scanRecord(reading, read.findings, { name, digest }, sbom) };
}

function readScanner(value: JsonObject | undefined, fields: FieldReader): Scanner | undefined {
  const name = value && fields.text(value, 'name', ['scanner']);
  if (value === undefined || name === undefined) return undefined;
  const version = fields.optionalText(value, 'version', ['scanner']);
  const databaseBuiltAt = readInstant(value, 'databaseBuiltAt', ['scanner'], fields);
  return {
    name: name.trim().toLowerCase(),
    ...(version === undefined ? {} : { version }),
    ...(databaseBuiltAt === undefined ? {} : { databaseBuiltAt }),
  };
}

function readSbom(value: JsonObject | undefined, fields: FieldReader): ScannedSbom | undefined {
  const digest = value && readDigest(value, ['sbom'], fields);
  if (value === undefined || digest === undefined) return undefined;
  const version = fields.optionalNumber(value, 'version', ['sbom']);
  const timestamp = readInstant(value, 'timestamp', ['sbom'], fields);
  const texts = Object.fromEntries(
    ['serialNumber', 'artifact', 'artifactVersion'].flatMap((name) => {
      const text = fields.optionalText(value, name, ['sbom']);
      return text === undefined ? [] : [[name, text]];
    }),
  );
  return {
    digest,
    ...texts,
    ...(version === undefined ? {} : { version }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

function readNamedBoms(value: unknown, fields: FieldReader): NamedBom[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    fields.note('field_type', ['namedBoms'], 'an array');
    return undefined;
  }
  return value.flatMap((entry: unknown, index) => {
    const at = ['namedBoms', index];
    if (!isJsonObject(entry)) {
      fields.note('field_type', at, 'an object');
      return [];
    }
    const serialNumber = fields.text(entry, 'serialNumber', at);
    const version = fields.optionalNumber(entry, 'version', at);
    return serialNumber === undefined ? [] : [{ serialNumber, version: version ?? 1 }];
  });
}

type Path = readonly (string | number)[];

function readInstant(owner: JsonObject, name: string, path: Path, fields: FieldReader): string | undefined {
  const text = fields.optionalText(owner, name, path);
  const instant = text === undefined ? undefined : parseInstant(text);
  if (text !== undefined && instant === undefined) fields.note('field_invalid', [...path, name], 'an RFC 3339 time');
  return instant === undefined ? undefined : formatInstant(instant);
}

function readDigest(owner: JsonObject, path: Path, fields: FieldReader): string | undefined {
  const text = fields.text(owner, 'digest', path);
  const digest = text === undefined ? undefined : parseSha256(text);
  if (text !== undefined && digest === undefined) {
    fields.note('field_invalid', [...path, 'digest'], 'sha256: and 64 hex digits');
  }
  return digest;
}

function readUnread(value: unknown, fields: FieldReader): UnreadEntry[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    fields.note('field_type', ['unread'], 'an array');
    return [];
  }
  return value.flatMap((entry: unknown, index) => {
    const at = ['unread', index];
    if (!isJsonObject(entry)) {
      fields.note('field_type', at, 'an object');
      return [];
    }
    const path = fields.optionalText(entry, 'path', at) ?? '';
    const code = fields.text(entry, 'code', at);
    const message = fields.optionalText(entry, 'message', at) ?? '';
    const count = fields.optionalNumber(entry, 'count', at);
    const component = entry['component'] === undefined ? {} : readComponent(entry, at, fields);
    return code === undefined ? [] : [{ path, code, message, ...component, ...(count === undefined ? {} : { count }) }];
  });
}

function readComponent(owner: JsonObject, at: Path, fields: FieldReader): Pick<UnreadEntry, 'component'> {
  const value = fields.object(owner, 'component', at);
  const inside = [...at, 'component'];
  const name = value && fields.text(value, 'name', inside);
  if (value === undefined || name === undefined) return {};
  const version = fields.optionalText(value, 'version', inside);
  const purl = fields.optionalText(value, 'purl', inside);
  return {
    component: { name, ...(version === undefined ? {} : { version }), ...(purl === undefined ? {} : { purl }) },
  };
}
