import { compareTexts, isSha256 } from '@colophon/notation';
import type { Finding, VexStatus } from '@colophon/records';
import type { VexDocument, VexProduct, VexStatement } from '../vex-document/vex-document.ts';
import { compareTimes } from '../vex-time/vex-time.ts';
import { type Bucket, IdentifierIndex, PackageUrls, Visits } from './identifier-index.ts';
import { purlOfImage } from './image-reference.ts';
import { type SpeakerRule, SpeakerRules } from './speaker-rules.ts';
import { nearest, reasonOf, type Unmatched, type UnmatchedReason } from './unmatched-statement.ts';
import { foundKeys, statedKeys } from './vulnerability-key.ts';

/** What a finding has to have, to be spoken of. */
export type MatchableFinding = Pick<Finding, 'id' | 'aliases' | 'component'>;

export type MatchOptions = {
  /** Identifiers of what was scanned: purls, an image reference, a digest. */
  readonly products?: readonly string[];
  /** Who may speak for which products; everybody for everything where it is absent. */
  readonly authors?: readonly SpeakerRule[];
  /** The names under which a document speaks: who signed it, where that is known; otherwise its author. */
  readonly speakers?: (document: VexDocument) => readonly string[];
  /** More names of what was scanned and of components, by the identifier that they are given with: `bomLinks`. */
  readonly alsoKnownAs?: ReadonlyMap<string, readonly string[]>;
  /** More identifiers of a component than its purl: its CPEs, its digests. */
  readonly identifiers?: (component: Finding['component']) => readonly string[];
  /** RFC 3339 in UTC, normalised; a statement that is dated later does not count yet. */
  readonly at?: string;
};

/** Where a statement stands: the number of its document, and its own in there. */
export type StatementPlace = { readonly document: number; readonly statement: number };

/** What is said of a finding. */
export type VexDecision<F extends MatchableFinding = MatchableFinding> = {
  readonly finding: F;
  /** Of the statement that counts; absent where none does. */
  readonly status?: VexStatus;
  /** True for `not_affected` and `fixed` alone. */
  readonly isSuppressed: boolean;
  readonly statement?: VexStatement;
  readonly place?: StatementPlace;
};

/** A decision for each finding, in their order, and what was said of nothing. */
export type StatementMatches<F extends MatchableFinding = MatchableFinding> = {
  readonly decisions: ReadonlyArray<VexDecision<F>>;
  readonly unmatched: readonly Unmatched[];
};

/** A statement that speaks of something. */
type Candidate = StatementPlace & { readonly said: VexStatement };

/** Findings of one vulnerability, by the rules that hold for their components. */
type Findings = { readonly byRules: Map<string, IdentifierIndex<Candidate>>; readonly all: number[]; said?: Candidate };

/**
 * Finds for each finding the statement that counts, as scanners that read OpenVEX do: the vulnerability has to be the
 * same by name or alias, and either the product is what was scanned (and, where it names subcomponents, one of them the
 * component), or the product is the component itself. Among those who may speak, the latest statement counts (contract
 * §3). Takes time for statements and findings one after the other, never for all pairs.
 * @throws VexError `vex.too_many_comparisons` where package URLs were made to be compared with each other without end
 */
export function matchStatements<F extends MatchableFinding>(
  findings: readonly F[],
  documents: readonly VexDocument[],
  options: MatchOptions = {},
): StatementMatches<F> {
  const { products = [], speakers = ({ author }) => (author === undefined ? [] : [author]), at } = options;
  const urls = new PackageUrls();
  const visits = new Visits();
  const rules = new SpeakerRules(options.authors, urls);
  const artifacts = new IdentifierIndex<never>(urls, visits);
  products.forEach((product, number) => {
    const more = options.alsoKnownAs?.get(product) ?? [];
    artifacts.add(number, [product, ...digestOf(product), ...imageOf(product), ...more]);
  });
  const byVulnerability = indexFindings(findings, namedIn(documents), options, { urls, visits, rules });
  const unmatched: Unmatched[] = [];

  documents.forEach((document, number) => {
    const names = speakers(document);
    document.statements.forEach((statement, position) => {
      const candidate = { document: number, statement: position, said: statement };
      const reason = place(candidate, names);
      if (reason !== undefined) unmatched.push({ document: number, statement: position, ...reason });
    });
  });
  return { decisions: decide(findings, byVulnerability), unmatched };

  /** Puts a statement to everything that it speaks of; says why where that is nothing. */
  function place(candidate: Candidate, names: readonly string[]): UnmatchedReason | undefined {
    const { said } = candidate;
    if (at !== undefined && compareTimes(said.timestamp, at) > 0) return { code: 'vex.unmatched_future' };
    const groups = statedKeys(said.vulnerability).flatMap((key) => byVulnerability.get(key) ?? []);
    if (groups.length === 0) return { code: 'vex.unmatched_vulnerability' };
    if (said.products.length === 0) return { code: 'vex.unmatched_no_product' };
    let isPlaced = false;
    for (const product of said.products) {
      // One product may be both: the component by itself, and what was scanned.
      if (placeOnComponents(candidate, product, groups, names)) isPlaced = true;
      if (placeInArtifact(candidate, product, groups, names)) isPlaced = true;
    }
    return isPlaced ? undefined : nearest(reasonsForAll(said.products, groups));
  }

  /** The product is the component itself, whatever it names inside it. */
  function placeOnComponents(
    candidate: Candidate,
    product: VexProduct,
    groups: readonly Findings[],
    names: readonly string[],
  ): boolean {
    let isPlaced = false;
    for (const { byRules } of groups) {
      for (const [ruleSet, index] of byRules) {
        if (rules.maySpeak(ruleSet, names) && say(index.find(product), candidate)) isPlaced = true;
      }
    }
    return isPlaced;
  }

  /** The product is what was scanned: the statement is about all of it, or about the components that it names. */
  function placeInArtifact(
    candidate: Candidate,
    product: VexProduct,
    groups: readonly Findings[],
    names: readonly string[],
  ): boolean {
    const isScanned = artifacts
      .find(product)
      .some(({ members }) => members.some((member) => rules.maySpeak(rules.rulesOf(products[member]), names)));
    if (!isScanned) return false;
    const { subcomponents = [] } = product;
    if (subcomponents.length === 0) {
      for (const group of groups) group.said = later(group.said, candidate);
      return true;
    }
    let isPlaced = false;
    for (const { byRules } of groups) {
      for (const index of byRules.values()) {
        for (const one of subcomponents) if (say(index.find(one), candidate)) isPlaced = true;
      }
    }
    return isPlaced;
  }

  function* reasonsForAll(all: readonly VexProduct[], groups: readonly Findings[]): Generator<UnmatchedReason> {
    for (const product of all) yield* reasonsFor(product, groups);
  }

  /** Why a product was placed nowhere, for each way in which it could have been. */
  function* reasonsFor(product: VexProduct, groups: readonly Findings[]): Generator<UnmatchedReason> {
    const indexes = groups.flatMap(({ byRules }) => [...byRules.values()]);
    const { subcomponents = [] } = product;
    const isScanned = artifacts.find(product).length > 0;
    if (!isScanned) yield reasonOf(product, artifacts.difference(product), 'product');
    else if (subcomponents.length === 0) yield { code: 'vex.unmatched_author' };
    for (const index of indexes) {
      // It is there, so its author was not let speak.
      if (index.find(product).length > 0) yield { code: 'vex.unmatched_author' };
      else yield reasonOf(product, index.difference(product), 'product');
      for (const one of isScanned ? subcomponents : []) {
        if (index.find(one).length > 0) yield { code: 'vex.unmatched_author' };
        else yield reasonOf(one, index.difference(one), 'component');
      }
    }
  }
}

/** Puts a statement to what a subject was found to be; false where that is nothing. */
function say(buckets: ReadonlyArray<Bucket<Candidate>>, candidate: Candidate): boolean {
  for (const bucket of buckets) bucket.said = later(bucket.said, candidate);
  return buckets.length > 0;
}

function namedIn(documents: readonly VexDocument[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { statements } of documents) {
    for (const { vulnerability } of statements) for (const key of statedKeys(vulnerability)) named.add(key);
  }
  return named;
}

/** The findings of which a statement could speak, by every name of their vulnerability. */
function indexFindings(
  findings: readonly MatchableFinding[],
  named: ReadonlySet<string>,
  { identifiers = () => [], alsoKnownAs }: MatchOptions,
  { urls, visits, rules }: { readonly urls: PackageUrls; readonly visits: Visits; readonly rules: SpeakerRules },
): ReadonlyMap<string, Findings> {
  const byVulnerability = new Map<string, Findings>();
  findings.forEach(({ id, aliases, component }, number) => {
    const keys = new Set(foundKeys({ id, aliases }).filter((key) => named.has(key)));
    if (keys.size === 0) return;
    const { purl } = component;
    const ruleSet = rules.rulesOf(purl);
    const known = purl === undefined ? [] : [purl, ...(alsoKnownAs?.get(purl) ?? [])];
    const names = [...known, ...identifiers(component)];
    for (const key of keys) {
      const group: Findings = byVulnerability.get(key) ?? { byRules: new Map(), all: [] };
      byVulnerability.set(key, group);
      const index = group.byRules.get(ruleSet) ?? new IdentifierIndex<Candidate>(urls, visits);
      group.byRules.set(ruleSet, index);
      index.add(number, names);
      group.all.push(number);
    }
  });
  return byVulnerability;
}

function decide<F extends MatchableFinding>(
  findings: readonly F[],
  byVulnerability: ReadonlyMap<string, Findings>,
): ReadonlyArray<VexDecision<F>> {
  const last: Array<Candidate | undefined> = new Array(findings.length).fill(undefined);
  const settle = (members: readonly number[], said: Candidate) => {
    for (const member of members) last[member] = later(last[member], said);
  };
  for (const { byRules, all, said } of byVulnerability.values()) {
    if (said !== undefined) settle(all, said);
    for (const index of byRules.values()) for (const bucket of index.said()) settle(bucket.members, bucket.said);
  }
  return findings.map((finding, number) => {
    const candidate = last[number];
    if (candidate === undefined) return { finding, isSuppressed: false };
    const { said: statement, document, statement: position } = candidate;
    const { status } = statement;
    const isSuppressed = status === 'not_affected' || status === 'fixed';
    return { finding, status, isSuppressed, statement, place: { document, statement: position } };
  });
}

/**
 * The later of two statements: by its time, then by its last change. Of one time the one that suppresses least, so that no
 * order of files or statements decides; of two that say the same word, by the rest of what they say.
 */
function later(before: Candidate | undefined, next: Candidate): Candidate {
  if (before === undefined) return next;
  const [a, b] = [before.said, next.said];
  const order =
    compareTimes(a.timestamp, b.timestamp) ||
    compareTimes(a.last_updated ?? a.timestamp, b.last_updated ?? b.timestamp) ||
    CAUTION[a.status] - CAUTION[b.status] ||
    compareTexts(a.justification, b.justification) ||
    compareTexts(a.impact_statement, b.impact_statement) ||
    compareTexts(a.action_statement, b.action_statement) ||
    before.document - next.document ||
    before.statement - next.statement;
  return order > 0 ? before : next;
}

/** How little a status suppresses. */
const CAUTION: Readonly<Record<VexStatus, number>> = { not_affected: 0, fixed: 1, under_investigation: 2, affected: 3 };

function imageOf(product: string): readonly string[] {
  const purl = purlOfImage(product);
  return purl === undefined ? [] : [purl];
}

const BEHIND_AT = /@([^@?#]+)(?=[?#]|$)/g;

/** The digest in the purl or reference of an image, by which statements may name it too. */
function digestOf(product: string): readonly string[] {
  const written = Array.from(product.matchAll(BEHIND_AT), ([, text = '']) => text.replace(/%3A/i, ':'));
  return written.filter((text) => isSha256(text.toLowerCase())).slice(0, 1);
}
