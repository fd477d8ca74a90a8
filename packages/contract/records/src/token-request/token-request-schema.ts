import { TOKEN_PURPOSES, type TokenPurpose } from '../claim/claim-table.ts';
import { requestForm } from './request-field.ts';
import { REQUEST_SHAPES } from './token-request.ts';

/** What a witness signed of the run: its payload is a witness-receipt statement. */
const receiptSchema = {
  type: 'object',
  description: "a witness's signed receipt of the run, as a DSSE envelope",
} as const;

/** The body of a token request as JSON Schema 2020-12, made of the same table that parseTokenRequest reads by. */
export const tokenRequestSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Token request',
  description: "The body of POST /oauth/token: an agent run's context, or a reviewer's request for their own token.",
  oneOf: TOKEN_PURPOSES.map(requestSchema),
};

function requestSchema(purpose: TokenPurpose) {
  const { required, optional } = REQUEST_SHAPES[purpose];
  const fields = [...required, ...optional].map((field) => {
    const { expected, schema } = requestForm(field);
    return [field, { type: 'string', description: expected, ...schema }];
  });
  return {
    type: 'object',
    required: purpose === 'artifact' ? required : ['purpose', ...required],
    additionalProperties: false,
    properties: {
      purpose: { const: purpose },
      ...Object.fromEntries(fields),
      ...(purpose === 'review' ? {} : { receipt: receiptSchema }),
    },
  };
}
