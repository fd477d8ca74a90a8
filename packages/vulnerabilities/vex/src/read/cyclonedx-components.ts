import { isJsonObject, type JsonObject } from '@colophon/json';
import { HASH_NAMES_READ, PROPERTY_PREFIX } from '../cyclonedx-words/cyclonedx-words.ts';
import { isPurl } from '../purl-version/purl-version.ts';
import type { VexSubject } from '../vex-document/vex-document.ts';
import { isIri } from '../write/openvex-writer.ts';
import { below, type Place } from './place.ts';
import type { VexReading } from './vex-reading.ts';

/** What a reference leads to. */
export type Referred = {
  readonly subject: VexSubject;
  /** The documented artifact, or the outermost component that it is inside of. */
  readonly inside?: VexSubject;
};

/** The components of a document by their `bom-ref`. */
export class CycloneDxComponents {
  private readonly reading: VexReading;
  private readonly serial: string | undefined;
  private readonly link: string | undefined;
  private readonly referred = new Map<string, Referred>();
  private readonly outside = new Map<string, Referred>();

  constructor(reading: VexReading, document: JsonObject) {
    this.reading = reading;
    this.serial = textOf(document, 'serialNumber')?.replace(/^urn:uuid:/, 'urn:cdx:');
    const version = document['version'] ?? 1;
    this.link = this.serial && typeof version !== 'object' ? `${this.serial}/${version}#` : undefined;
    const metadata = reading.object(document, 'metadata', undefined) ?? {};
    const root = reading.object(metadata, 'component', below(undefined, 'metadata'));
    const rootSubject = root && this.subjectOf(root);
    // A product that nobody could find by an identifier says nothing about what is inside it.
    const product = rootSubject && isIdentified(rootSubject) ? rootSubject : undefined;
    if (root !== undefined) {
      this.add(root, undefined);
      this.walk(root, below(below(undefined, 'metadata'), 'component'), product);
    }
    this.walk(document, undefined, product);
    for (const [service] of reading.objects(document, 'services', undefined)) this.add(service, product);
  }

  /** What stands behind `affects[].ref`: a `bom-ref`, a BOM-Link, or what is in neither. */
  get(ref: string, place: Place): Referred {
    const local = this.link !== undefined && ref.startsWith(this.link) ? decoded(ref.slice(this.link.length)) : ref;
    const known = this.referred.get(local) ?? this.outside.get(ref);
    if (known !== undefined) return known;
    this.reading.note(place, 'vex.reference_outside', 'A statement is about a component that is not in the document.');
    const fragment = ref.startsWith('urn:cdx:') ? decoded(ref.slice(ref.indexOf('#') + 1)) : undefined;
    const purl = [ref, fragment].find(isPurl);
    const referred = { subject: purl === undefined ? { id: iriOf(ref) } : { purl } };
    this.outside.set(ref, referred);
    return referred;
  }

  private walk(owner: JsonObject, place: Place | undefined, inside: VexSubject | undefined): void {
    for (const [component, at] of this.reading.objects(owner, 'components', place)) {
      this.add(component, inside);
      if (component['components'] !== undefined) this.walk(component, at, inside ?? this.subjectOf(component));
    }
  }

  private add(component: JsonObject, inside: VexSubject | undefined): void {
    const ref = textOf(component, 'bom-ref');
    if (ref === undefined || this.referred.has(ref)) return;
    this.referred.set(ref, { subject: this.subjectOf(component), ...(inside && { inside }) });
  }

  private subjectOf(component: JsonObject): VexSubject {
    const own = ownProperties(component);
    const purl = textOf(component, 'purl');
    const cpe = textOf(component, 'cpe');
    const ref = textOf(component, 'bom-ref');
    const hashes = hashesOf(component);
    const identifiers: VexSubject = {
      ...(purl !== undefined && !own.has('id-only') && { purl }),
      ...(cpe?.startsWith('cpe:/') && { cpe22: cpe }),
      ...(cpe?.startsWith('cpe:2.3:') && { cpe23: cpe }),
      ...(own.has('cpe22') && { cpe22: own.get('cpe22') as string }),
      ...(hashes && { hashes }),
    };
    const id = own.get('id') ?? (Object.keys(identifiers).length === 0 ? this.idOf(ref) : undefined);
    const subject = { ...(id !== undefined && { id }), ...identifiers };
    const label = purl === undefined ? labelOf(component) : undefined;
    const name = own.get('name') ?? (label === plainLabel(subject) ? undefined : label);
    return name === undefined ? subject : { ...subject, name };
  }

  private idOf(ref: string | undefined): string | undefined {
    if (ref === undefined || isPurl(ref)) return ref;
    return this.link === undefined ? iriOf(ref) : `${this.link}${encodeURIComponent(ref)}`;
  }
}

/** A reference of a document that has no serial number as an id for others, which has to be an IRI. */
function iriOf(ref: string): string {
  if (isIri(ref)) return ref;
  // People write into a BOM-Link a reference as it is, and npm's have bars in them.
  const [, link, fragment] = BOM_LINK.exec(ref) ?? [];
  return fragment === undefined ? `bom-ref:${encodeURIComponent(ref)}` : `${link}${encodeURIComponent(fragment)}`;
}

const BOM_LINK = /^(urn:cdx:[0-9a-f-]+\/\d+#)(.+)$/is;

/** What a component is called that has no name of its own. */
export function plainLabel(subject: VexSubject): string {
  const { id, purl, cpe23, cpe22, hashes = {} } = subject;
  return purl ?? id ?? cpe23 ?? cpe22 ?? Object.values(hashes)[0] ?? 'product';
}

/** Our own properties, by their names without the prefix. */
export function ownProperties(owner: JsonObject): ReadonlyMap<string, string> {
  const { properties } = owner;
  const own = new Map<string, string>();
  for (const property of Array.isArray(properties) ? properties : []) {
    if (!isJsonObject(property)) continue;
    const { name, value } = property;
    if (typeof name === 'string' && typeof value === 'string' && name.startsWith(PROPERTY_PREFIX))
      own.set(name.slice(PROPERTY_PREFIX.length), value);
  }
  return own;
}

/** True for what can be found by more than a name of the document's own. */
export function isIdentified({ purl, cpe22, cpe23, hashes, id }: VexSubject): boolean {
  return [purl, cpe22, cpe23, hashes].some((one) => one !== undefined) || isPurl(id);
}

function labelOf(component: JsonObject): string | undefined {
  const [group, name, version] = ['group', 'name', 'version'].map((member) => textOf(component, member));
  if (name === undefined) return undefined;
  return `${group === undefined ? '' : `${group}/`}${name}${version === undefined ? '' : ` ${version}`}`;
}

function hashesOf(component: JsonObject): Record<string, string> | undefined {
  const { hashes } = component;
  const read = (Array.isArray(hashes) ? hashes : []).flatMap((hash): [string, string][] => {
    if (!isJsonObject(hash)) return [];
    const { alg, content } = hash;
    if (typeof alg !== 'string' || typeof content !== 'string') return [];
    return [[HASH_NAMES_READ.get(alg) ?? alg.toLowerCase(), content]];
  });
  for (const [name, value] of ownProperties(component))
    if (name.startsWith('hash:')) read.push([name.slice('hash:'.length), value]);
  return read.length === 0 ? undefined : Object.fromEntries(read);
}

function textOf(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
