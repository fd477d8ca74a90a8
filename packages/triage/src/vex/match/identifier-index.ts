import type { VexSubject } from '../vex-document.ts';
import { type PackageUrl, packageUrl, parsePackageUrl } from './package-url.ts';

/** The members that one way to name them speaks of, and a place for what is said of all of them. */
export type Bucket<T> = {
  readonly members: number[];
  /** An identifier of one of them. */
  readonly sample: string;
  said?: T;
};

/** Members with the same type, namespace and name. */
type PackageGroup<T> = {
  readonly members: Array<{ readonly member: number; readonly url: PackageUrl; readonly text: string }>;
  /** By which parts a statement names, then by their values. */
  readonly byParts: Map<string, Map<string, Bucket<T>>>;
};

/** Why nothing is found under a name: where it stops to agree. */
export type Difference = { readonly what: 'name' | 'version' | 'qualifiers'; readonly found?: string };

/** Reads each text once, however often it is asked for. */
export class PackageUrls {
  readonly #known = new Map<string, PackageUrl | null>();

  parse(text: string): PackageUrl | undefined {
    let url = this.#known.get(text);
    if (url === undefined) {
      url = parsePackageUrl(text) ?? null;
      this.#known.set(text, url);
    }
    return url ?? undefined;
  }
}

/**
 * Things that are known by package URLs and other identifiers, found by what a statement calls them. Finding costs the
 * same however many there are: members are put together by just the parts that a statement names (version, qualifiers),
 * once for each set of parts.
 */
export class IdentifierIndex<T> {
  readonly #urls: PackageUrls;
  readonly #packages = new Map<string, PackageGroup<T>>();
  readonly #texts = new Map<string, Bucket<T>>();

  constructor(urls: PackageUrls) {
    this.#urls = urls;
  }

  /** Adds a member under each of its identifiers. All are added before the first is looked for. */
  add(member: number, identifiers: readonly string[]): void {
    for (const text of identifiers) {
      const url = this.#urls.parse(text);
      if (url === undefined) bucketOf(this.#texts, spelling(text), text).members.push(member);
      else {
        let group = this.#packages.get(url.base);
        if (group === undefined) {
          group = { members: [], byParts: new Map() };
          this.#packages.set(url.base, group);
        }
        group.members.push({ member, url, text });
      }
    }
  }

  /** The members that a statement's subject is, by any of its identifiers. */
  find(subject: VexSubject): ReadonlyArray<Bucket<T>> {
    // A range of versions is not compared: each kind of package orders its versions in its own way.
    if (subject.versions !== undefined) return [];
    const buckets: Array<Bucket<T>> = [];
    for (const text of identifiersOf(subject)) {
      const url = this.#urls.parse(text);
      const bucket = url === undefined ? this.#texts.get(spelling(text)) : this.#bucketOf(url);
      if (bucket !== undefined && !buckets.includes(bucket)) buckets.push(bucket);
    }
    return buckets;
  }

  /** Of a subject that is not found, how near it comes. */
  difference(subject: VexSubject): Difference {
    for (const text of identifiersOf(subject)) {
      const url = this.#urls.parse(text);
      const group = url && this.#packages.get(url.base);
      if (url === undefined || group === undefined) continue;
      const version = url.parts.get('@');
      const ofVersion = this.#named(group, packageUrl([], version === undefined ? [] : [['@', version]]));
      if (ofVersion === undefined) return { what: 'version', found: group.members[0]?.text as string };
      return { what: 'qualifiers', found: ofVersion.sample };
    }
    return { what: 'name' };
  }

  /** Every bucket in which something is said. */
  *said(): Generator<{ readonly members: readonly number[]; readonly said: T }> {
    for (const bucket of this.#texts.values()) if (isSaid(bucket)) yield bucket;
    for (const { byParts } of this.#packages.values()) {
      for (const buckets of byParts.values()) for (const bucket of buckets.values()) if (isSaid(bucket)) yield bucket;
    }
  }

  #bucketOf(url: PackageUrl): Bucket<T> | undefined {
    const group = this.#packages.get(url.base);
    return group && this.#named(group, url);
  }

  #named(group: PackageGroup<T>, { keys: named, values, parts }: PackageUrl): Bucket<T> | undefined {
    let buckets = group.byParts.get(named);
    if (buckets === undefined) {
      buckets = new Map();
      for (const { member, url, text } of group.members) {
        const there = url.keys === named ? url.values : valuesOf(url, parts);
        if (there !== undefined) bucketOf(buckets, there, text).members.push(member);
      }
      group.byParts.set(named, buckets);
    }
    return buckets.get(values);
  }
}

/** The values under the keys that are named; undefined where one is not there. */
function valuesOf({ parts }: PackageUrl, named: PackageUrl['parts']): string | undefined {
  const values: string[] = [];
  for (const key of named.keys()) {
    const value = parts.get(key);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values.join('\0');
}

function isSaid<T>(bucket: Bucket<T>): bucket is Bucket<T> & { readonly said: T } {
  return bucket.said !== undefined;
}

function bucketOf<T>(buckets: Map<string, Bucket<T>>, key: string, sample: string): Bucket<T> {
  let bucket = buckets.get(key);
  if (bucket === undefined) {
    bucket = { members: [], sample };
    buckets.set(key, bucket);
  }
  return bucket;
}

/** Everything that a statement calls a subject. */
export function identifiersOf({ id, purl, cpe22, cpe23, hashes }: VexSubject): readonly string[] {
  const named: string[] = [];
  for (const one of [id, purl, cpe22, cpe23]) if (one !== undefined && !named.includes(one)) named.push(one);
  return hashes === undefined ? named : [...new Set([...named, ...Object.values(hashes)])];
}

const DIGEST = /^(?:[a-z0-9-]+:)?([0-9a-f]{32,128})$/i;

/** A digest is written with and without its algorithm, and in either case; everything else in one way. */
function spelling(text: string): string {
  return DIGEST.exec(text)?.[1]?.toLowerCase() ?? text;
}
