import type { JsonObject } from '@colophon/json';
import type { VexStatus } from '@colophon/records';
import { UNKNOWN_TIME, type VexProduct, type VexStatement } from '../vex-document/vex-document.ts';
import { readProduct, readSubjects } from './openvex-subject.ts';
import { readVulnerability } from './openvex-vulnerability.ts';
import { below, type Place } from './place.ts';
import type { VexReading } from './vex-reading.ts';

const MEMBERS: ReadonlySet<string> = new Set([
  '@id',
  'version',
  'vulnerability',
  'timestamp',
  'last_updated',
  'products',
  'status',
  'supplier',
  'status_notes',
  'justification',
  'impact_statement',
  'action_statement',
  'action_statement_timestamp',
  // The contract's.
  'components',
  'details',
  // Of the versions before 0.2.0.
  'subcomponents',
  'vuln_description',
]);

/** What a document says for all its statements. */
export type Inherited = { readonly time: string | undefined; readonly supplier: string | undefined };

/** One statement of OpenVEX, of the contract (§2.6), or of both in one. */
export function readStatement(
  reading: VexReading,
  statement: JsonObject,
  place: Place,
  inherited: Inherited,
): VexStatement | undefined {
  reading.noteOthers(statement, MEMBERS, place, 'a statement');
  const vulnerability = readVulnerability(reading, statement, place);
  const status = readStatus(reading, statement, place);
  const timestamp = reading.time(statement, 'timestamp', place) ?? inherited.time;
  if (timestamp === undefined)
    reading.note(place, 'vex.time_unknown', 'A statement has no time, and its document none: every other is newer.');
  const products = readProducts(reading, statement, place);
  if (products.length === 0)
    reading.note(place, 'vex.products_missing', 'A statement names no product, so it matches nothing.');
  const label = reading.text(statement, 'justification', place);
  const justification = label === undefined ? undefined : reading.justification(label, below(place, 'justification'));
  const id = reading.text(statement, '@id', place);
  const version = readVersion(reading, statement, place);
  const last_updated = reading.time(statement, 'last_updated', place);
  const supplier = reading.text(statement, 'supplier', place) ?? inherited.supplier;
  const action_statement_timestamp = reading.time(statement, 'action_statement_timestamp', place);
  const description = reading.text(statement, 'vuln_description', place);
  if (vulnerability === undefined || status === undefined) return undefined;
  reading.places.push(place);
  return {
    ...(id !== undefined && { id }),
    ...(version !== undefined && { version }),
    vulnerability:
      description === undefined || vulnerability.description !== undefined
        ? vulnerability
        : { ...vulnerability, description },
    timestamp: timestamp ?? UNKNOWN_TIME,
    ...(last_updated !== undefined && { last_updated }),
    products,
    status,
    ...(supplier !== undefined && { supplier }),
    ...readTexts(reading, statement, place, status),
    ...(justification !== undefined && { justification }),
    ...(action_statement_timestamp !== undefined && { action_statement_timestamp }),
  };
}

function readStatus(reading: VexReading, statement: JsonObject, place: Place): VexStatus | undefined {
  const word = reading.text(statement, 'status', place);
  if (word !== undefined) return reading.status(word, below(place, 'status'));
  if (typeof (statement['status'] ?? '') === 'string')
    reading.refuse(place, 'vex.field_missing', 'The statement has no status.', '"status"');
  return undefined;
}

/** A whole number; older documents write it as text. */
export function readVersion(reading: VexReading, object: JsonObject, place: Place | undefined): number | undefined {
  const value = object['version'];
  if (value === undefined || value === null || value === '') return undefined;
  const version = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof version === 'number' && Number.isSafeInteger(version) && version >= 0) {
    if (version !== value) reading.note(below(place, 'version'), 'vex.read_as', 'A version is text, read as a number.');
    return version;
  }
  reading.refuse(below(place, 'version'), 'vex.field_type', '"version" is no whole number.', 'an integer');
  return undefined;
}

/** `products`, the contract's `components`, or what both say together; each once. */
function readProducts(reading: VexReading, statement: JsonObject, place: Place): readonly VexProduct[] {
  const read = (name: string) =>
    reading
      .list(statement, name, place)
      .flatMap((item, index) => readProduct(reading, item, below(below(place, name), index)) ?? []);
  const products = read('products');
  const components = read('components');
  const all = components.length === 0 ? products : withoutNamedTwice(products, components);
  const common = readSubjects(reading, statement, 'subcomponents', place);
  if (common.length === 0) return all;
  reading.note(
    below(place, 'subcomponents'),
    'vex.read_as',
    'Subcomponents of a statement were read as its products’.',
  );
  if (!reading.expand(all.length * common.length, place)) return all;
  return all.map((product) => ({ ...product, subcomponents: [...(product.subcomponents ?? []), ...common] }));
}

function withoutNamedTwice(products: readonly VexProduct[], components: readonly VexProduct[]): VexProduct[] {
  const named = new Set(products.flatMap(({ id, purl }) => [id, purl]));
  return [...products, ...components.filter(({ id, purl }) => !named.has(purl ?? id))];
}

type Texts = Pick<VexStatement, 'status_notes' | 'impact_statement' | 'action_statement'>;

/** The free texts; the contract's `details` is the one that belongs to the status (docs/vex.md). */
function readTexts(reading: VexReading, statement: JsonObject, place: Place, status: VexStatus): Texts {
  const status_notes = reading.text(statement, 'status_notes', place);
  const impact_statement = reading.text(statement, 'impact_statement', place);
  const action_statement = reading.text(statement, 'action_statement', place);
  const texts: Texts = {
    ...(status_notes !== undefined && { status_notes }),
    ...(impact_statement !== undefined && { impact_statement }),
    ...(action_statement !== undefined && { action_statement }),
  };
  const details = reading.text(statement, 'details', place);
  if (details === undefined || Object.values(texts).includes(details)) return texts;
  const free = ([TEXT_OF_STATUS[status], 'status_notes'] as const).find((name) => texts[name] === undefined);
  if (free !== undefined) return { ...texts, [free]: details };
  reading.refuse(
    below(place, 'details'),
    'vex.conflict',
    'The statement has "details", and other texts in both places where these could go.',
    'the same text, or one of them',
  );
  return texts;
}

/** Where the contract's free text goes. */
export const TEXT_OF_STATUS = {
  not_affected: 'impact_statement',
  affected: 'action_statement',
  fixed: 'status_notes',
  under_investigation: 'status_notes',
} as const satisfies Record<VexStatus, keyof Texts>;
