import { IN_TOTO_PAYLOAD_TYPE, parseStatement, type Statement } from '@colophon/records';
import { BUNDLE_LIMITS } from '../bundle/bundle-json.ts';
import { VerificationError } from './verification-error.ts';

/** A statement may hold a whole SBOM: one of 20 MB has a million values or two, the names of members among them. */
export const STATEMENT_LIMITS = { ...BUNDLE_LIMITS, maxValues: 2_500_000 };

/**
 * Reads the statement in an envelope.
 * @throws VerificationError `statement.payload_type`, `statement.malformed`, `statement.too_large`
 * @see contract §2.3
 */
export function readStatement(payloadType: string, payload: Uint8Array): Statement {
  if (payloadType !== IN_TOTO_PAYLOAD_TYPE) {
    throw new VerificationError('statement.payload_type', 'the envelope carries no in-toto statement', {
      expected: IN_TOTO_PAYLOAD_TYPE,
      found: payloadType,
    });
  }
  const parsed = parseStatement(payload, STATEMENT_LIMITS);
  if (parsed.ok) return parsed.value;
  if (parsed.issues.some(({ code }) => code === 'json.too_many_values')) {
    const expected = `at most ${STATEMENT_LIMITS.maxValues} values`;
    throw new VerificationError('statement.too_large', 'the statement holds more values than are read', { expected });
  }
  const reasons = parsed.issues.map((issue) => `${issue.path} ${issue.message}`.trim());
  throw new VerificationError('statement.malformed', `the statement cannot be read: ${reasons.join('; ')}`);
}

/** Whether one of the subjects has this digest. Hex is compared without regard to case. */
export function hasSubject(statement: Statement, algorithm: string, digest: string): boolean {
  return statement.subject.some(
    (subject) =>
      Object.hasOwn(subject.digest, algorithm) && subject.digest[algorithm]?.toLowerCase() === digest.toLowerCase(),
  );
}

/** @throws VerificationError `statement.predicate_type_mismatch` */
export function assertPredicateType(statement: Statement, predicateTypes: readonly string[]): void {
  if (predicateTypes.includes(statement.predicateType)) return;
  throw new VerificationError('statement.predicate_type_mismatch', 'the statement is of another type', {
    expected: predicateTypes.join(' or '),
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
