import { createHash } from 'node:crypto';
import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { STATEMENT_LIMITS } from '../verify/statement.ts';
import { LogError } from './log-error.ts';

/**
 * The statement that a Rekor v1 keeps beside an `intoto` entry, whose body has its hash alone; undefined where it keeps none, or none
 * in JSON.
 * @param answer Rekor's answer for one entry: `{ <uuid>: entry }`
 * @throws LogError `log.entry_mismatch` where it is not what was logged
 */
export function attestationOf(answer: JsonValue, body: JsonValue): JsonValue | undefined {
  const [entry] = isJsonObject(answer) ? Object.values(answer) : [];
  const data = memberOf(memberOf(entry, 'attestation'), 'data');
  if (typeof data !== 'string' || data === '' || memberOf(body, 'kind') !== 'intoto') return undefined;
  const payloadHash = memberOf(memberOf(memberOf(body, 'spec'), 'content'), 'payloadHash');
  const bytes = decodeBase64(data);
  const found = bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex');
  if (
    bytes === undefined ||
    memberOf(payloadHash, 'algorithm') !== 'sha256' ||
    memberOf(payloadHash, 'value') !== found
  ) {
    throw new LogError('log.entry_mismatch', 'the statement beside the entry is not the one that was logged');
  }
  const parsed = parseStrictJson(bytes, STATEMENT_LIMITS);
  return parsed.ok ? parsed.value : undefined;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value !== undefined && isJsonObject(value) ? value[name] : undefined;
}
