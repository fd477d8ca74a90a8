import { AI_EXTENSION, AI_FIELDS, AUTONOMOUS_AGENT, VENDOR_FIELDS } from '../attribution/attribution-names.ts';
import { propertiesOf, withProperties } from '../attribution/component-properties.ts';
import {
  namespaceOf,
  readAttribution,
  readSupport,
  readVariantA,
  readVariantB,
} from '../attribution/read-attribution.ts';
import {
  type Variant,
  withoutAgentOfVariantB,
  withoutVariantA,
  writeAttribution,
} from '../attribution/write-attribution.ts';
import type { Bom, Component } from '../document/bom.ts';
import type { SchemaCheck } from '../schema/schema-check.ts';
import { type AttributedVersion, changeVersion } from '../upgrade/change-version.ts';
import { toSpecProfile, toStandardProfile } from './component-profile.ts';
import { isExtensionProperty } from './extension-properties.ts';
import { type Loss, signatureLoss, type WrittenProfile } from './loss.ts';
import { mapComponents } from './map-components.ts';

/** What a document is converted to; what is left out stays as it is. */
export type Conversion = {
  readonly profile: WrittenProfile;
  readonly variant?: Variant;
  /** That the properties of variant B get; and the one they have, see `namespaceOf`. */
  readonly namespace?: string;
  readonly fromNamespace?: string;
  /** The version to change to and its official schema, against which the result is held. */
  readonly version?: { readonly specVersion: AttributedVersion; readonly schema: SchemaCheck };
};

/** A converted document, what it no longer says, and what was changed without loss. */
export type Converted = { readonly bom: Bom; readonly losses: readonly Loss[]; readonly notes: readonly string[] };

/**
 * Converts a document between the profiles, the variants of attribution, namespaces and versions of CycloneDX. Spec to
 * standard and back loses nothing; what any other way loses is in `losses`.
 * @see contract §2.5; docs/sbom-attribution.md
 */
export function convertBom(bom: Bom, conversion: Conversion): Converted {
  const { profile, variant, version } = conversion;
  const losses: Loss[] = [];
  const notes: string[] = [];
  const onUnsigned = (path: string) => void losses.push(signatureLoss(path));
  const toStandard = (component: Component, path: string): Component => {
    let one = toStandardProfile(component, path, losses);
    const fromNamespace = conversion.fromNamespace ?? namespaceOf(one);
    const namespace = conversion.namespace ?? fromNamespace;
    if (namespace !== fromNamespace) one = renameNamespace(one, { fromNamespace, namespace, path, losses });
    return variant === undefined ? one : inVariant(one, variant, namespace, path, losses);
  };
  let next = mapComponents(bom, toStandard, onUnsigned);
  if (version !== undefined && version.specVersion !== next.specVersion) {
    const changed = changeVersion(next, version.specVersion, version.schema);
    losses.push(...changed.losses);
    notes.push(...changed.notes);
    next = changed.bom;
  }
  if (profile === 'spec') {
    next = mapComponents(next, toSpecProfile, onUnsigned);
    let supported = 0;
    mapComponents(next, (component) => {
      if (Object.hasOwn(component, AI_EXTENSION) && Object.keys(readSupport(component)).length > 0) supported++;
      return component;
    });
    if (supported > 0) {
      notes.push(
        `what marks rest on stays in properties (components: ${supported}): ${AI_EXTENSION} has no place for it`,
      );
    }
  }
  if (next !== bom && next['signature'] !== undefined) {
    const { signature: _, ...unsigned } = next;
    losses.push(signatureLoss(''));
    next = unsigned as Bom;
  }
  return { bom: next, losses, notes };
}

function inVariant(component: Component, variant: Variant, namespace: string, path: string, losses: Loss[]): Component {
  const attribution = readAttribution(component, { namespace });
  if (attribution === undefined) return component;
  const a = readVariantA(component);
  const b = readVariantB(component, namespace);
  const lose = (what: string, why: string) => losses.push({ path, what, why });
  for (const field of ['agent', 'model'] as const) {
    if (a[field] !== undefined && b[field] !== undefined && a[field] !== b[field]) {
      lose(`${field} ${b[field]} of variant B`, `variant A names ${a[field]}`);
    }
  }
  if (variant === 'A') {
    if (b.authored_by !== undefined && b.authored_by !== AUTONOMOUS_AGENT) {
      lose(`authored-by=${b.authored_by}`, 'variant A has no place for it');
    }
    return writeAttribution(withoutAgentOfVariantB(component, namespace), attribution, {
      variant: 'A',
      profile: 'standard',
    });
  }
  if (variant === 'both') return writeAttribution(component, attribution, { variant, profile: 'standard', namespace });
  for (const field of AI_FIELDS) {
    if (a[field] !== undefined && field !== 'agent' && field !== 'model') lose(field, 'variant B has no place for it');
  }
  for (const { name } of propertiesOf(component).filter((property) => isExtensionProperty(property))) {
    if (name !== undefined && !AI_FIELDS.some((field) => name.endsWith(`:${field}`) && !name.includes(':member:'))) {
      lose(name, 'variant B has no place for it');
    }
  }
  return writeAttribution(withoutVariantA(component), attribution, { variant: 'B', profile: 'standard', namespace });
}

function renameNamespace(
  component: Component,
  {
    fromNamespace,
    namespace,
    path,
    losses,
  }: { fromNamespace: string; namespace: string; path: string; losses: Loss[] },
): Component {
  const names = new Map(Object.keys(VENDOR_FIELDS).map((name) => [`${fromNamespace}:${name}`, `${namespace}:${name}`]));
  const properties = propertiesOf(component);
  if (!properties.some((property) => names.has(property?.name ?? ''))) return component;
  const taken = new Map(properties.map((property) => [property?.name, property?.value]));
  return withProperties(
    component,
    properties.flatMap((property) => {
      const name = names.get(property?.name ?? '');
      if (name === undefined) return [property];
      if (!taken.has(name)) return [{ ...property, name }];
      if (taken.get(name) !== property.value) {
        const why = `${name}=${taken.get(name)} is there already`;
        losses.push({ path: `${path}/properties`, what: `${property.name}=${property.value}`, why });
      }
      return [];
    }),
  );
}
