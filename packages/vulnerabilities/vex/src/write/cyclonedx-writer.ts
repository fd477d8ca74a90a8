import { canonicalJson, type JsonObject, type JsonValue } from '@colophon/json';
import { isUuid } from '@colophon/notation';
import type { VexStatus } from '@colophon/records';
import { digestOf } from '@colophon/records';
import {
  JUSTIFICATION_READ,
  JUSTIFICATION_WRITTEN,
  STATE_OF_STATUS,
  statementRef,
} from '../cyclonedx-words/cyclonedx-words.ts';
import { UNKNOWN_TIME, type VexDocument, type VexStatement } from '../vex-document/vex-document.ts';
import { compareTimes } from '../vex-time/vex-time.ts';
import { propertyList, WrittenComponents } from './cyclonedx-components.ts';
import { optional } from './openvex-writer.ts';

/** The versions of CycloneDX in which documents are written. */
export const WRITTEN_CYCLONEDX = ['1.6', '1.7'] as const;
export type WrittenCycloneDx = (typeof WRITTEN_CYCLONEDX)[number];

const SERIAL_PREFIX = 'urn:uuid:';

/**
 * A CycloneDX document with one vulnerability for each statement. What CycloneDX has no place for stands in properties
 * `colophon:vex:*`, from which it is read back, so nothing is lost.
 */
export function toCycloneDx(document: VexDocument, specVersion: WrittenCycloneDx): JsonObject {
  const components = new WrittenComponents();
  const written = document.statements.map((one, index) => ({ one, json: vulnerabilityOf(one, index, components) }));
  // Consumers let the last one count that stands in the document; the references tell the order that it had.
  written.sort((a, b) => compareTimes(a.one.timestamp, b.one.timestamp));
  const vulnerabilities = written.map(({ json }) => json);
  const isSerial = document.id?.startsWith(SERIAL_PREFIX) === true && isUuid(document.id.slice(SERIAL_PREFIX.length));
  const properties = propertyList([
    ['id', isSerial ? undefined : document.id],
    ['role', document.role],
    ['last_updated', document.last_updated],
    ['tooling', document.tooling],
  ]);
  const { about, components: listed } = components.placed();
  const metadata = {
    ...optional('timestamp', document.timestamp),
    ...(document.author !== undefined && { authors: [{ name: document.author }] }),
    ...optional('component', about),
    ...(properties.length > 0 && { properties }),
  };
  const body = {
    version: Math.max(document.version ?? 1, 1),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(listed.length > 0 && { components: listed }),
    vulnerabilities,
  };
  const serialNumber = isSerial ? (document.id as string) : serialOf(body);
  return { bomFormat: 'CycloneDX', specVersion, serialNumber, ...body };
}

/** A UUID of version 8 made from the content, so that the same content has the same. */
function serialOf(body: JsonObject): string {
  const hex = digestOf(canonicalJson(body)).replace('sha256:', '');
  const variant = ((Number.parseInt(hex[16] as string, 16) & 3) | 8).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function vulnerabilityOf(statement: VexStatement, index: number, components: WrittenComponents): JsonObject {
  const { vulnerability, timestamp, last_updated, status, justification } = statement;
  const word = justification === undefined ? undefined : JUSTIFICATION_WRITTEN[justification];
  const isExact = word !== undefined && JUSTIFICATION_READ[word] === justification;
  const isJustified = status === 'not_affected' && word !== undefined;
  const { detail, recommendation, rest } = textsOf(statement);
  const properties = propertyList([
    ['id', statement.id],
    ['version', statement.version === undefined ? undefined : String(statement.version)],
    ['timestamp', last_updated === undefined && timestamp !== UNKNOWN_TIME ? undefined : timestamp],
    ['supplier', statement.supplier],
    ['justification', isJustified && isExact ? undefined : justification],
    ...rest,
    ['action_statement_timestamp', statement.action_statement_timestamp],
  ]);
  const aliases = (vulnerability.aliases ?? []).map((id): JsonValue => ({ id, source: sourceOf(id) }));
  const source = { ...sourceOf(vulnerability.name), ...optional('url', vulnerability.id) };
  return {
    'bom-ref': statementRef(index),
    id: vulnerability.name,
    ...(Object.keys(source).length > 0 && { source }),
    ...(aliases.length > 0 && { references: aliases }),
    ...optional('description', vulnerability.description),
    ...optional('recommendation', recommendation),
    analysis: {
      state: STATE_OF_STATUS[status],
      ...(isJustified && { justification: word }),
      ...optional('detail', detail),
      ...(timestamp !== UNKNOWN_TIME && { firstIssued: timestamp }),
      ...optional('lastUpdated', last_updated),
    },
    ...(statement.products.length > 0 && { affects: affectsOf(statement, components) }),
    ...(properties.length > 0 && { properties }),
  };
}

/** Who gives out ids that begin so, as Dependency-Track calls them: it passes over what has no source that it knows. */
const SOURCES: ReadonlyArray<readonly [ids: RegExp, name: string]> = [
  [/^CVE-/i, 'NVD'],
  [/^GHSA-/i, 'GITHUB'],
  [/^SNYK-/i, 'SNYK'],
  [/^sonatype-/i, 'OSSINDEX'],
  [/^(?:BIT|GO|GSD|HSEC|MAL|OSV|PSF|PYSEC|RSEC|RUSTSEC)-/i, 'OSV'],
];

function sourceOf(id: string): JsonObject {
  return optional('name', SOURCES.find(([ids]) => ids.test(id))?.[1]);
}

const VERSION_STATUS: Readonly<Record<VexStatus, string>> = {
  affected: 'affected',
  not_affected: 'unaffected',
  fixed: 'unaffected',
  under_investigation: 'unknown',
};

function affectsOf({ products, status }: VexStatement, components: WrittenComponents): JsonValue[] {
  // The schema wants every entry once.
  const affects = new Map<string, JsonValue>();
  for (const { ref, subject } of products.flatMap((product) => components.refsOf(product))) {
    const versions = (subject.versions ?? []).map((one) => ({
      [one.startsWith('vers:') ? 'range' : 'version']: one,
      status: VERSION_STATUS[status],
    }));
    const entry = { ref, ...(versions.length > 0 && { versions }) };
    affects.set(JSON.stringify(entry), entry);
  }
  return [...affects.values()];
}

type Written = {
  readonly detail: string | undefined;
  readonly recommendation: string | undefined;
  readonly rest: ReadonlyArray<readonly [name: string, value: string | undefined]>;
};

/** The texts in the places that readers of CycloneDX look at; what would be read otherwise stands in properties. */
function textsOf({ status, status_notes, impact_statement, action_statement }: VexStatement): Written {
  if (status === 'not_affected') {
    const rest = [['status_notes', status_notes] as const, ['action_statement', action_statement] as const];
    return { detail: impact_statement, recommendation: undefined, rest };
  }
  if (status === 'affected') {
    // A detail without a recommendation is read as what to do.
    const hasPlace = action_statement !== undefined && action_statement !== status_notes;
    const rest = [
      ['status_notes', hasPlace ? undefined : status_notes] as const,
      ['impact_statement', impact_statement] as const,
    ];
    return { detail: hasPlace ? status_notes : undefined, recommendation: action_statement, rest };
  }
  const rest = [['impact_statement', impact_statement] as const, ['action_statement', action_statement] as const];
  return { detail: status_notes, recommendation: undefined, rest };
}
