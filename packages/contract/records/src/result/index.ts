export { alsoHaving, exactly, having, listOf, orNull } from '../record-schema/object-schema.ts';
export { count, integer, text, timestamp } from '../record-schema/record-schema.ts';
export {
  bundleLogEntry,
  certificateIdentity,
  check,
  digest,
  digestHex,
  documentIssue,
  errorResult,
  fieldBasis,
  issue,
  logEntry,
} from './result-parts.ts';
export { documentOf, flag, oneOf, type ResultOf, resultOf, string } from './result-schema.ts';
