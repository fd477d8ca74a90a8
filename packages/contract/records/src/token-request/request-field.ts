import type { ClaimForm } from '../claim/claim-form.ts';
import { keyThumbprint, word } from '../claim/claim-form.ts';
import { formOf, type SourcedClaim } from '../claim/claim-table.ts';

/** A field that a token request may carry beside `purpose`. */
export type RequestField = SourcedClaim | 'audience' | 'dpop_jkt';

/** What a field of a request must look like (contract §2.1, §2.2). */
export function requestForm(field: RequestField): ClaimForm {
  if (field === 'audience') return word;
  return field === 'dpop_jkt' ? keyThumbprint : formOf(field);
}
