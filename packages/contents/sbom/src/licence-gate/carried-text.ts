import type { LicenseChoice } from '@colophon/licences';
import type { Bom, Component } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';

/** Whether any component of a document carries a licence's text, so that `loadLicenceTexts` is worth its while. */
export function carriesLicenceText(bom: Bom): boolean {
  for (const { component } of walkComponents(bom)) {
    const ancestors: unknown = (component['pedigree'] as { ancestors?: unknown } | null | undefined)?.ancestors;
    const sources = Array.isArray(ancestors) ? (ancestors as Array<Component | null>) : [];
    if ([component, ...sources].some((one) => hasText(one?.licenses))) return true;
  }
  return false;
}

function hasText(licenses: readonly LicenseChoice[] | undefined): boolean {
  if (!Array.isArray(licenses)) return false;
  return licenses.some((entry) => entry?.license?.text !== undefined || entry?.['expressionDetails'] !== undefined);
}
