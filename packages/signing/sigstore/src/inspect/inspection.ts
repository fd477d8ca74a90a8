import { declareErrors } from '@colophon/fault';
import type { InspectionResult } from './inspection-result.ts';

/** What stands in a document, decoded. Nothing of it is verified. */
export type Inspection = Omit<InspectionResult, 'ok'>;
export type InspectionKind = Inspection['kind'];

const KINDS = {
  'inspect.unrecognized': 'usage',
  'inspect.malformed': 'usage',
} as const;

/** One of {@link InspectionError.codes}. */
export type InspectionErrorCode = keyof typeof KINDS;

/** The document is of no kind that we know, or not what it looks like. */
export const InspectionError = declareErrors('InspectionError', KINDS);
export type InspectionError = InstanceType<typeof InspectionError>;
