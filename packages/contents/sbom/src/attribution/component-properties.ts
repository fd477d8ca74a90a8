import type { Component, Property } from '../document/bom.ts';

/** The properties of a component; what a stranger wrote in their place is none. */
export function propertiesOf({ properties }: Component): readonly Property[] {
  return Array.isArray(properties) ? properties : [];
}

/** The component with these properties; an empty list says nothing and is left out. */
export function withProperties(component: Component, properties: readonly Property[]): Component {
  const { properties: _, ...rest } = component;
  return (properties.length > 0 ? { ...rest, properties } : rest) as Component;
}

/** The first text that a component gives a property. */
export function propertyOf(component: Component, name: string): string | undefined {
  for (const property of propertiesOf(component)) {
    if (property?.name === name && isText(property.value)) return property.value;
  }
  return undefined;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
