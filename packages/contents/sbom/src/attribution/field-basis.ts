import { type Basis, formatBasis, parseBasis } from '@colophon/records';
import type { Component, Property } from '../document/bom.ts';
import type { Attribution, FieldBases } from './attribution.ts';
import {
  AI_FIELDS,
  type AiField,
  BASED_FIELDS,
  BASIS_PROPERTY,
  type BasedField,
  BUNDLE_PROPERTY,
  CHANGED_PROPERTY,
  CONTENT,
  FIELD_BASIS_PREFIX,
} from './attribution-names.ts';
import { propertyOf } from './component-properties.ts';

/** The properties that say what the fields of a mark, and its content, rest on: those that it states, and no other. */
export function fieldBasisProperties(attribution: Attribution, fields: readonly AiField[] = AI_FIELDS): Property[] {
  const based: readonly BasedField[] = [...fields, CONTENT];
  return based.flatMap((field) => {
    const basis = attribution.field_basis?.[field];
    if (basis === undefined || (field !== CONTENT && attribution[field] === undefined)) return [];
    return [{ name: `${FIELD_BASIS_PREFIX}${field}`, value: formatBasis(basis) }];
  });
}

/** What a component says that its fields rest on. Nothing but a check of the evidence makes it true. */
export function readFieldBasis(component: Component): FieldBases {
  const found: { [field in BasedField]?: Basis } = {};
  for (const field of BASED_FIELDS) {
    const basis = parseBasis(propertyOf(component, `${FIELD_BASIS_PREFIX}${field}`) ?? '');
    if (basis !== undefined) found[field] = basis;
  }
  return found;
}

/** Whether a property says what a mark, or a field of it, rests on. */
export function isSupport(property: Property): boolean {
  const name = property?.name;
  if (name === BASIS_PROPERTY || name === BUNDLE_PROPERTY || name === CHANGED_PROPERTY) return true;
  return name?.startsWith(FIELD_BASIS_PREFIX) === true;
}
