import { isJsonObject, type JsonObject } from '@colophon/json';
import { withVersion } from '@colophon/notation';
import { nameInPurl, versionInPurl, withRange } from '../purl-version/purl-version.ts';
import type { VexProduct, VexSubject } from '../vex-document/vex-document.ts';
import { below, type Place } from './place.ts';
import { quoted, type VexReading } from './vex-reading.ts';

const HELPER_MEMBERS: ReadonlySet<string> = new Set(['purl', 'purls', 'cpe', 'hashes']);
const TREE = 'product_tree';

type Relationship = { readonly component: string; readonly product: string };

/** The product tree of a CSAF document: every product that it defines, by its `product_id`. */
export class CsafProducts {
  private readonly reading: VexReading;
  private readonly idBase: string;
  /** A product may be found by any of several package URLs. */
  private readonly subjects = new Map<string, readonly VexSubject[]>();
  private readonly relationships = new Map<string, Relationship>();
  private readonly groups = new Map<string, readonly string[]>();
  private readonly resolved = new Map<string, readonly VexProduct[] | undefined>();
  /** What compositions of compositions end in, by side; undefined where they end nowhere. */
  private readonly ends = {
    component: new Map<string, string | undefined>(),
    product: new Map<string, string | undefined>(),
  };

  /** @param idBase makes a product's id unique in the world: its publisher's namespace and the document's id */
  constructor(reading: VexReading, document: JsonObject, idBase: string) {
    this.reading = reading;
    this.idBase = idBase;
    const tree = reading.object(document, TREE, undefined);
    const place = below(undefined, TREE);
    if (tree === undefined) return;
    this.addBranches(tree, place);
    for (const [product, at] of reading.objects(tree, 'full_product_names', place)) this.add(product, at);
    for (const [relationship, at] of reading.objects(tree, 'relationships', place))
      this.addRelationship(relationship, at);
    for (const [path, at] of reading.objects(tree, 'product_paths', place)) this.addPath(path, at);
    for (const name of ['product_groups', 'groups'])
      for (const [group, at] of reading.objects(tree, name, place)) {
        const id = reading.text(group, 'group_id', at);
        if (id !== undefined) this.groups.set(id, reading.texts(group, 'product_ids', at));
      }
  }

  /** The product as a statement names it: inside a relationship, the component in what it is part of. */
  get(id: string, place: Place): readonly VexProduct[] {
    if (!this.resolved.has(id)) this.resolved.set(id, this.resolve(id));
    const found = this.resolved.get(id);
    if (found === undefined)
      this.reading.refuse(
        place,
        'vex.reference_unknown',
        `The product tree has no product "${quoted(id)}".`,
        'a product_id of the product tree',
      );
    return found ?? [];
  }

  /** The products that a flag, a threat or a remediation is about: its own and those of its groups. */
  namedIn(owner: JsonObject, place: Place): readonly string[] {
    const named = this.reading.texts(owner, 'product_ids', place);
    const groups = this.reading.texts(owner, 'group_ids', place);
    const members = groups.map((group) => {
      const known = this.groups.get(group);
      if (known === undefined)
        this.reading.note(place, 'vex.not_held', 'A group that the product tree does not have names no product.');
      return known ?? [];
    });
    const count = members.reduce((sum, { length }) => sum + length, 0);
    return this.reading.expand(count, place) ? [...named, ...members.flat()] : named;
  }

  private resolve(id: string): readonly VexProduct[] | undefined {
    const own = this.subjects.get(id);
    const relationship = this.relationships.get(id);
    if (relationship === undefined) return own;
    // What names the composition itself is better than its parts.
    if (own?.some(({ purl }) => purl !== undefined)) return own;
    const subcomponents = this.partsOf(relationship.component, 'component');
    const products = this.partsOf(relationship.product, 'product');
    if (subcomponents === undefined || products === undefined) return undefined;
    return products.map((product) => ({ ...product, subcomponents }));
  }

  /** The last component, or the outermost product, of compositions of compositions. */
  private partsOf(id: string, side: keyof Relationship): readonly VexSubject[] | undefined {
    const end = this.endOf(id, side);
    return end === undefined ? undefined : this.subjects.get(end);
  }

  /** Each composition is gone through once, however many lead there. */
  private endOf(id: string, side: keyof Relationship): string | undefined {
    const known = this.ends[side];
    const way = new Set<string>();
    let at = id;
    for (let next = this.relationships.get(at); next !== undefined; next = this.relationships.get(at)) {
      if (known.has(at) || way.has(at)) break;
      way.add(at);
      at = next[side];
    }
    const end = known.has(at) ? known.get(at) : way.has(at) ? undefined : at;
    for (const passed of way) known.set(passed, end);
    return end;
  }

  private addBranches(owner: JsonObject, place: Place, above?: Limit): void {
    for (const [branch, at] of this.reading.objects(owner, 'branches', place)) {
      const limit = limitOf(branch, above);
      const product = this.reading.object(branch, 'product', at);
      if (product !== undefined) this.add(product, below(at, 'product'), limit);
      this.addBranches(branch, at, limit);
    }
  }

  private addRelationship(relationship: JsonObject, place: Place): void {
    const product = this.reading.object(relationship, 'full_product_name', place);
    const id = product && this.add(product, below(place, 'full_product_name'));
    const component = this.reading.text(relationship, 'product_reference', place);
    const whole = this.reading.text(relationship, 'relates_to_product_reference', place);
    if (id !== undefined && component !== undefined && whole !== undefined)
      this.relationships.set(id, { component, product: whole });
  }

  /** What CSAF 2.1 has in place of relationships: from a component by one or more steps to what it is part of. */
  private addPath(path: JsonObject, place: Place): void {
    const product = this.reading.object(path, 'full_product_name', place);
    const id = product && this.add(product, below(place, 'full_product_name'));
    const component = this.reading.text(path, 'beginning_product_reference', place);
    const last = this.reading.objects(path, 'subpaths', place).at(-1);
    const whole = last && this.reading.text(last[0], 'next_product_reference', last[1]);
    if (id !== undefined && component !== undefined && whole !== undefined)
      this.relationships.set(id, { component, product: whole });
  }

  private add(product: JsonObject, place: Place, limit?: Limit): string | undefined {
    const id = this.reading.text(product, 'product_id', place);
    if (id === undefined) {
      this.reading.refuse(place, 'vex.field_missing', 'The product has no id.', '"product_id"');
      return undefined;
    }
    const name = this.reading.text(product, 'name', place);
    const helper = this.reading.object(product, 'product_identification_helper', place) ?? {};
    this.subjects.set(id, this.subjectsOf(id, name, helper, below(place, 'product_identification_helper'), limit));
    return id;
  }

  private subjectsOf(
    id: string,
    name: string | undefined,
    helper: JsonObject,
    place: Place,
    limit: Limit | undefined,
  ): readonly VexSubject[] {
    const purl = this.reading.text(helper, 'purl', place);
    const purls = new Set([...(purl === undefined ? [] : [purl]), ...this.reading.texts(helper, 'purls', place)]);
    const cpe = this.reading.text(helper, 'cpe', place);
    const hashes = this.hashesOf(helper, place);
    this.reading.noteOthers(helper, HELPER_MEMBERS, place, 'a product');
    // A made-up id beside a package URL would stand where scanners look for that one.
    const subject: VexSubject = {
      ...(purls.size === 0 && { id: `${this.idBase}${encodeURIComponent(id)}` }),
      ...(cpe?.startsWith('cpe:/') && { cpe22: cpe }),
      ...(cpe?.startsWith('cpe:2.3:') && { cpe23: cpe }),
      ...(hashes && { hashes }),
      ...(name !== undefined && { name }),
    };
    return purls.size === 0 ? [subject] : [...purls].map((one) => ({ ...subject, purl: limited(one, limit) }));
  }

  /** Of the only file of a product; which file of several is meant, nothing says. */
  private hashesOf(helper: JsonObject, place: Place): Record<string, string> | undefined {
    const files = this.reading.objects(helper, 'hashes', place);
    const [first] = files;
    if (first === undefined) return undefined;
    if (files.length > 1) {
      this.reading.note(below(place, 'hashes'), 'vex.not_held', 'Hashes of several files of one product are not held.');
      return undefined;
    }
    const pairs = this.reading.list(first[0], 'file_hashes', first[1]).flatMap((hash): [string, string][] => {
      if (!isJsonObject(hash)) return [];
      const { algorithm, value } = hash;
      return typeof algorithm === 'string' && typeof value === 'string' ? [[hashName(algorithm), value]] : [];
    });
    return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
  }
}

/** The versions that a branch limits what is below it to: a range of them, or one. */
type Limit = { readonly range: string } | { readonly version: string };

const VERSION_BRANCHES: ReadonlySet<unknown> = new Set(['product_version', 'service_pack', 'patch_level']);
const EVERY_VERSION = /^(?:vers:[a-z0-9.+-]+\/)?\*$/i;

function limitOf({ category, name }: JsonObject, above: Limit | undefined): Limit | undefined {
  if (typeof name !== 'string' || EVERY_VERSION.test(name)) return above;
  if (VERSION_BRANCHES.has(category)) return { version: name };
  return category === 'product_version_range' ? { range: name } : above;
}

/** Without a version it would be about every one. */
function limited(purl: string, limit: Limit | undefined): string {
  if (limit === undefined || versionInPurl(purl) !== undefined) return purl;
  if ('range' in limit) return withRange(purl, limit.range);
  // Distributors name the package itself here where they mean every version of it.
  const isPackage = `/${limit.version}`.endsWith(`/${nameInPurl(purl)}`);
  return isPackage ? purl : withVersion(purl, limit.version);
}

/** CSAF has the names of OpenSSL. */
function hashName(algorithm: string): string {
  return algorithm
    .toLowerCase()
    .replace(/^(sha)(256|384|512)$/, '$1-$2')
    .replace(/^sha-1$/, 'sha1');
}
