import type { JsonObject, JsonValue } from '@colophon/json';
import { HASH_NAMES, PROPERTY_PREFIX } from '../cyclonedx-words/cyclonedx-words.ts';
import { isPurl, nameInPurl, versionInPurl } from '../purl-version/purl-version.ts';
import { isIdentified, plainLabel } from '../read/cyclonedx-components.ts';
import type { VexProduct, VexSubject } from '../vex-document/vex-document.ts';

type Written = {
  readonly ref: string;
  readonly component: JsonObject;
  readonly isIdentified: boolean;
  readonly inside: Map<string, Written>;
};

/** The components of a document that is being written: each product once, and inside it what statements name there. */
export class WrittenComponents {
  private readonly products = new Map<string, Written>();
  private readonly refs = new Set<string>();

  /** The references of what a statement is about, in its order. */
  refsOf(product: VexProduct): ReadonlyArray<{ readonly ref: string; readonly subject: VexSubject }> {
    const { subcomponents = [], ...subject } = product;
    const owner = this.written(this.products, subject);
    if (subcomponents.length === 0) return [{ ref: owner.ref, subject }];
    return subcomponents.map((one) => ({ ref: this.written(owner.inside, one).ref, subject: one }));
  }

  /**
   * Where the components stand. The one product that everything is inside of is what the document is about: consumers
   * take a statement on that one for all of a project, and one on any other component for this component alone.
   */
  placed(): { readonly about?: JsonObject; readonly components: readonly JsonObject[] } {
    const all = (level: ReadonlyMap<string, Written>): JsonObject[] =>
      [...level.values()].map(({ component, inside }) =>
        inside.size === 0 ? component : { ...component, components: all(inside) },
      );
    const [only, ...others] = this.products.values();
    const isAbout = only !== undefined && others.length === 0 && only.inside.size > 0 && only.isIdentified;
    return isAbout ? { about: only.component, components: all(only.inside) } : { components: all(this.products) };
  }

  private written(level: Map<string, Written>, { versions: _, ...subject }: VexSubject): Written {
    const key = JSON.stringify([subject.id, subject.purl, subject.cpe22, subject.cpe23, subject.hashes, subject.name]);
    const known = level.get(key);
    if (known !== undefined) return known;
    const ref = this.freeRef(subject);
    const made = { ref, component: componentOf(subject, ref), isIdentified: isIdentified(subject), inside: new Map() };
    level.set(key, made);
    return made;
  }

  /** What the component is known by, with a number behind it where that is taken: it may be inside several products. */
  private freeRef(subject: VexSubject): string {
    const label = plainLabel(subject);
    // A reference of this form would be a link to another document.
    const base = label.startsWith('urn:cdx:') ? `link:${label}` : label;
    let ref = base;
    for (let number = this.refs.has(base) ? this.refs.size : 0; this.refs.has(ref); number++) ref = `${base}#${number}`;
    this.refs.add(ref);
    return ref;
  }
}

function componentOf(subject: VexSubject, ref: string): JsonObject {
  const { id, cpe22, cpe23, name, hashes = {} } = subject;
  const purl = subject.purl ?? (isPurl(id) ? id : undefined);
  const isIdOnly = purl !== undefined && subject.purl === undefined;
  const version = purl === undefined ? undefined : versionInPurl(purl);
  const known = Object.entries(hashes).filter(([algorithm, value]) => isKnownHash(algorithm, value));
  const properties: [string, string | undefined][] = [
    ['id', id],
    ['id-only', isIdOnly ? 'true' : undefined],
    ['name', purl === undefined ? undefined : name],
    ['cpe22', cpe23 === undefined ? undefined : cpe22],
    ...Object.entries(hashes)
      .filter(([algorithm, value]) => !isKnownHash(algorithm, value))
      .map(([algorithm, value]): [string, string] => [`hash:${algorithm}`, value]),
  ];
  const listed = propertyList(properties);
  return {
    type: purl?.startsWith('pkg:oci/') || purl?.startsWith('pkg:docker/') ? 'container' : 'library',
    'bom-ref': ref,
    name: name ?? (purl === undefined ? plainLabel(subject) : (nameInPurl(purl) ?? purl)),
    ...(version !== undefined && { version }),
    ...(known.length > 0 && {
      hashes: known.map(([algorithm, content]) => ({ alg: HASH_NAMES.get(algorithm) as string, content })),
    }),
    ...((cpe23 ?? cpe22) !== undefined && { cpe: (cpe23 ?? cpe22) as string }),
    ...(purl !== undefined && { purl }),
    ...(listed.length > 0 && { properties: listed }),
  };
}

function isKnownHash(algorithm: string, value: string): boolean {
  return (
    HASH_NAMES.has(algorithm) && /^(?:[a-f0-9]{32}|[a-f0-9]{40}|[a-f0-9]{64}|[a-f0-9]{96}|[a-f0-9]{128})$/.test(value)
  );
}

/** What CycloneDX has no place for, as properties of ours. */
export function propertyList(values: ReadonlyArray<readonly [name: string, value: string | undefined]>): JsonValue[] {
  return values.flatMap(([name, value]) => (value === undefined ? [] : [{ name: `${PROPERTY_PREFIX}${name}`, value }]));
}
