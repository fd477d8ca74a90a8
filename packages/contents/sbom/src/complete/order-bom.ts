import { compareTexts } from '@colophon/notation';
import type { Bom, Component, Dependency } from '../document/bom.ts';
import type { Composition } from './compositions.ts';

// The order in which the official schema names the members (CycloneDX 1.7).
const BOM_MEMBERS = order(
  '$schema bomFormat specVersion serialNumber version metadata components services externalReferences dependencies ' +
    'compositions vulnerabilities annotations formulation declarations definitions citations properties signature',
);
const METADATA_MEMBERS = order(
  'timestamp lifecycles tools manufacturer authors component manufacture supplier licenses properties ' +
    'distributionConstraints',
);
const COMPONENT_MEMBERS = order(
  'type mime-type bom-ref supplier manufacturer authors author publisher group name version versionRange isExternal ' +
    'description scope hashes licenses copyright patentAssertions cpe purl omniborId swhid swid modified pedigree ' +
    'externalReferences components evidence releaseNotes modelCard data cryptoProperties properties tags signature',
);

/**
 * The same document in the one order that its content has: members as the official schema names them, unknown ones
 * after them; components by bom-ref, dependencies by ref, hashes, references, properties and compositions by what they say. Texts are
 * compared by code unit, so that no locale has a say.
 */
export function orderBom(bom: Bom): Bom {
  const { metadata, components, dependencies } = bom;
  return orderMembers(BOM_MEMBERS, {
    ...bom,
    ...(metadata && {
      metadata: orderMembers(METADATA_MEMBERS, {
        ...metadata,
        ...(metadata.component && { component: orderComponent(metadata.component) }),
        ...(!Array.isArray(metadata.tools) && Array.isArray((metadata.tools as ToolSet | undefined)?.components)
          ? { tools: { ...metadata.tools, components: orderComponents((metadata.tools as ToolSet).components) } }
          : {}),
      }),
    }),
    ...(components && { components: orderComponents(components) }),
    ...(dependencies && { dependencies: dependencies.map(orderDependency).sort(byText(({ ref }) => ref)) }),
    ...(Array.isArray(bom['compositions']) && { compositions: orderCompositions(bom['compositions']) }),
  });
}

function orderCompositions(compositions: readonly Composition[]): Composition[] {
  const ordered = compositions.map((composition) => {
    if (typeof composition !== 'object' || composition === null) return composition;
    const { assemblies, dependencies } = composition;
    return {
      ...composition,
      ...(Array.isArray(assemblies) && { assemblies: [...assemblies].sort(compareTexts) }),
      ...(Array.isArray(dependencies) && { dependencies: [...dependencies].sort(compareTexts) }),
    };
  });
  return ordered.sort(byText((composition) => JSON.stringify(composition)));
}

type ToolSet = { readonly components: readonly Component[] };

function orderComponents(components: readonly Component[]): Component[] {
  return components.map(orderComponent).sort(byText((component) => component['bom-ref'] ?? ''));
}

function orderComponent(component: Component): Component {
  const { hashes, externalReferences, properties, components } = component;
  return orderMembers(COMPONENT_MEMBERS, {
    ...component,
    ...(hashes && { hashes: [...hashes].sort(byText(({ alg, content }) => `${alg} ${content}`)) }),
    ...(externalReferences && {
      externalReferences: [...externalReferences].sort(byText(({ type, url }) => `${type} ${url}`)),
    }),
    // Values of one name keep their order: what comes first may mean something.
    ...(properties && { properties: [...properties].sort(byText(({ name }) => name ?? '')) }),
    ...(components && { components: orderComponents(components) }),
  });
}

function orderDependency({ ref, dependsOn, ...more }: Dependency): Dependency {
  return { ref, ...(dependsOn && { dependsOn: [...dependsOn].sort(compareTexts) }), ...more };
}

function order(names: string): ReadonlyMap<string, number> {
  return new Map(names.split(' ').map((name, place) => [name, place]));
}

function orderMembers<T extends object>(places: ReadonlyMap<string, number>, members: T): T {
  const placeOf = (name: string) => places.get(name) ?? places.size;
  const entries = Object.entries(members).sort(([a], [b]) => placeOf(a) - placeOf(b) || compareTexts(a, b));
  return Object.fromEntries(entries) as T;
}

function byText<T>(textOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => compareTexts(textOf(a), textOf(b));
}
