/** A text that says something. */
export const text = <const D extends string>(description: D) =>
  ({ type: 'string', minLength: 1, description }) as const;

/** Where a server listens. */
export const port = { type: 'integer', minimum: 0, maximum: 65_535, description: 'Port; 0 takes a free one.' } as const;

/** What a server shows over TLS, from files that are read again when they change. */
export const TLS_FILES = {
  type: 'object',
  required: ['certificate', 'key'],
  properties: {
    certificate: text('PEM file: the certificate, then its chain.'),
    key: text('file:PATH with the private key in PEM.'),
  },
  additionalProperties: false,
} as const;
