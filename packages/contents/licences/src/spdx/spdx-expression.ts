import { parseLicenceExpression } from './licence-expression.ts';

/** True for an SPDX expression of licences that SPDX lists, or of `LicenseRef-…`: what may be written as one. */
export function isSpdxExpression(text: string): boolean {
  const parsed = parseLicenceExpression(text);
  return parsed.ok && parsed.value.every((term) => typeof term === 'string' || term.kind !== 'unknown');
}
