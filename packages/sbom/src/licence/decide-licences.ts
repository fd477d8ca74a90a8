import type { Attribution } from '../attribution/attribution.ts';
import { readAttribution, readVariantB } from '../attribution/read-attribution.ts';
import type { Bom, Component } from '../document/bom.ts';
import { type PlacedComponent, walkComponents } from '../document/walk-components.ts';
import { type LicenceClaim, LicenceReader } from './licence-claim.ts';
import type { LicenceExpression } from './licence-expression.ts';
import { type LicencePolicy, oneSpaced } from './licence-policy.ts';
import { allowsTerm, deniesTerm, type LicenceTerm } from './licence-term.ts';
import type { LicenceTexts } from './licence-text.ts';
import { similarSpdxId } from './spdx-list.ts';

/** Every reason for which a component's licence can be refused, the graver first. */
export const LICENCE_REASON_CODES = [
  /** A licence that the policy denies. */
  'licence.denied',
  /** A licence that is not on the allowed list. */
  'licence.not_allowed',
  /** What it states is allowed, and the text beside it is that of another licence, which is not. */
  'licence.text_contradicts',
  /** What it states is allowed, and the package that it was made from is under a licence that is not. */
  'licence.source_not_allowed',
  /** A licence is stated that nobody can look up. */
  'licence.unknown',
  /** No licence is stated. */
  'licence.missing',
] as const;
export type LicenceReasonCode = (typeof LICENCE_REASON_CODES)[number];

/** How a licence stands against the policy. */
export type LicenceVerdict = 'allowed' | 'unknown' | 'not_allowed' | 'denied';

/** A licence of a component as the decision saw it. */
export type JudgedLicence = {
  readonly stated: string;
  /** In SPDX's terms, where that is not what is stated. */
  readonly means?: string;
  readonly from: LicenceClaim['from'] | 'source';
  readonly verdict: LicenceVerdict;
  /** Of an expression, the licences in it that stand in the way. */
  readonly refused?: readonly string[];
  readonly acknowledgement?: string;
  /** JSON Pointer. */
  readonly path: string;
};

/** What a component was made from, and under which licence that is. */
export type LicenceOrigin = {
  /** `<package>@<version>`. */
  readonly source_package?: string;
  readonly purl?: string;
  readonly licences: readonly string[];
};

/** A component that the policy does not let pass, and why. */
export type LicenceOffence = {
  readonly code: LicenceReasonCode;
  /** One sentence for a person; holds text from outside. */
  readonly message: string;
  /** JSON Pointer. */
  readonly path: string;
  readonly ref?: string;
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
  readonly agent_authored: boolean;
  readonly attribution?: Attribution;
  readonly origin?: LicenceOrigin;
  readonly licences: readonly JudgedLicence[];
};

/** Whether a document's licences are allowed, and every component whose licence is not. */
export type LicenceDecision = {
  readonly allowed: boolean;
  /** Components that were judged. */
  readonly components: number;
  /** Of these, the ones that an agent wrote. */
  readonly agent_authored: number;
  /** The ones that an agent wrote first, each kind in the document's order. */
  readonly offending: readonly LicenceOffence[];
  /** Let pass although nobody knows their licence, as the policy says. */
  readonly unknown: readonly LicenceOffence[];
};

/**
 * Holds the licence of every component against a policy. Every entry of a component has to be allowed, of `OR` one
 * branch; where an analysis concluded a licence, that one counts, except for what an agent wrote: there everything
 * stated counts, and the licence of what it was made from does too. The document is read once, whatever it holds.
 * @param texts to recognise licences by their text; without, a text says nothing
 * @see contract §7; decision 0014
 */
export function decideLicences(bom: Bom, policy: LicencePolicy, texts?: LicenceTexts): LicenceDecision {
  const gate = new Gate(bom, policy, texts);
  const offending: LicenceOffence[] = [];
  const unknown: LicenceOffence[] = [];
  let components = 0;
  let agentAuthored = 0;
  for (const placed of walkComponents(bom)) {
    if (placed.path === '/metadata/component' && !policy.includeRoot) continue;
    if (placed.component.scope === 'excluded' && policy.skipExcluded) continue;
    components++;
    const attribution = readAttribution(
      placed.component,
      policy.namespace === undefined ? {} : { namespace: policy.namespace },
    );
    if (attribution !== undefined) agentAuthored++;
    const offence = gate.judge(placed, attribution);
    if (offence === undefined) continue;
    const isTolerated =
      policy.allowUnknown && (offence.code === 'licence.unknown' || offence.code === 'licence.missing');
    (isTolerated ? unknown : offending).push(offence);
  }
  const agentsFirst = (list: readonly LicenceOffence[]) => [
    ...list.filter(({ agent_authored }) => agent_authored),
    ...list.filter(({ agent_authored }) => !agent_authored),
  ];
  return {
    allowed: offending.length === 0,
    components,
    agent_authored: agentAuthored,
    offending: agentsFirst(offending),
    unknown: agentsFirst(unknown),
  };
}

/** A person needs no more of one expression. */
const MOST_REFUSED_TERMS = 20;
const MOST_GUESSES = 1000;
const GRAVITY: readonly LicenceVerdict[] = ['allowed', 'unknown', 'not_allowed', 'denied'];

type Judged = JudgedLicence & { readonly claim: LicenceClaim };

class Gate {
  readonly #policy: LicencePolicy;
  readonly #reader: LicenceReader;
  readonly #bom: Bom;
  readonly #verdicts = new Map<string, LicenceVerdict>();
  readonly #allowedNames: ReadonlySet<string>;
  readonly #deniedNames: ReadonlySet<string>;
  readonly #similar = new Map<string, string | undefined>();
  #byPackage: ReadonlyMap<string, PlacedComponent> | undefined;

  constructor(bom: Bom, policy: LicencePolicy, texts?: LicenceTexts) {
    this.#bom = bom;
    this.#policy = policy;
    this.#reader = new LicenceReader(texts);
    this.#allowedNames = new Set(policy.allow?.names);
    this.#deniedNames = new Set(policy.deny?.names.map((name) => name.toLowerCase()));
  }

  /** Why a component is refused, or undefined where nothing speaks against it. */
  judge({ component, path }: PlacedComponent, attribution: Attribution | undefined): LicenceOffence | undefined {
    const stated = this.#reader.claimsOf(component, path);
    const concluded = stated.filter(({ acknowledgement }) => acknowledgement === 'concluded');
    const { source_package } = readVariantB(component, this.#policy.namespace);
    // Nobody concludes rewritten code out of the licence of what it was made from.
    const isDerived = attribution !== undefined || source_package !== undefined;
    const counting = !isDerived && concluded.length > 0 ? concluded : stated;
    const sources = isDerived ? this.#sourcesOf(component, path, source_package) : [];
    const own = counting.map((claim) => this.#judged(claim, claim.from));
    const ofSources = sources.flatMap((source) =>
      this.#reader.claimsOf(source.component, source.path).map((claim) => this.#judged(claim, 'source')),
    );
    const worst = gravest([...own, ...ofSources]);
    if (worst === 'allowed' && own.length > 0) return undefined;
    const { 'bom-ref': ref, name, version, purl } = component;
    return {
      ...this.#reasonOf(worst, own, ofSources, component),
      path,
      ...(typeof ref === 'string' ? { ref } : {}),
      name: String(name ?? ''),
      ...(typeof version === 'string' ? { version } : {}),
      ...(typeof purl === 'string' ? { purl } : {}),
      agent_authored: attribution !== undefined,
      ...(attribution === undefined ? {} : { attribution }),
      ...originOf(source_package, sources, ofSources),
      licences: [...own, ...ofSources].map(({ claim: _, ...judged }) => judged),
    };
  }

  #judged(claim: LicenceClaim, from: JudgedLicence['from']): Judged {
    const { stated, expression, acknowledgement, path } = claim;
    const means = expression === undefined ? undefined : meaning(expression);
    const refused = expression === undefined || expression.length === 1 ? [] : this.#refusedTerms(expression);
    return {
      stated,
      ...(means === undefined || means === stated ? {} : { means }),
      from,
      verdict: this.#verdictOf(claim),
      ...(refused.length === 0 ? {} : { refused }),
      ...(acknowledgement === undefined ? {} : { acknowledgement }),
      path,
      claim,
    };
  }

  #verdictOf({ name, expression }: LicenceClaim): LicenceVerdict {
    if (name !== undefined && this.#deniedNames.has(oneSpaced(name).toLowerCase())) return 'denied';
    if (name !== undefined && this.#allowedNames.has(oneSpaced(name))) return 'allowed';
    if (expression === undefined) return 'unknown';
    // AND is as bad as its worst side, OR as good as its best.
    const stack: number[] = [];
    for (const part of expression) {
      if (typeof part === 'object') stack.push(GRAVITY.indexOf(this.#verdictOfTerm(part)));
      else {
        const [right, left] = [stack.pop()!, stack.pop()!];
        stack.push(part === 'AND' ? Math.max(left, right) : Math.min(left, right));
      }
    }
    return GRAVITY[stack[0]!]!;
  }

  #refusedTerms(expression: LicenceExpression): string[] {
    const refused = new Set<string>();
    for (const part of expression) {
      if (typeof part === 'object' && this.#verdictOfTerm(part) !== 'allowed')
        refused.add(part.text.slice(0, LONGEST_MEANING));
      if (refused.size === MOST_REFUSED_TERMS) break;
    }
    return [...refused];
  }

  #verdictOfTerm(term: LicenceTerm): LicenceVerdict {
    const known = this.#verdicts.get(term.text);
    if (known !== undefined) return known;
    const { allow, deny } = this.#policy;
    const verdict = deny?.terms.some((entry) => deniesTerm(entry, term))
      ? 'denied'
      : allow?.terms.some((entry) => allowsTerm(entry, term))
        ? 'allowed'
        : term.kind === 'unknown'
          ? 'unknown'
          : allow !== undefined
            ? 'not_allowed'
            : // Nobody else knows what a reference stands for.
              term.kind === 'spdx'
              ? 'allowed'
              : 'unknown';
    this.#verdicts.set(term.text, verdict);
    return verdict;
  }

  /** What the component was made from: its pedigree's ancestors, and the named package where the document has it. */
  #sourcesOf(component: Component, path: string, source_package: string | undefined): PlacedComponent[] {
    const ancestors: unknown = (component['pedigree'] as { ancestors?: unknown } | undefined)?.ancestors;
    const sources: PlacedComponent[] = (Array.isArray(ancestors) ? ancestors : []).flatMap((ancestor, index) =>
      typeof ancestor === 'object' && ancestor !== null
        ? [{ component: ancestor as Component, path: `${path}/pedigree/ancestors/${index}` }]
        : [],
    );
    const named = source_package === undefined ? undefined : this.#packages().get(source_package);
    return named === undefined || named.component === component ? sources : [...sources, named];
  }

  #packages(): ReadonlyMap<string, PlacedComponent> {
    this.#byPackage ??= new Map(
      [...walkComponents(this.#bom)].flatMap((placed) => packageNames(placed.component).map((name) => [name, placed])),
    );
    return this.#byPackage;
  }

  #reasonOf(
    worst: LicenceVerdict,
    own: readonly Judged[],
    ofSources: readonly Judged[],
    component: Component,
  ): Pick<LicenceOffence, 'code' | 'message'> {
    const guilty = [...own, ...ofSources].filter(({ verdict }) => verdict === worst);
    const stated = own.filter(({ claim }) => claim.from !== 'nothing');
    if (worst === 'denied') return { code: 'licence.denied', message: `denied: ${names(guilty)}` };
    if (worst === 'not_allowed') {
      if (guilty.every(({ from }) => from === 'source')) {
        return {
          code: 'licence.source_not_allowed',
          message: `it was made from code under ${names(guilty)}, which is not allowed`,
        };
      }
      if (guilty.every(({ claim }) => claim.isContradiction)) {
        const beside = names(own.filter(({ claim }) => !claim.isContradiction));
        return {
          code: 'licence.text_contradicts',
          message: `the text beside ${beside} is that of ${names(guilty)}, which is not allowed`,
        };
      }
      return { code: 'licence.not_allowed', message: `not on the allowed list: ${names(guilty)}` };
    }
    if (stated.length === 0) {
      const observed = component.evidence?.['licenses'];
      const found =
        Array.isArray(observed) && observed.length > 0 ? ', only some were observed (evidence.licenses)' : '';
      return { code: 'licence.missing', message: `no licence is stated${found}` };
    }
    const similar = guilty.map(({ claim }) => this.#similarTo(claim.stated)).find((id) => id !== undefined);
    const meant = similar === undefined ? '' : `; ${similar} may be meant`;
    return {
      code: 'licence.unknown',
      message: `no licence that SPDX lists: ${names(guilty) || 'what is stated'}${meant}`,
    };
  }

  /** A guess for a person costs a comparison with every id, so it is made once for each name, and not for thousands. */
  #similarTo(stated: string): string | undefined {
    if (!this.#similar.has(stated) && this.#similar.size < MOST_GUESSES)
      this.#similar.set(stated, similarSpdxId(stated));
    return this.#similar.get(stated);
  }
}

function gravest(licences: readonly Judged[]): LicenceVerdict {
  return GRAVITY[licences.reduce((worst, { verdict }) => Math.max(worst, GRAVITY.indexOf(verdict)), 0)]!;
}

const MOST_NAMED = 3;

function names(licences: readonly Judged[]): string {
  const all = [...new Set(licences.map(nameOf))].filter((name) => name !== '');
  const shown = all.slice(0, MOST_NAMED).join(', ');
  return all.length > MOST_NAMED ? `${shown} and ${all.length - MOST_NAMED} more` : shown;
}

function nameOf({ stated, means = stated, refused, claim }: Judged): string {
  const terms = claim.expression?.filter((part) => typeof part === 'object') ?? [];
  if (refused !== undefined && refused.length < terms.length)
    return `${refused.slice(0, MOST_NAMED).join(', ')} in ${means}`;
  return claim.from === 'name' && means !== stated && terms.length === 1 ? `${means} (“${stated}”)` : means;
}

function originOf(
  named: string | undefined,
  sources: readonly PlacedComponent[],
  ofSources: readonly Judged[],
): { origin?: LicenceOrigin } {
  const purl = sources.map(({ component }) => component.purl).find((one) => typeof one === 'string');
  const source_package = named ?? (sources[0] && packageNames(sources[0].component)[0]);
  if (source_package === undefined) return {};
  return {
    origin: {
      source_package,
      ...(purl === undefined ? {} : { purl }),
      licences: [...new Set(ofSources.map(({ stated, means }) => means ?? stated))],
    },
  };
}

/** As npm and most others write a package with its group, as Maven does, and by its package URL. */
function packageNames({ group, name, version, purl }: Component): string[] {
  const plain = `${name}@${version}`;
  const names = typeof group === 'string' && group !== '' ? [`${group}/${plain}`, `${group}:${plain}`] : [plain];
  return typeof purl === 'string' ? [...names, purl] : names;
}

const LONGEST_MEANING = 300;

/** An expression in infix, with the parentheses that it needs; undefined where it is too long to be shown. */
function meaning(expression: LicenceExpression): string | undefined {
  const stack: Array<{ text: string; operator?: string }> = [];
  for (const part of expression) {
    if (typeof part === 'object') {
      stack.push({ text: part.text });
      continue;
    }
    const [right, left] = [stack.pop()!, stack.pop()!];
    const side = ({ text, operator }: { text: string; operator?: string }) =>
      part === 'AND' && operator === 'OR' ? `(${text})` : text;
    const text = `${side(left)} ${part} ${side(right)}`;
    if (text.length > LONGEST_MEANING) return undefined;
    stack.push({ text, operator: part });
  }
  const text = stack[0]?.text;
  return text !== undefined && text.length <= LONGEST_MEANING ? text : undefined;
}
