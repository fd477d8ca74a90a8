import type { JsonObject } from '@colophon/json';
import { UNKNOWN_TIME, type VexDocument } from '../vex-document/vex-document.ts';
import { CsafProducts } from './csaf-products.ts';
import { readCsafVulnerability } from './csaf-vulnerability.ts';
import { below } from './place.ts';
import { quoted, type VexReading } from './vex-reading.ts';

const VERSIONS: readonly string[] = ['2.0', '2.1'];
const CATEGORY = 'csaf_vex';
/** Profiles that list the status of products, too; a withdrawn or superseded document says nothing any more. */
const ADVISORIES: ReadonlySet<string> = new Set(['csaf_security_advisory', 'csaf_deprecated_security_advisory']);
const CSAF_CATEGORIES = [CATEGORY, ...ADVISORIES].join(', ');
const DOCUMENT_MEMBERS: ReadonlySet<string> = new Set(['category', 'csaf_version', 'publisher', 'title', 'tracking']);
const TRACKING_MEMBERS: ReadonlySet<string> = new Set([
  ...['id', 'version', 'status', 'current_release_date', 'initial_release_date', 'generator', 'revision_history'],
]);

/** True for every document of the CSAF family, whatever its version and category. */
export function isCsaf(document: JsonObject): boolean {
  const value = document['document'];
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'csaf_version');
}

/** Reads what the CSAF profiles for VEX and for security advisories say of products. */
export function readCsaf(reading: VexReading, csaf: JsonObject): VexDocument | undefined {
  const place = below(undefined, 'document');
  const document = reading.object(csaf, 'document', undefined) ?? {};
  const stated = document['csaf_version'];
  const version = typeof stated === 'object' ? JSON.stringify(stated) : String(stated);
  if (!VERSIONS.includes(version)) {
    const message = `This version of CSAF is not read: ${quoted(version)}.`;
    reading.refuse(below(place, 'csaf_version'), 'vex.version_unsupported', message, VERSIONS.join(', '));
    return undefined;
  }
  const category = reading.text(document, 'category', place) ?? '';
  const isAdvisory = ADVISORIES.has(category);
  if (category !== CATEGORY && !isAdvisory) {
    const message = `This is CSAF of the category "${quoted(category)}", which is no VEX.`;
    reading.refuse(below(place, 'category'), 'vex.category_unsupported', message, CSAF_CATEGORIES);
    return undefined;
  }
  if (isAdvisory)
    reading.note(below(place, 'category'), 'vex.read_as', 'An advisory was read as what it says of each product.');
  reading.noteOthers(document, DOCUMENT_MEMBERS, place, 'a CSAF document');
  const trackingPlace = below(place, 'tracking');
  const tracking = reading.object(document, 'tracking', place) ?? {};
  reading.noteOthers(tracking, TRACKING_MEMBERS, trackingPlace, 'tracking');
  const publisher = reading.object(document, 'publisher', place) ?? {};
  const author = reading.text(publisher, 'name', below(place, 'publisher'));
  const namespace = reading.text(publisher, 'namespace', below(place, 'publisher')) ?? 'urn:csaf';
  const trackingId = reading.text(tracking, 'id', trackingPlace);
  const id = `${namespace}#${encodeURIComponent(trackingId ?? '')}`;
  const timestamp = reading.time(tracking, 'current_release_date', trackingPlace);
  const initial = reading.time(tracking, 'initial_release_date', trackingPlace);
  const products = new CsafProducts(reading, csaf, `${id}:`);
  const vulnerabilities = reading.objects(csaf, 'vulnerabilities', undefined);
  if (vulnerabilities.length === 0) reading.note(undefined, 'vex.no_statement', 'The document has no statement.');
  const time = timestamp ?? initial;
  if (time === undefined)
    reading.note(
      trackingPlace,
      'vex.time_unknown',
      'A statement has no time, and its document none: every other is newer.',
    );
  const statements = vulnerabilities.flatMap(([one, at]) =>
    readCsafVulnerability(reading, one, at, { products, time: time ?? UNKNOWN_TIME, isAdvisory }),
  );
  const revision = Number(/^(\d{1,9})(?:\.|$)/.exec(reading.text(tracking, 'version', trackingPlace) ?? '')?.[1]);
  const tooling = generatorOf(reading, tracking);
  return {
    shape: 'csaf',
    ...(trackingId !== undefined && { id }),
    ...(author !== undefined && { author }),
    ...(time !== undefined && { timestamp: time }),
    ...(!Number.isNaN(revision) && { version: revision }),
    ...(tooling !== undefined && { tooling }),
    statements,
  };
}

function generatorOf(reading: VexReading, tracking: JsonObject): string | undefined {
  const place = below(below(undefined, 'document'), 'tracking');
  const generator = reading.object(tracking, 'generator', place);
  const engine = generator && reading.object(generator, 'engine', below(place, 'generator'));
  if (engine === undefined) return undefined;
  const at = below(below(place, 'generator'), 'engine');
  const words = [reading.text(engine, 'name', at), reading.text(engine, 'version', at)];
  return words.filter((word) => word !== undefined).join(' ') || undefined;
}
