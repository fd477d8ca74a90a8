import type { VexSubject } from '../vex-document/vex-document.ts';
import { VexError } from '../vex-error/vex-error.ts';
import { type MatchablePurl, matchablePurl, purlOfParts } from './matchable-purl.ts';

/** The members that one way to name them speaks of, and a place for what is said of all of them. */
export type Bucket<T> = {
  readonly members: number[];
  /** An identifier of one of them. */
  readonly sample: string;
  said?: T;
};

type Member = { readonly member: number; readonly url: MatchablePurl; readonly text: string };

/** Members with the same type, namespace and name. */
type PackageGroup<T> = {
  readonly members: Member[];
  /** By one part and its value, made when it is first asked for. */
  byPart?: Map<string, Member[]>;
  /** What was found, by all parts that a statement names; null where nothing was. */
  readonly found: Map<string, Bucket<T> | null>;
};

/** Why nothing is found under a name: where it stops to agree. */
export type Difference = { readonly what: 'name' | 'version' | 'qualifiers'; readonly found?: string };

/** Reads each text once, however often it is asked for. */
export class PackageUrls {
  readonly #known = new Map<string, MatchablePurl | null>();

  parse(text: string): MatchablePurl | undefined {
    let url = this.#known.get(text);
    if (url === undefined) {
      url = matchablePurl(text) ?? null;
      this.#known.set(text, url);
    }
    return url ?? undefined;
  }
}

/** Members that are looked at, in all; vendors' statements on 100,000 findings take a hundredth of it. */
const MOST_VISITS = 20_000_000;

/** Ends a comparison that somebody has made to be endless: package URLs that share a name and differ in everything else. */
export class Visits {
  readonly #most: number;
  #left: number;

  constructor(most = MOST_VISITS) {
    this.#most = most;
    this.#left = most;
  }

  /** @throws VexError `vex.too_many_comparisons` */
  take(count: number): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    throw new VexError('vex.too_many_comparisons', `statements and findings need more than ${this.#most} comparisons`, {
      expected: `at most ${this.#most} comparisons of package URLs of the same package; one document at a time`,
    });
  }
}

/** Fewer than these are looked at one by one. */
const FEW = 8;

/**
 * Things that are known by package URLs and other identifiers, found by what a statement calls them. Looked at are those
 * alone that share the rarest part (version, qualifier) that a statement names, once for all statements that name the
 * same.
 */
export class IdentifierIndex<T> {
  readonly #urls: PackageUrls;
  readonly #visits: Visits;
  readonly #packages = new Map<string, PackageGroup<T>>();
  readonly #texts = new Map<string, Bucket<T>>();

  constructor(urls: PackageUrls, visits: Visits) {
    this.#urls = urls;
    this.#visits = visits;
  }

  /** Adds a member under each of its identifiers. All are added before the first is looked for. */
  add(member: number, identifiers: readonly string[]): void {
    for (const text of identifiers) {
      const url = this.#urls.parse(text);
      if (url === undefined) bucketOf(this.#texts, spelling(text), text).members.push(member);
      else {
        let group = this.#packages.get(url.base);
        if (group === undefined) {
          group = { members: [], found: new Map() };
          this.#packages.set(url.base, group);
        }
        group.members.push({ member, url, text });
      }
    }
  }

  /**
   * The members that a statement's subject is, by any of its identifiers.
   * @throws VexError `vex.too_many_comparisons`
   */
  find(subject: VexSubject): ReadonlyArray<Bucket<T>> {
    this.#visits.take(1);
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
      const ofVersion = this.#named(group, purlOfParts([], version === undefined ? [] : [['@', version]]));
      if (ofVersion === undefined) return { what: 'version', found: group.members[0]?.text as string };
      return { what: 'qualifiers', found: ofVersion.sample };
    }
    return { what: 'name' };
  }

  /** Every bucket in which something is said. */
  *said(): Generator<{ readonly members: readonly number[]; readonly said: T }> {
    for (const bucket of this.#texts.values()) if (isSaid(bucket)) yield bucket;
    for (const { found } of this.#packages.values()) {
      for (const bucket of found.values()) if (bucket !== null && isSaid(bucket)) yield bucket;
    }
  }

  #bucketOf(url: MatchablePurl): Bucket<T> | undefined {
    const group = this.#packages.get(url.base);
    return group && this.#named(group, url);
  }

  #named(group: PackageGroup<T>, { keys, values, parts }: MatchablePurl): Bucket<T> | undefined {
    const key = `${keys}\n${values}`;
    const known = group.found.get(key);
    if (known !== undefined) return known ?? undefined;
    const candidates = candidatesFor(group, parts);
    this.#visits.take(candidates.length);
    const members = candidates.filter(({ url }) => hasAll(url.parts, parts));
    const [first] = members;
    const bucket = first === undefined ? null : { members: members.map(({ member }) => member), sample: first.text };
    group.found.set(key, bucket);
    return bucket ?? undefined;
  }
}

/** Those with the part that the fewest have. */
function candidatesFor<T>(group: PackageGroup<T>, parts: MatchablePurl['parts']): readonly Member[] {
  if (group.members.length <= FEW || parts.size === 0) return group.members;
  group.byPart ??= byPart(group.members);
  let fewest: readonly Member[] = group.members;
  for (const [key, value] of parts) {
    const having = group.byPart.get(`${key}\n${value}`) ?? [];
    if (having.length < fewest.length) fewest = having;
  }
  return fewest;
}

function byPart(members: readonly Member[]): Map<string, Member[]> {
  const found = new Map<string, Member[]>();
  for (const member of members) {
    for (const [key, value] of member.url.parts) {
      const name = `${key}\n${value}`;
      const known = found.get(name);
      if (known === undefined) found.set(name, [member]);
      else known.push(member);
    }
  }
  return found;
}

function hasAll(there: MatchablePurl['parts'], named: MatchablePurl['parts']): boolean {
  for (const [key, value] of named) if (there.get(key) !== value) return false;
  return true;
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
