/** Everything that parseTokenRequest refuses beyond what parseStrictJson does, by its stable code. */
export const REQUEST_ISSUES = {
  'request.not_object': { message: 'A token request is a JSON object.', source: 'contract §2.2' },
  'request.claim_reserved': { message: 'This claim is set by the issuer alone.', source: 'contract §2.1' },
  'request.field_unknown': { message: 'A token request of this purpose has no such field.', source: 'contract §2.2' },
  'request.field_missing': { message: 'The field is required.', source: 'contract §2.2' },
  'request.field_null': { message: 'The field is null; one without a value is left out.', source: 'contract §2.1' },
  'request.field_type': { message: 'The field is not a string.', source: 'contract §2.2' },
  'request.field_empty': { message: 'The field is empty or blank.', source: 'contract §2.1' },
  'request.field_invalid': { message: 'The field does not have the form that it needs.', source: 'contract §2.1' },
} as const;

export type RequestIssueCode = keyof typeof REQUEST_ISSUES;

/** Every code of parseTokenRequest, beside those of parseStrictJson. */
export const REQUEST_ISSUE_CODES = Object.keys(REQUEST_ISSUES) as readonly RequestIssueCode[];
