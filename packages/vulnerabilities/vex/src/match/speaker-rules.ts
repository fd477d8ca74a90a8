import type { PackageUrls } from './identifier-index.ts';
import { covers, type MatchablePurl } from './matchable-purl.ts';

/**
 * Who may speak for some products. A pattern is a package URL that covers every more specific one, or ends in `*` after
 * a part of the path (`pkg:golang/github.com/acme/*`), or is `*`.
 */
export type SpeakerRule = { readonly products: readonly string[]; readonly authors: readonly string[] };

type Pattern = (url: MatchablePurl | undefined, text: string) => boolean;

/** Products for which the same rules hold, by the numbers of the rules. */
export type RuleSet = string;

/** Says who may speak for what; without rules everybody may for everything, with rules nobody else may. */
export class SpeakerRules {
  readonly #rules: ReadonlyArray<{ readonly patterns: readonly Pattern[]; readonly authors: ReadonlySet<string> }>;
  readonly #urls: PackageUrls;
  readonly #known = new Map<string, RuleSet>();

  readonly #isOpen: boolean;

  constructor(rules: readonly SpeakerRule[] | undefined, urls: PackageUrls) {
    this.#urls = urls;
    this.#isOpen = rules === undefined;
    this.#rules = (rules ?? []).map(({ products, authors }) => ({
      patterns: products.map((pattern) => patternOf(pattern, urls)),
      authors: new Set(authors),
    }));
  }

  /** The rules that hold for a product. */
  rulesOf(identifier: string | undefined): RuleSet {
    if (this.#isOpen) return '';
    const text = identifier ?? '';
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const url = this.#urls.parse(text);
    const holding = this.#rules.flatMap(({ patterns }, number) =>
      patterns.some((pattern) => pattern(url, text)) ? [number] : [],
    );
    const ruleSet = holding.join(',');
    this.#known.set(text, ruleSet);
    return ruleSet;
  }

  /** Whether one of the names may speak where these rules hold. */
  maySpeak(ruleSet: RuleSet, names: readonly string[]): boolean {
    if (this.#isOpen) return true;
    if (ruleSet === '') return false;
    return ruleSet.split(',').some((number) => {
      const authors = this.#rules[Number(number)]?.authors;
      return authors?.has('*') || names.some((name) => authors?.has(name));
    });
  }
}

function patternOf(pattern: string, urls: PackageUrls): Pattern {
  if (pattern === '*') return () => true;
  if (!pattern.endsWith('*')) {
    const general = urls.parse(pattern);
    if (general === undefined) return (_url, text) => text === pattern;
    return (url) => url !== undefined && covers(general, url);
  }
  const prefix = pattern.slice(0, -1);
  // As a purl it needs a name; what stands in for it is taken away again.
  const general = urls.parse(`${prefix}0`);
  if (general === undefined || general.parts.size > 0) return (_url, text) => text.startsWith(prefix);
  const path = pathOf(general).slice(0, -1);
  return (url) => url !== undefined && pathOf(url).startsWith(path);
}

function pathOf({ base }: MatchablePurl): string {
  return base
    .split('\0')
    .filter((part) => part !== '')
    .join('/');
}
