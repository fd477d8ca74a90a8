import { FIELD_MESSAGES } from '../record-schema/field-message.ts';

/** Everything that parseTokenRequest refuses beyond what parseStrictJson does, by its stable code. */
export const REQUEST_ISSUES = {
  'request.not_object': { message: 'A token request is a JSON object.', source: 'contract §2.2' },
  'request.claim_reserved': { message: 'This claim is set by the issuer alone.', source: 'contract §2.1' },
  'request.field_unknown': { message: 'A token request of this purpose has no such field.', source: 'contract §2.2' },
  'request.field_missing': { message: FIELD_MESSAGES.field_missing, source: 'contract §2.2' },
  'request.field_null': { message: FIELD_MESSAGES.field_null, source: 'contract §2.1' },
  'request.field_type': { message: 'The field is not a string.', source: 'contract §2.2' },
  'request.field_empty': { message: FIELD_MESSAGES.field_empty, source: 'contract §2.1' },
  'request.field_invalid': { message: FIELD_MESSAGES.field_invalid, source: 'contract §2.1' },
} as const;

export type RequestIssueCode = keyof typeof REQUEST_ISSUES;

/** Every code of parseTokenRequest, beside those of parseStrictJson. */
export const REQUEST_ISSUE_CODES = Object.keys(REQUEST_ISSUES) as readonly RequestIssueCode[];
