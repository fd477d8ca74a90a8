import { declareErrors } from '@colophon/fault';

const KINDS = {
  'generate.not_expressible': 'refused',
} as const;

/** A policy cannot be written down for another program. */
export const GenerateError = declareErrors(
  'GenerateError',
  KINDS,
  (details: { readonly expected: string; readonly found: string }) => details,
);
export type GenerateError = InstanceType<typeof GenerateError>;
