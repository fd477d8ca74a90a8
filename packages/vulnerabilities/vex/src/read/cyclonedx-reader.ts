import { normaliseVulnerabilityId } from '@colophon/findings';
import type { JsonObject } from '@colophon/json';
import { VEX_JUSTIFICATIONS, type VexJustification, type VexStatus } from '@colophon/records';
import {
  type CycloneDxJustification,
  type CycloneDxState,
  JUSTIFICATION_READ,
  JUSTIFICATION_WRITTEN,
  PROPERTY_PREFIX,
  placeInStatementRef,
  STATUS_OF_STATE,
  WORDS_OF_RESPONSE,
} from '../cyclonedx-words/cyclonedx-words.ts';
import { UNKNOWN_TIME, type VexDocument, type VexStatement } from '../vex-document/vex-document.ts';
import { normaliseTime } from '../vex-time/vex-time.ts';
import { readAffected } from './cyclonedx-affected.ts';
import { CycloneDxComponents, ownProperties } from './cyclonedx-components.ts';
import { below, type Place } from './place.ts';
import { quoted, type VexReading } from './vex-reading.ts';

const VERSIONS: readonly string[] = ['1.4', '1.5', '1.6', '1.7'];
const VULNERABILITY_MEMBERS: ReadonlySet<string> = new Set([
  ...['bom-ref', 'id', 'source', 'references', 'description', 'recommendation', 'workaround', 'analysis', 'affects'],
  'properties',
]);
const ANALYSIS_MEMBERS: ReadonlySet<string> = new Set([
  ...['state', 'justification', 'response', 'detail', 'firstIssued', 'lastUpdated'],
]);
const STATES = Object.keys(STATUS_OF_STATE) as readonly CycloneDxState[];
const JUSTIFICATIONS = Object.keys(JUSTIFICATION_READ) as readonly CycloneDxJustification[];

/** Reads the analyses of a CycloneDX document; a vulnerability without one is a report, and no statement. */
export function readCycloneDx(reading: VexReading, document: JsonObject): VexDocument | undefined {
  const version = reading.text(document, 'specVersion', undefined);
  if (version === undefined || !VERSIONS.includes(version)) {
    const message = `Statements are read from CycloneDX ${VERSIONS[0]} to ${VERSIONS.at(-1)}, and this is ${quoted(version ?? 'without a version')}.`;
    reading.refuse(below(undefined, 'specVersion'), 'vex.version_unsupported', message, VERSIONS.join(', '));
    return undefined;
  }
  const place = below(undefined, 'metadata');
  const metadata = reading.object(document, 'metadata', undefined) ?? {};
  const own = ownProperties(metadata);
  const timestamp = reading.time(metadata, 'timestamp', place);
  const components = new CycloneDxComponents(reading, document);
  const stated = inTheirOrder(reading.objects(document, 'vulnerabilities', undefined));
  const statements = stated.flatMap(
    ([one, at]) => readVulnerability(reading, one, at, { timestamp, components }) ?? [],
  );
  if (stated.length === 0) reading.note(undefined, 'vex.no_statement', 'The document has no statement.');
  const id = own.get('id') ?? reading.text(document, 'serialNumber', undefined);
  const author = readAuthor(reading, metadata, place);
  const documentVersion = document['version'];
  const last_updated = own.get('last_updated');
  return {
    shape: 'cyclonedx',
    ...(id !== undefined && { id }),
    ...(author !== undefined && { author }),
    ...(own.has('role') && { role: own.get('role') as string }),
    ...(timestamp !== undefined && { timestamp }),
    ...(last_updated !== undefined && { last_updated }),
    ...(typeof documentVersion === 'number' && { version: documentVersion }),
    ...(own.has('tooling') && { tooling: own.get('tooling') as string }),
    statements,
  };
}

/** As they were before they were written by time, which our own references tell; else as they stand. */
function inTheirOrder(stated: Stated): Stated {
  const places = stated.map(([one]) => placeInStatementRef(one['bom-ref']));
  if (!places.every((place) => place !== undefined) || new Set(places).size < places.length) return stated;
  const sorted = stated.map((one, index) => ({ one, place: places[index] as number }));
  return sorted.sort((a, b) => a.place - b.place).map(({ one }) => one);
}

type Stated = ReturnType<VexReading['objects']>;

function readAuthor(reading: VexReading, metadata: JsonObject, place: Place): string | undefined {
  const authors = reading.objects(metadata, 'authors', place).flatMap(([one, at]) => {
    const name = reading.text(one, 'name', at);
    const email = reading.text(one, 'email', at);
    if (name === undefined || email === undefined) return name ?? email ?? [];
    return `${name} <${email}>`;
  });
  if (authors.length > 0) return authors.join(', ');
  const supplier = reading.object(metadata, 'supplier', place) ?? reading.object(metadata, 'manufacturer', place);
  return supplier && reading.text(supplier, 'name', place);
}

type Context = { readonly timestamp: string | undefined; readonly components: CycloneDxComponents };

function readVulnerability(
  reading: VexReading,
  vulnerability: JsonObject,
  place: Place,
  { timestamp, components }: Context,
): VexStatement | undefined {
  const analysis = reading.object(vulnerability, 'analysis', place) ?? {};
  const at = below(place, 'analysis');
  const state = reading.text(analysis, 'state', at);
  if (state === undefined) {
    reading.note(
      place,
      'vex.no_statement',
      'A vulnerability without a state of analysis is a report, and no statement.',
    );
    return undefined;
  }
  const word = reading.wordOf(STATES, state, below(at, 'state'), 'vex.status_unknown', 'state of analysis');
  if (word === undefined) return undefined;
  const status = STATUS_OF_STATE[word];
  if (word === 'false_positive' || word === 'resolved_with_pedigree')
    reading.note(below(at, 'state'), 'vex.read_as', `The state ${word} was read as ${status}.`);
  const named = readName(reading, vulnerability, place);
  if (named === undefined) return undefined;
  reading.noteOthers(vulnerability, VULNERABILITY_MEMBERS, place, 'a vulnerability');
  reading.noteOthers(analysis, ANALYSIS_MEMBERS, at, 'an analysis');
  const own = ownProperties(vulnerability);
  noteForeignProperties(reading, vulnerability, place);
  const products = readAffected(reading, vulnerability, place, status, components);
  if (products.length === 0)
    reading.note(place, 'vex.products_missing', 'A statement names no product, so it matches nothing.');
  const justification = readJustification(reading, analysis, at, own.get('justification'));
  const times = readTimes(reading, analysis, at, own, timestamp);
  if (times.timestamp === UNKNOWN_TIME)
    reading.note(place, 'vex.time_unknown', 'A statement has no time, and its document none: every other is newer.');
  const version = own.get('version');
  reading.places.push(place);
  const actionTime = normaliseTime(own.get('action_statement_timestamp') ?? '');
  return {
    ...(own.has('id') && { id: own.get('id') as string }),
    ...(version !== undefined && /^\d{1,9}$/.test(version) && { version: Number(version) }),
    vulnerability: named,
    ...times,
    products,
    status,
    ...(own.has('supplier') && { supplier: own.get('supplier') as string }),
    ...readTexts(reading, vulnerability, place, analysis, status, own),
    ...(justification !== undefined && { justification }),
    ...(actionTime !== undefined && { action_statement_timestamp: actionTime }),
  };
}

function readName(
  reading: VexReading,
  vulnerability: JsonObject,
  place: Place,
): VexStatement['vulnerability'] | undefined {
  const references = reading
    .objects(vulnerability, 'references', place)
    .flatMap(([one, at]) => reading.text(one, 'id', at) ?? [])
    .map(normaliseVulnerabilityId);
  const stated = reading.text(vulnerability, 'id', place);
  const name = stated === undefined ? references[0] : normaliseVulnerabilityId(stated);
  if (name === undefined) {
    reading.note(place, 'vex.no_statement', 'A vulnerability without an id matches no finding.');
    return undefined;
  }
  const source = reading.object(vulnerability, 'source', place);
  const url = source && reading.text(source, 'url', below(place, 'source'));
  const description = reading.text(vulnerability, 'description', place);
  const aliases = reading.names(stated === undefined ? references.slice(1) : references, place);
  return {
    name,
    ...(url !== undefined && { id: url }),
    ...(description !== undefined && { description }),
    ...(aliases.length > 0 && { aliases }),
  };
}

function noteForeignProperties(reading: VexReading, vulnerability: JsonObject, place: Place): void {
  for (const [property, at] of reading.objects(vulnerability, 'properties', place)) {
    if (typeof property['name'] === 'string' && property['name'].startsWith(PROPERTY_PREFIX)) continue;
    reading.note(at, 'vex.not_held', '"properties" of a vulnerability has no place in a VEX statement.');
  }
}

function readJustification(
  reading: VexReading,
  analysis: JsonObject,
  place: Place,
  own: string | undefined,
): VexJustification | undefined {
  const stated = reading.text(analysis, 'justification', place);
  const exact = VEX_JUSTIFICATIONS.find((one) => one === own);
  if (stated === undefined) return exact;
  const at = below(place, 'justification');
  const word = reading.wordOf(JUSTIFICATIONS, stated, at, 'vex.justification_unknown', 'justification of CycloneDX');
  if (word === undefined) return undefined;
  // Ours counts while the standard's own word still says the same.
  if (exact !== undefined && JUSTIFICATION_WRITTEN[exact] === word) return exact;
  const read = JUSTIFICATION_READ[word];
  if (JUSTIFICATION_WRITTEN[read] !== word)
    reading.note(at, 'vex.read_as', `The justification ${word} was read as ${read}, which says less.`);
  return read;
}

/** An analysis is one record that is kept up to date: what it says was known when it was last changed. */
function readTimes(
  reading: VexReading,
  analysis: JsonObject,
  place: Place,
  own: ReadonlyMap<string, string>,
  inherited: string | undefined,
): Pick<VexStatement, 'timestamp' | 'last_updated'> {
  const first = reading.time(analysis, 'firstIssued', place);
  const last = reading.time(analysis, 'lastUpdated', place);
  const exact = normaliseTime(own.get('timestamp') ?? '');
  if (exact !== undefined) return { timestamp: exact, ...(last !== undefined && { last_updated: last }) };
  return { timestamp: last ?? first ?? inherited ?? UNKNOWN_TIME };
}

/** What to do, for good and until then. */
const ADVICE = ['recommendation', 'workaround'] as const;

type Texts = Pick<VexStatement, 'status_notes' | 'impact_statement' | 'action_statement'>;

function readTexts(
  reading: VexReading,
  vulnerability: JsonObject,
  place: Place,
  analysis: JsonObject,
  status: VexStatus,
  own: ReadonlyMap<string, string>,
): Texts {
  const at = below(place, 'analysis');
  const detail = reading.text(analysis, 'detail', at);
  const advice = ADVICE.filter((name) => reading.text(vulnerability, name, place) !== undefined);
  const advised = advice.map((name) => vulnerability[name]).join('\n') || undefined;
  const responses = reading.texts(analysis, 'response', at).map((one) => WORDS_OF_RESPONSE[one] ?? one);
  const action = status === 'affected' ? (advised ?? detail ?? (responses.join(' ') || undefined)) : undefined;
  for (const name of status === 'affected' ? [] : advice)
    reading.note(below(place, name), 'vex.not_held', `A ${name} has no place where it is ${status}.`);
  if (responses.length > 0 && action !== responses.join(' '))
    reading.note(below(at, 'response'), 'vex.not_held', '"response" of an analysis has no place in a VEX statement.');
  const notes = detail === action || status === 'not_affected' ? undefined : detail;
  const texts = {
    status_notes: own.get('status_notes') ?? notes,
    impact_statement: own.get('impact_statement') ?? (status === 'not_affected' ? detail : undefined),
    action_statement: own.get('action_statement') ?? action,
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)) as Texts;
}
