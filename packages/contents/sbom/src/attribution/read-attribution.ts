import type { Component } from '../document/bom.ts';
import type { Attribution } from './attribution.ts';
import {
  AI_EXTENSION,
  AI_FIELDS,
  AI_PREFIX,
  AUTONOMOUS_AGENT,
  BASIS_PROPERTY,
  BUNDLE_PROPERTY,
  CHANGED_PROPERTY,
  DEFAULT_NAMESPACE,
  VENDOR_FIELDS,
  type VendorName,
} from './attribution-names.ts';
import { isText, propertiesOf, propertyOf } from './component-properties.ts';
import { readFieldBasis } from './field-basis.ts';

/**
 * What a component says about the agent that wrote it, in whichever of the four shapes: the extension before the
 * properties of variant A, variant A before variant B where they differ. Undefined where it names no agent: code that a
 * person vendored has a source package and is not an agent's.
 * @param options namespace of the properties of variant B; without one, see `namespaceOf`
 * @see contract §2.5
 */
export function readAttribution(
  component: Component,
  { namespace = namespaceOf(component) }: { readonly namespace?: string } = {},
): Attribution | undefined {
  const variantA = readVariantA(component);
  const variantB = readVariantB(component, namespace);
  const isByAgent =
    Object.keys(variantA).length > 0 ||
    variantB.agent !== undefined ||
    variantB.model !== undefined ||
    variantB.authored_by === AUTONOMOUS_AGENT;
  return isByAgent ? { ...variantB, ...variantA, ...readSupport(component) } : undefined;
}

/** Variant A, in the contract's shape and in the standard one. */
export function readVariantA(component: Component): Attribution {
  const values = new Map<string, string>();
  const extension = component[AI_EXTENSION] as Record<string, unknown> | null | undefined;
  for (const field of AI_FIELDS) {
    const stated = typeof extension === 'object' ? extension?.[field] : undefined;
    const value = (isText(stated) ? stated : undefined) ?? propertyOf(component, `${AI_PREFIX}${field}`);
    if (value !== undefined) values.set(field, value);
  }
  return Object.fromEntries(values);
}

/** Variant B: all of it, the source package of vendored code too. */
export function readVariantB(component: Component, namespace: string = namespaceOf(component)): Attribution {
  const values = new Map<string, string>();
  for (const name of Object.keys(VENDOR_FIELDS) as VendorName[]) {
    const value = propertyOf(component, `${namespace}:${name}`);
    if (value !== undefined) values.set(VENDOR_FIELDS[name], value);
  }
  return Object.fromEntries(values);
}

/**
 * The namespace in which a component speaks variant B: `vendor`, or another one that says `autonomous_agent` or has at
 * least three of the six names, since somebody may have a name of their own that ends alike.
 */
export function namespaceOf(component: Component): string {
  const weights = new Map<string, number>();
  for (const property of propertiesOf(component)) {
    const { name, value } = property ?? {};
    const colon = typeof name === 'string' ? name.lastIndexOf(':') : -1;
    if (colon < 1 || !isText(value) || !Object.hasOwn(VENDOR_FIELDS, name!.slice(colon + 1))) continue;
    const namespace = name!.slice(0, colon);
    const isSure = namespace === DEFAULT_NAMESPACE || (name!.endsWith(':authored-by') && value === AUTONOMOUS_AGENT);
    weights.set(namespace, (weights.get(namespace) ?? 0) + (isSure ? 3 : 1));
  }
  if (weights.has(DEFAULT_NAMESPACE)) return DEFAULT_NAMESPACE;
  for (const [namespace, weight] of weights) if (weight >= 3) return namespace;
  return DEFAULT_NAMESPACE;
}

/** What a mark rests on. Nothing but a check of the bundle makes it true. */
export function readSupport(
  component: Component,
): Pick<Attribution, 'basis' | 'field_basis' | 'bundle' | 'changed_by'> {
  const fields = readFieldBasis(component);
  const basis = propertyOf(component, BASIS_PROPERTY);
  const bundle = propertyOf(component, BUNDLE_PROPERTY);
  const changedBy = propertyOf(component, CHANGED_PROPERTY);
  return {
    ...(basis === 'verified' || basis === 'declared' ? { basis } : {}),
    ...(Object.keys(fields).length > 0 ? { field_basis: fields } : {}),
    ...(bundle === undefined ? {} : { bundle }),
    ...(changedBy === undefined ? {} : { changed_by: changedBy }),
  };
}
