import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import type { VexDocument } from '../vex-document/vex-document.ts';
import { type Inherited, readStatement, readVersion } from './openvex-statement.ts';
import { below } from './place.ts';
import { quoted, type VexReading } from './vex-reading.ts';

/** Without a version it is what documents before 0.2.0 have. */
export const OPENVEX_NAMESPACE = 'https://openvex.dev/ns';
const KNOWN_VERSIONS: ReadonlySet<string> = new Set(['', '/v0.0.0', '/v0.0.1', '/v0.0.2', '/v0.2.0']);

const MEMBERS: ReadonlySet<string> = new Set([
  '@context',
  '@id',
  'author',
  'role',
  'timestamp',
  'last_updated',
  'version',
  'tooling',
  'statements',
  // Of the versions before 0.2.0.
  'id',
  'format',
  'supplier',
]);

/** True for OpenVEX of any version, and for the contract's shape (§2.6), which has its namespace. */
export function isOpenVex(document: JsonObject): boolean {
  if (contextsOf(document).length > 0) return true;
  const { statements } = document;
  // The first versions had no @context.
  return Array.isArray(statements) && isJsonObject(statements[0]) && statements[0]['status'] !== undefined;
}

function contextsOf(document: JsonObject): readonly string[] {
  const context = document['@context'];
  const all: readonly JsonValue[] = Array.isArray(context) ? (context as readonly JsonValue[]) : [context ?? null];
  return all.filter((one): one is string => typeof one === 'string' && one.startsWith(OPENVEX_NAMESPACE));
}

/**
 * Reads OpenVEX v0.2.0, the versions before it, the contract's literal shape, and documents that mix them. A document
 * in which any statement is written as in the contract has the shape `spec`.
 * @see contract §2.6
 */
export function readOpenVex(reading: VexReading, document: JsonObject): VexDocument | undefined {
  for (const context of contextsOf(document)) {
    if (KNOWN_VERSIONS.has(context.slice(OPENVEX_NAMESPACE.length).replace(/\/$/, ''))) continue;
    const message = `This version of OpenVEX is not known: ${quoted(context)}.`;
    reading.refuse(below(undefined, '@context'), 'vex.version_unsupported', message, `${OPENVEX_NAMESPACE}/v0.2.0`);
    return undefined;
  }
  reading.noteOthers(document, MEMBERS, undefined, 'the document');
  const timestamp = reading.time(document, 'timestamp', undefined);
  const last_updated = reading.time(document, 'last_updated', undefined);
  const supplier = reading.text(document, 'supplier', undefined);
  const inherited: Inherited = { time: timestamp ?? last_updated, supplier };
  if (document['statements'] === undefined || document['statements'] === null)
    reading.refuse(undefined, 'vex.field_missing', 'The document has no list of statements.', '"statements"');
  const stated = reading.objects(document, 'statements', undefined);
  const statements = stated.flatMap(([one, place]) => readStatement(reading, one, place, inherited) ?? []);
  if (stated.length === 0) reading.note(undefined, 'vex.no_statement', 'The document has no statement.');
  const id = reading.text(document, '@id', undefined) ?? reading.text(document, 'id', undefined);
  const author = reading.text(document, 'author', undefined);
  const role = reading.text(document, 'role', undefined);
  const version = readVersion(reading, document, undefined);
  const tooling = reading.text(document, 'tooling', undefined);
  return {
    shape: stated.some(([one]) => isContractStatement(one)) ? 'spec' : 'openvex',
    ...(id !== undefined && { id }),
    ...(author !== undefined && { author }),
    ...(role !== undefined && { role }),
    ...(timestamp !== undefined && { timestamp }),
    ...(last_updated !== undefined && { last_updated }),
    ...(version !== undefined && { version }),
    ...(tooling !== undefined && { tooling }),
    statements,
  };
}

function isContractStatement(statement: JsonObject): boolean {
  const { components, details, vulnerability } = statement;
  return (
    components !== undefined ||
    details !== undefined ||
    (isJsonObject(vulnerability) && vulnerability['id'] !== undefined)
  );
}
