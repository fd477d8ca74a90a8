import type { ClaimForm } from '../claim/claim-form.ts';
import { word } from '../claim/claim-form.ts';
import { formOf, type SourcedClaim } from '../claim/claim-table.ts';

/** A field that a token request may carry beside `purpose`. */
export type RequestField = SourcedClaim | 'audience';

/** What a field of a request must look like (contract §2.1, §2.2). */
export function requestForm(field: RequestField): ClaimForm {
  return field === 'audience' ? word : formOf(field);
}
