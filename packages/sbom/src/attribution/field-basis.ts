import { type Basis, formatBasis, parseBasis } from '@colophon/records';
import type { Component, Property } from '../document/bom.ts';
import type { Attribution, FieldBases } from './attribution.ts';
import { AI_FIELDS, type AiField, FIELD_BASIS_PREFIX } from './attribution-names.ts';
import { propertyOf } from './component-properties.ts';

/** The properties that say what the fields of a mark rest on: those that it states, and no other. */
export function fieldBasisProperties(attribution: Attribution, fields: readonly AiField[] = AI_FIELDS): Property[] {
  return fields.flatMap((field) => {
    const basis = attribution.field_basis?.[field];
    if (basis === undefined || attribution[field] === undefined) return [];
    return [{ name: `${FIELD_BASIS_PREFIX}${field}`, value: formatBasis(basis) }];
  });
}

/** What a component says that its fields rest on. Nothing but a check of the evidence makes it true. */
export function readFieldBasis(component: Component): FieldBases {
  const found: { [field in AiField]?: Basis } = {};
  for (const field of AI_FIELDS) {
    const basis = parseBasis(propertyOf(component, `${FIELD_BASIS_PREFIX}${field}`) ?? '');
    if (basis !== undefined) found[field] = basis;
  }
  return found;
}

/** Whether a property says what a field rests on. */
export function isFieldBasis(property: Property): boolean {
  return property?.name?.startsWith(FIELD_BASIS_PREFIX) === true;
}
