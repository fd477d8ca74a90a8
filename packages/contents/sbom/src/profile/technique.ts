import { SPEC_TECHNIQUE, STANDARD_TECHNIQUE, TECHNIQUE_PROPERTY } from '../attribution/attribution-names.ts';
import { propertiesOf, withProperties } from '../attribution/component-properties.ts';
import type { Component, Identity, Property } from '../document/bom.ts';

/**
 * Which methods the property means, as `<identity>/<method>` with a blank between them; only where a component has
 * `ast-fingerprint` in its own meaning too.
 */
const PLACES_PROPERTY = `${TECHNIQUE_PROPERTY}:at`;

type Method = NonNullable<Identity['methods']>[number];

/** Writes the contract's technique as the one of the official list, with a property that says what was meant. */
export function techniquesToStandard(component: Component): Component {
  const places: string[] = [];
  let isMixed = false;
  const changed = mapMethods(component, (method, place) => {
    if (method.technique === STANDARD_TECHNIQUE) isMixed = true;
    if (method.technique !== SPEC_TECHNIQUE) return method;
    places.push(place);
    return { ...method, technique: STANDARD_TECHNIQUE };
  });
  if (places.length === 0) return component;
  const properties = propertiesOf(component);
  // A component that says so already means all its methods.
  if (properties.some(saysTechnique)) return changed;
  const added = [{ name: TECHNIQUE_PROPERTY, value: SPEC_TECHNIQUE }];
  if (isMixed) added.push({ name: PLACES_PROPERTY, value: places.join(' ') });
  return { ...changed, properties: [...properties, ...added] };
}

/** Writes the contract's technique where the property says that it is meant. */
export function techniquesToSpec(component: Component): Component {
  const properties = propertiesOf(component);
  if (!properties.some(saysTechnique)) return component;
  const places = properties.find((property) => property?.name === PLACES_PROPERTY)?.value?.split(' ');
  let isFound = false;
  const changed = mapMethods(component, (method, place) => {
    if (method.technique !== STANDARD_TECHNIQUE || places?.includes(place) === false) return method;
    isFound = true;
    return { ...method, technique: SPEC_TECHNIQUE };
  });
  if (!isFound) return component;
  const kept = properties.filter((property) => !saysTechnique(property) && property?.name !== PLACES_PROPERTY);
  return withProperties(changed, kept);
}

function mapMethods(component: Component, change: (method: Method, place: string) => Method): Component {
  const { evidence } = component;
  const identity: unknown = evidence?.identity;
  if (typeof identity !== 'object' || identity === null) return component;
  const inIdentity = (one: Identity, index: number): Identity =>
    Array.isArray(one?.methods)
      ? { ...one, methods: one.methods.map((method, at) => (method ? change(method, `${index}/${at}`) : method)) }
      : one;
  const changed = Array.isArray(identity) ? identity.map(inIdentity) : inIdentity(identity as Identity, 0);
  return { ...component, evidence: { ...evidence, identity: changed } };
}

function saysTechnique(property: Property): boolean {
  return property?.name === TECHNIQUE_PROPERTY && property.value === SPEC_TECHNIQUE;
}
