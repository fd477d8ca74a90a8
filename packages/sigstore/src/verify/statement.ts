import {
  IN_TOTO_PAYLOAD_TYPE,
  isJsonObject,
  type JsonValue,
  parseStrictJson,
  STATEMENT_TYPE,
  type Statement,
} from '@colophon/records';
import { BUNDLE_LIMITS } from '../bundle/parse-bundle.ts';
import { VerificationError } from './verification-error.ts';

/** What older signers (`cosign attest`) write; the shape is the same. */
const STATEMENT_TYPE_V01 = 'https://in-toto.io/Statement/v0.1';

/**
 * Reads the statement in an envelope.
 * @throws VerificationError `statement.payload_type`, `statement.malformed`
 * @see contract §2.3
 */
export function readStatement(payloadType: string, payload: Uint8Array): Statement {
  if (payloadType !== IN_TOTO_PAYLOAD_TYPE) {
    throw new VerificationError('statement.payload_type', 'the envelope carries no in-toto statement', {
      expected: IN_TOTO_PAYLOAD_TYPE,
      found: payloadType,
    });
  }
  const json = parseStrictJson(payload, BUNDLE_LIMITS);
  if (!json.ok) throw malformed('it is not JSON that can be relied on');
  const value = json.value;
  if (!isJsonObject(value)) throw malformed('it is no object');
  const { _type, subject, predicateType } = value;
  if (_type !== STATEMENT_TYPE && _type !== STATEMENT_TYPE_V01) throw malformed('its type is not known');
  if (typeof predicateType !== 'string' || predicateType === '') throw malformed('it has no predicate type');
  if (!Array.isArray(subject) || subject.length === 0) throw malformed('it has no subject');
  if (!subject.every(hasDigest)) throw malformed('a subject has no digest');
  return value as unknown as Statement;
}

/** Whether one of the subjects has this digest. Hex is compared without regard to case. */
export function hasSubject(statement: Statement, algorithm: string, digest: string): boolean {
  return statement.subject.some(
    (subject) =>
      Object.hasOwn(subject.digest, algorithm) && subject.digest[algorithm]?.toLowerCase() === digest.toLowerCase(),
  );
}

/** @throws VerificationError `statement.predicate_type_mismatch` */
export function assertPredicateType(statement: Statement, predicateType: string): void {
  if (statement.predicateType === predicateType) return;
  throw new VerificationError('statement.predicate_type_mismatch', 'the statement is of another type', {
    expected: predicateType,
    found: statement.predicateType,
  });
}

/** @throws VerificationError `statement.subject_mismatch` */
export function assertSubject(statement: Statement, sha256: string): void {
  if (hasSubject(statement, 'sha256', sha256)) return;
  throw new VerificationError('statement.subject_mismatch', 'the statement is about something else', {
    expected: `sha256:${sha256}`,
    found: statement.subject.map(({ digest }) => Object.entries(digest).map((pair) => pair.join(':'))).join(' '),
  });
}

function hasDigest(subject: JsonValue): boolean {
  if (!isJsonObject(subject)) return false;
  const { digest } = subject;
  if (digest === undefined || !isJsonObject(digest)) return false;
  const values = Object.values(digest);
  return values.length > 0 && values.every((value) => typeof value === 'string' && value !== '');
}

function malformed(reason: string): VerificationError {
  return new VerificationError('statement.malformed', `the statement cannot be read: ${reason}`);
}
