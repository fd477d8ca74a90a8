import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { withVersion } from '@colophon/notation';
import type { VexStatus } from '@colophon/records';
import { isPurl, versionInPurl, withRange } from '../purl-version/purl-version.ts';
import type { VexProduct, VexSubject } from '../vex-document/vex-document.ts';
import type { CycloneDxComponents } from './cyclonedx-components.ts';
import { below, type Place } from './place.ts';
import type { VexReading } from './vex-reading.ts';

const MEMBERS: ReadonlySet<string> = new Set(['ref', 'versions']);

/** What a version may be said to be in a statement of each status; undefined where nothing is said of it. */
const FITTING: Readonly<Record<VexStatus, ReadonlySet<string | undefined>>> = {
  affected: new Set([undefined, 'affected']),
  not_affected: new Set([undefined, 'unaffected']),
  fixed: new Set([undefined, 'unaffected']),
  under_investigation: new Set([undefined, 'affected', 'unknown']),
};

/**
 * Scanners list the version that they found as "affected", which is what the standard takes a version for of which
 * nothing is said. Where no other word is used, the versions say where it is, and the state says what that means.
 */
const FITTING_AS_LISTED: ReadonlySet<string | undefined> = new Set([undefined, 'affected']);

function fittingIn(vulnerability: JsonObject, status: VexStatus): ReadonlySet<string | undefined> {
  const entries = listOf(vulnerability['affects']).flatMap((affected) => listOf(affected['versions']));
  const isAsListed = status === 'not_affected' && entries.some((one) => one['status'] === 'affected');
  const hasOther = entries.some((one) => !FITTING_AS_LISTED.has(one['status'] as string | undefined));
  return isAsListed && !hasOther ? FITTING_AS_LISTED : FITTING[status];
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The products of `affects`: what is inside a product that can be found is its subcomponent. */
export function readAffected(
  reading: VexReading,
  vulnerability: JsonObject,
  place: Place,
  status: VexStatus,
  components: CycloneDxComponents,
): readonly VexProduct[] {
  const products: (VexProduct & { subcomponents?: VexSubject[] })[] = [];
  const fitting = fittingIn(vulnerability, status);
  if (fitting === FITTING_AS_LISTED)
    reading.note(
      below(place, 'affects'),
      'vex.read_as',
      `Versions listed as affected were read as ${status}, which the state says.`,
    );
  const withSubcomponents = new Map<VexSubject, VexSubject[]>();
  for (const [affected, at] of reading.objects(vulnerability, 'affects', place)) {
    reading.noteOthers(affected, MEMBERS, at, 'an affected component');
    const ref = reading.text(affected, 'ref', at);
    if (ref === undefined) {
      reading.refuse(at, 'vex.field_missing', 'Nothing says which component is affected.', '"ref"');
      continue;
    }
    const { subject, inside } = components.get(ref, at);
    const subjects = inVersions(reading, affected, at, fitting, subject);
    if (inside === undefined) {
      for (const one of subjects) products.push(one);
      continue;
    }
    const known = withSubcomponents.get(inside);
    if (known !== undefined) {
      for (const one of subjects) known.push(one);
    } else if (subjects.length > 0) {
      const subcomponents = [...subjects];
      withSubcomponents.set(inside, subcomponents);
      products.push({ ...inside, subcomponents });
    }
  }
  return products;
}

/** The subject in each version that the statement is limited to. */
function inVersions(
  reading: VexReading,
  affected: JsonObject,
  place: Place,
  fitting: ReadonlySet<string | undefined>,
  subject: VexSubject,
): readonly VexSubject[] {
  const stated = reading.objects(affected, 'versions', place);
  if (stated.length === 0) return [subject];
  const limits = stated.flatMap(([entry, at]) => {
    const version = reading.text(entry, 'version', at);
    const range = reading.text(entry, 'range', at);
    if (!fitting.has(reading.text(entry, 'status', at))) {
      reading.note(
        below(at, 'status'),
        'vex.not_held',
        'Versions with another status than their statement say nothing: the statement leaves them out.',
      );
      return [];
    }
    return version === undefined && range === undefined ? [] : [{ version, range }];
  });
  const purl = subject.purl ?? (isPurl(subject.id) ? subject.id : undefined);
  if (purl === undefined) {
    const versions = limits.map(({ version, range }) => version ?? (range as string));
    return versions.length === 0 ? [] : [{ ...subject, versions: [...new Set(versions)] }];
  }
  const purls = limits.map(({ version, range }) => {
    if (version === undefined) return withRange(purl, range as string);
    return versionInPurl(purl) === version ? purl : withVersion(purl, version);
  });
  return [...new Set(purls)].map((one) => (one === purl ? subject : { purl: one }));
}
