import { AI_EXTENSION, AI_FIELDS, AI_PREFIX, VALUE_PROPERTY } from '../attribution/attribution-names.ts';
import { propertiesOf, withProperties } from '../attribution/component-properties.ts';
import type { Component, Property } from '../document/bom.ts';
import type { Loss } from './loss.ts';

/** A member of the extension that the contract does not name, or that is no text: its value as JSON. */
const MEMBER_PREFIX = `${AI_PREFIX}member:`;

const FIELDS: ReadonlySet<string> = new Set(AI_FIELDS);

/** Writes `x-ai-generated` as properties, all that stands in it. */
export function extensionToProperties(component: Component, path: string, losses: Loss[]): Component {
  if (!Object.hasOwn(component, AI_EXTENSION)) return component;
  const { [AI_EXTENSION]: extension, ...rest } = component;
  const written = writtenAs(extension);
  const values = new Map(written.map(({ name, value }) => [name, value]));
  const kept = propertiesOf(component).filter((property) => {
    const { name, value } = property ?? {};
    if (name === undefined || !values.has(name)) return true;
    if (values.get(name) !== value) {
      const why = `the component says something else in ${AI_EXTENSION}, which goes before it`;
      losses.push({ path: `${path}/properties`, what: `${name}=${value}`, why });
    }
    return false;
  });
  return { ...rest, properties: [...kept, ...written] } as Component;
}

/** Writes the properties of variant A as `x-ai-generated`. What has no place there stays a property. */
export function propertiesToExtension(component: Component): Component {
  const known = component[AI_EXTENSION];
  // What is there in the contract's shape already goes before its properties.
  const members = new Map<string, unknown>(isMembers(known) ? Object.entries(known) : []);
  let whole: { value: unknown } | undefined = known === undefined || isMembers(known) ? undefined : { value: known };
  const kept = propertiesOf(component).filter((property) => {
    const stated = whole === undefined ? statedBy(property) : undefined;
    if (stated === undefined) return true;
    if (stated.member === undefined) {
      if (members.size > 0) return true;
      whole = { value: stated.value };
      return false;
    }
    if (members.has(stated.member)) return JSON.stringify(members.get(stated.member)) !== JSON.stringify(stated.value);
    members.set(stated.member, stated.value);
    return false;
  });
  if (whole === undefined && members.size === 0) return component;
  const extension = whole === undefined ? Object.fromEntries(members) : whole.value;
  return { ...withProperties(component, kept), [AI_EXTENSION]: extension };
}

/** Whether a property is part of variant A in its standard form; what a mark rests on is not. */
export function isExtensionProperty(property: Property): boolean {
  const name = property?.name ?? '';
  return (
    name === VALUE_PROPERTY ||
    name.startsWith(MEMBER_PREFIX) ||
    (name.startsWith(AI_PREFIX) && FIELDS.has(name.slice(AI_PREFIX.length)))
  );
}

function writtenAs(extension: unknown): Array<{ name: string; value: string }> {
  if (!isMembers(extension)) return [{ name: VALUE_PROPERTY, value: JSON.stringify(extension) }];
  return Object.entries(extension).map(([name, value]) =>
    FIELDS.has(name) && typeof value === 'string'
      ? { name: `${AI_PREFIX}${name}`, value }
      : { name: `${MEMBER_PREFIX}${name}`, value: JSON.stringify(value) },
  );
}

function statedBy(property: Property): { readonly member?: string; readonly value: unknown } | undefined {
  if (!isExtensionProperty(property)) return undefined;
  const { name = '', value } = property;
  if (typeof value !== 'string') return undefined;
  if (name === VALUE_PROPERTY) return parsed(value);
  if (!name.startsWith(MEMBER_PREFIX)) return { member: name.slice(AI_PREFIX.length), value };
  const found = parsed(value);
  return found && { member: name.slice(MEMBER_PREFIX.length), ...found };
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** An object that is empty says nothing by its members, and is written as a whole. */
function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}
