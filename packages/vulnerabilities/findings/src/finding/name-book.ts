import { cveOf, idKey, isCve, isMalformedCve, normaliseVulnerabilityId } from './vulnerability-id.ts';

/** What there is to know of one name of a vulnerability. */
export type KnownName = {
  /** In its one spelling; empty where there is nothing to read. */
  readonly id: string;
  /** Equal for all spellings. */
  readonly key: string;
  /** The CVE that it is or is made of. */
  readonly cve?: string;
  readonly isCve: boolean;
  readonly isMalformedCve: boolean;
};

/** Names, each looked at once: in 100,000 findings the same few thousand come again and again. */
export class NameBook {
  readonly #names = new Map<string, KnownName>();

  read(text: string): KnownName {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const id = normaliseVulnerabilityId(text);
    const cve = cveOf(id);
    const name = {
      id,
      key: idKey(id),
      ...(cve === undefined ? {} : { cve }),
      isCve: isCve(id),
      isMalformedCve: isMalformedCve(id),
    };
    this.#names.set(text, name);
    return name;
  }
}
