import { isSpdxExpression, type LicenseChoice, spdxId } from '@colophon/licences';
import type { Component, Property } from '../document/bom.ts';

/** What is said anew about one component; what is left out stays as it is. */
export type ComponentChange = {
  /** SPDX id, SPDX expression, or the name of a licence that SPDX does not list. */
  readonly license?: string;
  readonly supplierName?: string;
  readonly supplierUrl?: readonly string[];
  readonly scope?: string;
  readonly properties?: ReadonlyArray<{ readonly name: string; readonly value: string }>;
};

/**
 * A component with a change made. Its licences are replaced by the one licence, which somebody concluded; of a property
 * that is there already the value is replaced.
 * @param hasAcknowledgement from CycloneDX 1.6
 */
export function changeComponent(
  component: Component,
  { license, supplierName, supplierUrl, scope, properties = [] }: ComponentChange,
  hasAcknowledgement: boolean,
): Component {
  const supplier = {
    ...component.supplier,
    ...(supplierName !== undefined && { name: supplierName }),
    ...(supplierUrl !== undefined && { url: supplierUrl }),
  };
  return {
    ...component,
    ...((supplierName ?? supplierUrl) !== undefined && { supplier }),
    ...(scope !== undefined && { scope }),
    ...(license !== undefined && { licenses: [licenceChoice(license, hasAcknowledgement)] }),
    ...(properties.length > 0 && { properties: withProperties(component.properties ?? [], properties) }),
  };
}

function licenceChoice(text: string, hasAcknowledgement: boolean): LicenseChoice {
  const acknowledgement = hasAcknowledgement ? { acknowledgement: 'concluded' } : {};
  const id = spdxId(text);
  if (id !== undefined) return { license: { id, ...acknowledgement } };
  if (isSpdxExpression(text)) return { expression: text, ...acknowledgement };
  return { license: { name: text, ...acknowledgement } };
}

function withProperties(
  known: readonly Property[],
  given: ReadonlyArray<{ readonly name: string; readonly value: string }>,
): Property[] {
  const values = new Map(given.map(({ name, value }) => [name, value]));
  const kept = known.map((property) => {
    const value = values.get(property.name ?? '');
    return value === undefined ? property : { ...property, value };
  });
  const names = new Set(known.map(({ name }) => name));
  return [...kept, ...[...values].filter(([name]) => !names.has(name)).map(([name, value]) => ({ name, value }))];
}
