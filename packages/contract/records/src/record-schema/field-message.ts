/** What can be wrong with a field, by the end of its code, and the sentence that says so wherever fields are checked. */
export const FIELD_MESSAGES = {
  field_missing: 'The field is required.',
  field_null: 'The field is null; one without a value is left out.',
  field_type: 'The field has another type than it needs.',
  field_empty: 'The field is empty or blank.',
  field_invalid: 'The field does not have the form that it needs.',
} as const;
