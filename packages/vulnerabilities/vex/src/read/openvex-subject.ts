import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import type { VexProduct, VexSubject } from '../vex-document/vex-document.ts';
import { hashIri } from '../write/openvex-writer.ts';
import { below, type Place } from './place.ts';
import type { VexReading } from './vex-reading.ts';

const SUBJECT_MEMBERS: ReadonlySet<string> = new Set(['@id', 'identifiers', 'hashes']);
const PRODUCT_MEMBERS: ReadonlySet<string> = new Set([...SUBJECT_MEMBERS, 'subcomponents']);
const IDENTIFIERS: ReadonlySet<string> = new Set(['purl', 'cpe22', 'cpe23']);

/** One of `products` or of the contract's `components`: an object, or in older documents its identifier alone. */
export function readProduct(reading: VexReading, value: JsonValue, place: Place): VexProduct | undefined {
  const subject = readSubject(reading, value, place, PRODUCT_MEMBERS);
  if (subject === undefined || !isJsonObject(value)) return subject;
  const subcomponents = readSubjects(reading, value, 'subcomponents', place);
  return subcomponents.length === 0 ? subject : { ...subject, subcomponents };
}

/** A list of components, each an object or its identifier alone. */
export function readSubjects(reading: VexReading, object: JsonObject, name: string, place: Place): VexSubject[] {
  const list = below(place, name);
  return reading
    .list(object, name, place)
    .flatMap((item, index) => readSubject(reading, item, below(list, index), SUBJECT_MEMBERS) ?? []);
}

function readSubject(
  reading: VexReading,
  value: JsonValue,
  place: Place,
  members: ReadonlySet<string>,
): VexSubject | undefined {
  if (typeof value === 'string' && value !== '') return { id: value };
  if (!isJsonObject(value)) {
    reading.refuse(place, 'vex.field_type', 'This names no product.', 'an object with "@id" or "identifiers"');
    return undefined;
  }
  const id = reading.text(value, '@id', place);
  const identifiers = reading.object(value, 'identifiers', place);
  const hashes = readHashes(reading, value, place);
  reading.noteOthers(value, members, place, 'a product');
  const subject = {
    // Made of the hashes by whoever wrote it, because the standard wants a name.
    ...(id !== undefined && (hashes === undefined || id !== hashIri(hashes)) && { id }),
    ...(identifiers && readIdentifiers(reading, identifiers, below(place, 'identifiers'))),
    ...(hashes && { hashes }),
  };
  if (Object.keys(subject).length > 0) return subject;
  reading.refuse(place, 'vex.field_missing', 'Nothing says which product this is.', '"@id" or "identifiers"');
  return undefined;
}

function readIdentifiers(reading: VexReading, identifiers: JsonObject, place: Place): VexSubject {
  const purl = reading.text(identifiers, 'purl', place);
  const cpe22 = reading.text(identifiers, 'cpe22', place);
  const cpe23 = reading.text(identifiers, 'cpe23', place);
  reading.noteOthers(identifiers, IDENTIFIERS, place, 'identifiers');
  return { ...(purl && { purl }), ...(cpe22 && { cpe22 }), ...(cpe23 && { cpe23 }) };
}

function readHashes(reading: VexReading, value: JsonObject, place: Place): Record<string, string> | undefined {
  const object = reading.object(value, 'hashes', place);
  if (object === undefined) return undefined;
  const at = below(place, 'hashes');
  const hashes = Object.keys(object).flatMap((name): [string, string][] => {
    const text = reading.text(object, name, at);
    return text === undefined ? [] : [[name, text]];
  });
  return hashes.length === 0 ? undefined : Object.fromEntries(hashes);
}
