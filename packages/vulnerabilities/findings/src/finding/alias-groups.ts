import { compareIds, cveOf, idKey, isCve, isMalformedCve } from './vulnerability-id.ts';

/** An advisory of more vulnerabilities than this is no other name of any of them. */
export const MOST_CVES = 8;

type Names = { readonly id: string; readonly aliases: readonly string[] };

/**
 * Which names mean the same vulnerability, as far as anybody says. A CVE is never another CVE: what names several is an
 * advisory about them. Other names are one group where they stand together without a CVE.
 */
export class AliasGroups {
  readonly #parents = new Map<string, string>();
  /** By the key of a name that is no CVE: the CVEs that it was seen with. */
  readonly #cves = new Map<string, Set<string>>();
  /** By key: of several spellings the first by letters. */
  readonly #spellings = new Map<string, string>();
  /** By root of a group, made when all names are known. */
  #groups: Map<string, { readonly name: string; readonly cves: readonly string[] }> | undefined;

  add({ id, aliases }: Names): void {
    this.#groups = undefined;
    const cve = cveOf(id);
    if (cve !== undefined && !isCve(id)) this.#link(id, cve);
    if (cve === undefined) {
      this.#spell(id);
      this.#root(idKey(id));
    }
    for (const alias of aliases) {
      // A placeholder such as CVE-PENDING would tie together whatever has none yet.
      if (isMalformedCve(alias)) continue;
      if (cve !== undefined) this.#link(alias, cve);
      else {
        this.#spell(alias);
        this.#unite(idKey(id), idKey(alias));
      }
    }
  }

  /** The ids under which something with this id is listed: a CVE, the CVEs of its group, or the name of its group. */
  resolve(id: string): readonly string[] {
    if (isCve(id)) return [id];
    const groups = this.#allGroups();
    const { name, cves } = groups.get(this.#root(idKey(id))) as { name: string; cves: readonly string[] };
    return cves.length > 0 && cves.length <= MOST_CVES ? cves : [name];
  }

  /**
   * The same of what may stand in other documents: every CVE of its group, however many, else the name of its group; a
   * name that nobody mentioned is itself.
   */
  everyId(id: string): readonly string[] {
    const cve = cveOf(id);
    if (cve !== undefined) return [cve];
    if (!this.#parents.has(idKey(id))) return [id];
    const { name, cves } = this.#allGroups().get(this.#root(idKey(id))) as { name: string; cves: readonly string[] };
    return cves.length > 0 ? cves : [name];
  }

  /** The one spelling of a name. */
  spelling(name: string): string {
    return this.#spellings.get(idKey(name)) ?? name;
  }

  #link(name: string, cve: string): void {
    this.#spell(name);
    const key = idKey(name);
    this.#root(key);
    const known = this.#cves.get(key);
    if (known === undefined) this.#cves.set(key, new Set([cve]));
    else known.add(cve);
  }

  #spell(name: string): void {
    const key = idKey(name);
    const known = this.#spellings.get(key);
    if (known === undefined || name < known) this.#spellings.set(key, name);
  }

  #unite(a: string, b: string): void {
    const [one, other] = [this.#root(a), this.#root(b)];
    if (one !== other) this.#parents.set(other, one);
  }

  #root(key: string): string {
    let root = key;
    for (let parent = this.#parents.get(root); parent !== undefined && parent !== root; ) {
      root = parent;
      parent = this.#parents.get(root);
    }
    // Every name on the way points to the root from now on, so that no chain grows long.
    for (let at = key; at !== root; ) {
      const next = this.#parents.get(at) as string;
      this.#parents.set(at, root);
      at = next;
    }
    if (!this.#parents.has(root)) this.#parents.set(root, root);
    return root;
  }

  #allGroups(): Map<string, { readonly name: string; readonly cves: readonly string[] }> {
    if (this.#groups !== undefined) return this.#groups;
    const found = new Map<string, { name: string; cves: Set<string> }>();
    for (const key of [...this.#parents.keys()]) {
      const root = this.#root(key);
      const name = this.#spellings.get(key) as string;
      const group = found.get(root);
      if (group === undefined) found.set(root, { name, cves: new Set(this.#cves.get(key)) });
      else {
        if (compareIds(name, group.name) < 0) group.name = name;
        for (const cve of this.#cves.get(key) ?? []) group.cves.add(cve);
      }
    }
    this.#groups = new Map(
      Array.from(found, ([root, { name, cves }]) => [root, { name, cves: [...cves].sort() }] as const),
    );
    return this.#groups;
  }
}
