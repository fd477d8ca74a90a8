import { compareTexts } from '@colophon/notation';
import { type AgentRun, type Basis, basisOfStated, type CertificateIdentity, isConfirmed } from '@colophon/records';
import type { Attribution } from '../attribution/attribution.ts';
import { type AiField, BASIS_PROPERTY } from '../attribution/attribution-names.ts';
import { propertiesOf, withProperties } from '../attribution/component-properties.ts';
import { isSupport } from '../attribution/field-basis.ts';
import {
  namespaceOf,
  readAttribution,
  readSupport,
  readVariantA,
  readVariantB,
} from '../attribution/read-attribution.ts';
import { type Variant, writeAttribution } from '../attribution/write-attribution.ts';
import { sortedJson } from '../diff/sorted-json.ts';
import type { Bom, Component } from '../document/bom.ts';
import { type Conversion, convertBom } from '../profile/convert-bom.ts';
import { type Loss, signatureLoss, type WrittenProfile } from '../profile/loss.ts';
import { mapComponents } from '../profile/map-components.ts';
import { repositoryPath } from './repository-path.ts';
import { selectComponents } from './select-components.ts';
import { contentNote, contentOf, type FileContent, type WrittenFile } from './written-content.ts';

/** An agent run whose bundle was verified, who signed it, and whose review counts for its commit. */
export type RunEvidence = {
  readonly run: AgentRun;
  readonly identity: CertificateIdentity;
  /** Absent where nobody is known to have reviewed, whatever run and certificate say. */
  readonly review?: RunReview;
  /** RFC 3339: the time that the log vouches for. */
  readonly loggedAt: string;
  /** `sha256:<hex>` of the bundle, and where it can be had. */
  readonly bundle: string;
  readonly url: string;
  /**
   * By the path of each changed file, what the run's commit wrote there and what a repository has now; absent where no
   * repository has the commit.
   */
  readonly written?: ReadonlyMap<string, WrittenFile>;
  /** As a witness saw it in the provider's answer; nobody else's word is taken. */
  readonly modelVersion?: string;
};

/** A review that counts, and what that rests on. */
export type RunReview = {
  readonly reviewer: { readonly address: string };
  /** RFC 3339 with Z. */
  readonly reviewedAt?: string;
  readonly basis: Basis;
};

export type AttributionOptions = {
  readonly profile: WrittenProfile;
  /** Default: A for every component, B too where it is vendored code whose source is stated. */
  readonly variant?: Variant;
  readonly namespace?: string;
  /** For a document that is too old to carry attribution. */
  readonly version?: Conversion['version'];
  /** What the scanner of the document put before its paths. */
  readonly root?: string;
  /** Files that become components where they belong to none: their SHA-256, hex, by path. */
  readonly addFiles?: ReadonlyMap<string, string>;
  /** Marks for which there is nothing but somebody's word, by bom-ref or purl. */
  readonly declared?: { readonly refs: readonly string[]; readonly attribution: Attribution };
};

/** A component that says who wrote it. */
export type Mark = {
  /** JSON Pointer in the document that is returned. */
  readonly path: string;
  /** Its bom-ref, else its purl, else its name. */
  readonly component: string;
  readonly attribution: Attribution;
};
/** A mark that verified evidence bears out; what each field rests on is in `field_basis`. */
export type SupportedMark = Mark & {
  readonly bundle: string;
  readonly files: readonly string[];
  /** What became of the files of this run. */
  readonly contents: readonly FileContent[];
  /** Bundles of runs that changed it before. */
  readonly earlier: readonly string[];
};
export type DeclaredMark = Mark & {
  /** `unsupported`: it named evidence or said `verified`, and no evidence bears it out. */
  readonly was: 'new' | 'unlabelled' | 'declared' | 'unsupported';
};

/** What attributing did to a document. */
export type AttributedBom = {
  readonly bom: Bom;
  readonly changed: boolean;
  readonly supported: readonly SupportedMark[];
  readonly declared: readonly DeclaredMark[];
  /** Changed files that belong to no component. */
  readonly unmatched: readonly string[];
  /** Names in the evidence that are no paths inside a repository. */
  readonly refusedPaths: readonly string[];
  /** Refs of `declared` that no component has. */
  readonly unknownRefs: readonly string[];
  readonly losses: readonly Loss[];
  readonly notes: readonly string[];
};

const REFERENCE_COMMENT = 'agent run that the AI attribution rests on';

/**
 * Marks the components that verified agent runs changed. What a mark says comes from the run, its certificate, the
 * review of its commit and the log alone, and says of each field what it rests on; marks that nothing supports are labelled as declared, whatever they say of themselves. The document's
 * version goes up where it changes; the same evidence changes nothing a second time.
 * @see contract §2.5
 */
export function attributeBom(bom: Bom, runs: readonly RunEvidence[], options: AttributionOptions): AttributedBom {
  const { profile, version } = options;
  const standard = convertBom(bom, { profile: 'standard', ...(version && { version }) });
  const located = locate(standard.bom, runs, options);
  const supported: SupportedMark[] = [];
  const declared: DeclaredMark[] = [];
  const unsourced: string[] = [];
  const unknownRefs = new Set(options.declared?.refs);
  const unheld = new Set<string>();

  const losses: Loss[] = [];
  const onUnsigned = (path: string) => void losses.push(signatureLoss(path));
  const mark = (component: Component, path: string): Component => {
    const namespace = options.namespace ?? namespaceOf(component);
    const isDeclared = takeRefs(component, unknownRefs, options.declared?.refs);
    const changes = located.changes.get(path);
    const place = { path, component: component['bom-ref'] ?? component.purl ?? component.name };
    if (changes !== undefined) {
      const [latest, ...earlier] = changes.runs as [RunEvidence, ...RunEvidence[]];
      const contents = [...changes.ofLatest].map((file) =>
        contentOf(component, file, latest.written?.get(file), options.root),
      );
      for (const note of contentNotes(latest, contents)) unheld.add(note);
      const attribution = attributionOf(latest, contents);
      const next = marking(component, attribution, options, namespace, unsourced);
      const bundles = [...new Set(earlier.map(({ bundle }) => bundle))].filter((bundle) => bundle !== latest.bundle);
      const { bundle } = latest;
      supported.push({ ...place, attribution, bundle, files: [...changes.files], contents, earlier: bundles });
      return unlessSame(component, withReference(next, latest));
    }
    const given = isDeclared ? options.declared?.attribution : undefined;
    const known = given ?? readAttribution(component, { namespace });
    if (known === undefined) return component;
    const { bundle: _, field_basis: __, changed_by: ___, ...attribution } = { ...known, basis: 'declared' } as const;
    const { basis, bundle } = readSupport(component);
    const isClaimed = basis === 'verified' || bundle !== undefined;
    declared.push({ ...place, attribution, was: given ? 'new' : isClaimed ? 'unsupported' : (basis ?? 'unlabelled') });
    const next = given ? marking(component, attribution, options, namespace, unsourced) : relabelled(component);
    return unlessSame(component, withReference(next, undefined));
  };
  const marked = mapComponents(located.bom, mark, onUnsigned);

  const written = profile === 'spec' ? convertBom(marked, { profile }) : { bom: marked, losses: [], notes: [] };
  const changed = written.bom !== bom && sortedJson(written.bom) !== sortedJson(bom);
  const { signature: _signature, ...unsigned } = written.bom;
  const isUnsigned = changed && bom['signature'] !== undefined;
  return {
    bom: changed ? ({ ...unsigned, version: (bom.version ?? 1) + 1 } as Bom) : bom,
    changed,
    supported,
    declared,
    unmatched: located.unmatched,
    refusedPaths: located.refused,
    unknownRefs: [...unknownRefs],
    losses: [
      ...standard.losses.filter(({ path }) => path !== '/signature'),
      ...losses,
      ...written.losses,
      ...(isUnsigned ? [signatureLoss('')] : []),
    ],
    notes: [...standard.notes, ...unheld, ...unsourcedNote(unsourced), ...written.notes],
  };
}

type Changes = {
  readonly runs: RunEvidence[];
  readonly files: Set<string>;
  /** Those that the first of the runs changed. */
  readonly ofLatest: Set<string>;
};

/** Which runs changed which component, the latest first; files that are to become components are some then. */
function locate(bom: Bom, runs: readonly RunEvidence[], { root, addFiles }: AttributionOptions) {
  const selection = selectComponents(bom, root);
  const changes = new Map<string, Changes>();
  const unmatched = new Set<string>();
  const refused = new Set<string>();
  const added: Component[] = [];
  const addedAt = new Map<string, string>();
  const refs = new Set((bom.components ?? []).map((component) => component['bom-ref']));

  const add = (file: string): string | undefined => {
    const known = addedAt.get(file);
    const sha256 = addFiles?.get(file);
    if (known !== undefined || sha256 === undefined) return known;
    let ref = `file:${file}`;
    for (let number = 2; refs.has(ref); number++) ref = `file:${file}#${number}`;
    const pointer = `/components/${(bom.components ?? []).length + added.length}`;
    added.push({ type: 'file', 'bom-ref': ref, name: file, hashes: [{ alg: 'SHA-256', content: sha256 }] });
    addedAt.set(file, pointer);
    return pointer;
  };

  for (const run of [...runs].sort(latestFirst)) {
    for (const name of run.run.git.files_changed ?? []) {
      const file = repositoryPath(name);
      if (file === undefined) {
        refused.add(name);
        continue;
      }
      const found = selection.componentsOf(file);
      const pointers = found.length > 0 ? found : [add(file)].filter((pointer) => pointer !== undefined);
      if (pointers.length === 0) unmatched.add(file);
      for (const pointer of pointers) {
        const known = changes.get(pointer) ?? { runs: [], files: new Set(), ofLatest: new Set() };
        changes.set(pointer, known);
        if (known.runs.at(-1) !== run) known.runs.push(run);
        known.files.add(file);
        if (known.runs[0] === run) known.ofLatest.add(file);
      }
    }
  }
  return {
    bom: added.length === 0 ? bom : withFiles(bom, added),
    changes,
    unmatched: [...unmatched],
    refused: [...refused],
  };
}

/** The files are parts of the artifact, where the document has a graph that says what its parts are. */
function withFiles(bom: Bom, files: readonly Component[]): Bom {
  const refs = files.map((file) => file['bom-ref'] as string);
  const root = bom.metadata?.component?.['bom-ref'];
  const isRooted = bom.dependencies?.some(({ ref }) => ref === root) ?? true;
  // What the artifact needs may not be said; that these are parts of it is.
  const graph = isRooted || root === undefined ? bom.dependencies : [...bom.dependencies!, { ref: root }];
  const dependencies = graph?.map((entry) =>
    entry.ref === root ? { ...entry, dependsOn: [...(entry.dependsOn ?? []), ...refs] } : entry,
  );
  return {
    ...bom,
    components: [...(bom.components ?? []), ...files],
    ...(dependencies && { dependencies: [...dependencies, ...refs.map((ref) => ({ ref }))] }),
  };
}

/** Of two runs of one time the one with the greater bundle, so that the order they come in does not matter. */
function latestFirst(a: RunEvidence, b: RunEvidence): number {
  const key = ({ loggedAt, bundle }: RunEvidence) => `${wholeSeconds(loggedAt).slice(0, -1)} ${bundle}`;
  return compareTexts(key(b), key(a));
}

/** The same text for the same time, whether the log's answer or its store gave it. */
function wholeSeconds(time: string): string {
  return time.replace('.000Z', 'Z');
}

/** Why the content of a mark is not known to be what the run wrote; the same of all files where no repository tells. */
function contentNotes({ run, written }: RunEvidence, contents: readonly FileContent[]): readonly string[] {
  const { commit_sha: commit } = run.git;
  if (written === undefined) return [`no repository shows what commit ${commit} wrote, so its marks are declared`];
  return contents
    .filter(({ is }) => is === 'changed' || is === 'unknown')
    .map((content) => contentNote(content, commit));
}

/** Every field, and the content, with what it rests on; the mark is worth what the least of them is. */
function attributionOf(evidence: RunEvidence, contents: readonly FileContent[]): Attribution {
  const { run, identity, review, loggedAt, bundle, modelVersion } = evidence;
  const { model, input, agent } = run;
  // The review is of the run's own commit: nobody reviewed what came in its place, or stands on another base.
  const isOwn = ({ is, commit }: FileContent) => is === 'gone' || (is === 'same' && commit === run.git.commit_sha);
  const isReviewed = evidence.written === undefined || contents.every(isOwn);
  const reviewed = isReviewed ? review : undefined;
  const stated = {
    agent: [agent.name, basisOfStated(identity, 'agent_name', agent.name)],
    model: [model.id, basisOfStated(identity, 'model_id', model.id)],
    model_version: [modelVersion, basisOfStated(identity, 'model_id', model.id)],
    prompt: [input.prompt_hash, basisOfStated(identity, 'prompt_hash', input.prompt_hash)],
    generated_at: [wholeSeconds(loggedAt), { source: 'log' }],
    reviewed_by: [reviewed?.reviewer.address, reviewed?.basis],
    reviewed_at: [reviewed?.reviewedAt, reviewed?.basis],
  } as const satisfies { readonly [field in AiField]: readonly [string | undefined, Basis | undefined] };
  const known = Object.entries(stated).filter(([, [value]]) => value !== undefined);
  const isHeld = contents.some(({ is }) => is === 'same') && contents.every(({ is }) => is === 'same' || is === 'gone');
  const changedBy = contents.find(({ changed_by: by }) => by !== undefined)?.changed_by;
  const content = basisOfStated(identity, 'commit_sha', run.git.commit_sha);
  const bases = [
    ...known.map(([field, [, basis]]) => [field, basis as Basis] as const),
    ...(isHeld ? [['content', content] as const] : []),
  ];
  return {
    ...Object.fromEntries(known.map(([field, [value]]) => [field, value])),
    basis: isHeld && bases.every(([, basis]) => isConfirmed(basis)) ? 'verified' : 'declared',
    field_basis: Object.fromEntries(bases),
    ...(changedBy !== undefined && { changed_by: changedBy }),
    bundle,
  };
}

/** Writes a mark; a variant that is there already never keeps what another mark said. */
function marking(
  component: Component,
  attribution: Attribution,
  { variant }: AttributionOptions,
  namespace: string,
  unsourced: string[],
): Component {
  const { agent, model, authored_by, ...source } = readVariantB(component, namespace);
  const { source_package, source_similarity, vendoring_method } = source;
  const isSourced = source_package !== undefined && source_similarity !== undefined && vendoring_method !== undefined;
  const hasB = agent !== undefined || model !== undefined || authored_by !== undefined;
  const hasA = Object.keys(readVariantA(component)).length > 0;
  const wantsA = variant !== 'B' || hasA;
  const wantsB = variant === 'B' || variant === 'both' || hasB || (variant === undefined && isSourced);
  if (wantsB && !isSourced) unsourced.push(component['bom-ref'] ?? component.name);
  const form = wantsA && wantsB ? 'both' : wantsA ? 'A' : 'B';
  return writeAttribution(component, { ...source, ...attribution }, { variant: form, profile: 'standard', namespace });
}

function relabelled(component: Component): Component {
  const kept = propertiesOf(component).filter((property) => !isSupport(property));
  return withProperties(component, [...kept, { name: BASIS_PROPERTY, value: 'declared' }]);
}

function unsourcedNote([first, ...more]: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return [`variant B does not say which source the code derives from: ${first}${others}`];
}

/** The one reference to the evidence that a mark rests on, or none. */
function withReference(component: Component, run: RunEvidence | undefined): Component {
  const { externalReferences = [], ...rest } = component;
  const content = run?.bundle.replace(/^sha256:/, '');
  const isOurs = (reference: { readonly type: string; readonly comment?: unknown }) =>
    reference?.type === 'attestation' && reference.comment === REFERENCE_COMMENT;
  const isCurrent = ({ hashes }: (typeof externalReferences)[number]) =>
    hashes?.some((hash) => hash.alg === 'SHA-256' && hash.content === content);
  const kept = externalReferences.filter((reference) => !isOurs(reference) || isCurrent(reference));
  const references = [...kept];
  if (run !== undefined && content !== undefined && !kept.some((reference) => isOurs(reference))) {
    const hashes = [{ alg: 'SHA-256', content }];
    references.push({ type: 'attestation', url: run.url, comment: REFERENCE_COMMENT, hashes } as (typeof kept)[number]);
  }
  if (references.length === 0 && component.externalReferences?.length !== 0) return rest as Component;
  return { ...rest, externalReferences: references } as Component;
}

function takeRefs(component: Component, open: Set<string>, refs: readonly string[] | undefined): boolean {
  const named = [component['bom-ref'], component.purl].filter((ref) => ref !== undefined && refs?.includes(ref));
  for (const ref of named) open.delete(ref as string);
  return named.length > 0;
}

function unlessSame(before: Component, after: Component): Component {
  return sortedJson(after) === sortedJson(before) ? before : after;
}
