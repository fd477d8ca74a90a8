import type { Component, Property } from '../document/bom.ts';
import { toSpecProfile } from '../profile/component-profile.ts';
import { extensionToProperties, isExtensionProperty } from '../profile/extension-properties.ts';
import type { WrittenProfile } from '../profile/loss.ts';
import type { Attribution } from './attribution.ts';
import {
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
import { propertiesOf, withProperties } from './component-properties.ts';
import { fieldBasisProperties, isSupport } from './field-basis.ts';

export const VARIANTS = ['A', 'B', 'both'] as const;
export type Variant = (typeof VARIANTS)[number];

/** How attribution is written. */
export type AttributionForm = {
  readonly variant: Variant;
  readonly profile: WrittenProfile;
  /** Of the properties of variant B; `vendor`. */
  readonly namespace?: string;
};

/**
 * Writes who wrote a component, in place of what a variant said before; the other variant, and members of
 * `x-ai-generated` that the contract does not name, stay as they are.
 * @see contract §2.5
 */
export function writeAttribution(component: Component, attribution: Attribution, form: AttributionForm): Component {
  const { variant, profile, namespace = DEFAULT_NAMESPACE } = form;
  const standard = extensionToProperties(component, '', []);
  const written: Property[] = [];
  if (variant !== 'B') written.push(...variantA(attribution));
  if (variant !== 'A') written.push(...variantB(attribution, namespace));
  for (const [name, value] of [
    [BASIS_PROPERTY, attribution.basis],
    [BUNDLE_PROPERTY, attribution.bundle],
    [CHANGED_PROPERTY, attribution.changed_by],
  ] as const) {
    if (value !== undefined) written.push({ name, value });
  }
  written.push(...fieldBasisProperties(attribution, variant === 'B' ? ['agent', 'model'] : AI_FIELDS));
  const isReplaced = (property: Property) =>
    isSupport(property) ||
    (variant !== 'B' && isVariantA(property)) ||
    (variant !== 'A' && isVariantB(property, namespace));
  const kept = propertiesOf(standard).filter((property) => !isReplaced(property));
  const next = withProperties(standard, [...kept, ...written]);
  return profile === 'spec' ? toSpecProfile(next) : next;
}

/** The component without variant A, whatever it says and however it is written. */
export function withoutVariantA(component: Component): Component {
  const standard = extensionToProperties(component, '', []);
  return withProperties(
    standard,
    propertiesOf(standard).filter((property) => !isExtensionProperty(property)),
  );
}

/** The component without what variant B says of the agent; what it says of the source package stays. */
export function withoutAgentOfVariantB(component: Component, namespace: string): Component {
  const names = new Set(['authored-by', 'agent-id', 'agent-model'].map((name) => `${namespace}:${name}`));
  const kept = propertiesOf(component).filter((property) => !names.has(property?.name ?? ''));
  return withProperties(component, kept);
}

function variantA(attribution: Attribution): Property[] {
  return AI_FIELDS.flatMap((field) => {
    const value = attribution[field];
    return value === undefined ? [] : [{ name: `${AI_PREFIX}${field}`, value }];
  });
}

function variantB(attribution: Attribution, namespace: string): Property[] {
  const whole: Attribution = { authored_by: AUTONOMOUS_AGENT, ...attribution };
  return (Object.keys(VENDOR_FIELDS) as VendorName[]).flatMap((name) => {
    const value = whole[VENDOR_FIELDS[name]];
    return value === undefined ? [] : [{ name: `${namespace}:${name}`, value }];
  });
}

function isVariantA(property: Property): boolean {
  return AI_FIELDS.some((field) => property?.name === `${AI_PREFIX}${field}`);
}

function isVariantB(property: Property, namespace: string): boolean {
  return Object.keys(VENDOR_FIELDS).some((name) => property?.name === `${namespace}:${name}`);
}
