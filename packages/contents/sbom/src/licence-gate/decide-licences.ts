import {
  contradiction,
  gravest,
  type Judged,
  LicenceJudge,
  type LicencePolicy,
  LicenceReader,
  type LicenceReasonCode,
  LicenceReasoner,
  type LicenceTexts,
} from '@colophon/licences';
import type { ResultOf } from '@colophon/records/result';
import type { Attribution } from '../attribution/attribution.ts';
import { readAttribution, readVariantB } from '../attribution/read-attribution.ts';
import type { Bom, Component } from '../document/bom.ts';
import { type PlacedComponent, walkComponents } from '../document/walk-components.ts';
import type { licenceDecision } from './licence-result.ts';

/** Whether a document's licences are allowed, and every component whose licence is not. */
export type LicenceDecision = ResultOf<typeof licenceDecision>;
/** A component that the policy does not let pass, and why. */
export type LicenceOffence = LicenceDecision['offending'][number];
/** What a component was made from, and under which licence that is. */
type LicenceOrigin = NonNullable<LicenceOffence['origin']>;
/**
 * Who wrote a component, by the document. No evidence is looked at here, so what the document says that its words rest on
 * is its claim, and stands apart.
 */
type ClaimedAttribution = NonNullable<LicenceOffence['attribution']>;

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
  const contradicting: LicenceOffence[] = [];
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
    const { offence, contradiction } = gate.judge(placed, attribution);
    if (contradiction !== undefined) contradicting.push(contradiction);
    if (offence === undefined) continue;
    const isTolerated = policy.allowUnknown && TOLERABLE.has(offence.code);
    (isTolerated ? unknown : offending).push(offence);
  }
  const agentsFirst = (list: readonly LicenceOffence[]) => [
    ...list.filter(({ agent_authored }) => agent_authored),
    ...list.filter(({ agent_authored }) => !agent_authored),
  ];
  return {
    allowed: offending.length === 0,
    component_count: components,
    agent_authored_count: agentAuthored,
    offending: agentsFirst(offending),
    contradicting: agentsFirst(contradicting),
    unknown: agentsFirst(unknown),
  };
}

/** What `allowUnknown` lets pass: nothing that is known to be not allowed. */
const TOLERABLE: ReadonlySet<LicenceReasonCode> = new Set([
  'licence.unknown',
  'licence.missing',
  'licence.text_unknown',
]);

type Judgement = { readonly offence?: LicenceOffence; readonly contradiction?: LicenceOffence };

class Gate {
  readonly #policy: LicencePolicy;
  readonly #bom: Bom;
  readonly #reader: LicenceReader;
  readonly #judge: LicenceJudge;
  readonly #reasoner = new LicenceReasoner();
  #byPackage: ReadonlyMap<string, PlacedComponent> | undefined;

  constructor(bom: Bom, policy: LicencePolicy, texts?: LicenceTexts) {
    this.#bom = bom;
    this.#policy = policy;
    this.#reader = new LicenceReader(texts);
    this.#judge = new LicenceJudge(policy);
  }

  /** Why a component is refused, if it is, and whether its text says something else than it does. */
  judge({ component, path }: PlacedComponent, attribution: Attribution | undefined): Judgement {
    const stated = this.#reader.claimsOf(component, path);
    const concluded = stated.filter(({ acknowledgement }) => acknowledgement === 'concluded');
    const { source_package } = readVariantB(component, this.#policy.namespace);
    // Nobody concludes rewritten code out of the licence of what it was made from.
    const isDerived = attribution !== undefined || source_package !== undefined;
    const counting = !isDerived && concluded.length > 0 ? concluded : stated;
    const sources = isDerived ? this.#sourcesOf(component, path, source_package) : [];
    const own = counting.map((claim) => this.#judge.judge(claim, claim.from));
    const ofSources = sources.flatMap((source) =>
      this.#reader.claimsOf(source.component, source.path).map((claim) => this.#judge.judge(claim, 'source')),
    );
    const worst = gravest([...own, ...ofSources]);
    const isRefused = worst !== 'allowed' || own.length === 0;
    const contradicts = contradiction(own);
    if (!isRefused && contradicts === undefined) return {};
    const { 'bom-ref': ref, name, version, purl } = component;
    const facts = {
      path,
      ...(typeof ref === 'string' ? { bom_ref: ref } : {}),
      name: typeof name === 'string' ? name : '',
      ...(typeof version === 'string' ? { version } : {}),
      ...(typeof purl === 'string' ? { purl } : {}),
      agent_authored: attribution !== undefined,
      ...(attribution === undefined ? {} : { attribution: asClaimed(attribution) }),
      ...originOf(source_package, sources, ofSources),
      licences: [...own, ...ofSources].map(({ claim: _, ...judged }) => judged),
    };
    return {
      ...(isRefused ? { offence: { ...this.#reasoner.reasonOf(worst, own, ofSources, component), ...facts } } : {}),
      ...(contradicts === undefined ? {} : { contradiction: { ...contradicts, ...facts } }),
    };
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
}

function asClaimed({ basis, field_basis, bundle, ...said }: Attribution): ClaimedAttribution {
  const claimed = {
    ...(basis === undefined ? {} : { basis }),
    ...(field_basis === undefined ? {} : { field_basis }),
    ...(bundle === undefined ? {} : { bundle }),
  };
  return Object.keys(claimed).length === 0 ? said : { ...said, claimed };
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
  const byPurl = typeof purl === 'string' ? [purl] : [];
  if (typeof name !== 'string') return byPurl;
  const plain = typeof version === 'string' ? `${name}@${version}` : name;
  const names = typeof group === 'string' && group !== '' ? [`${group}/${plain}`, `${group}:${plain}`] : [plain];
  return [...names, ...byPurl];
}
