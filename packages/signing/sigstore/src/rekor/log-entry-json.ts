import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';

/** A log entry in the form that bundles have it. */
export type LogEntryJson = { readonly [field: string]: JsonValue };

/**
 * Turns Rekor v1's answer for one entry (`{ <uuid>: entry }`) into the form of bundles.
 * @returns undefined for an answer of another shape
 */
export function bundleEntryOfV1(
  answer: JsonObject,
): { readonly uuid: string; readonly entry: LogEntryJson } | undefined {
  const [pair, ...others] = Object.entries(answer);
  if (pair === undefined || others.length > 0 || !isJsonObject(pair[1])) return undefined;
  const [uuid, { body, logID, logIndex, integratedTime, verification }] = pair;
  const kindVersion = typeof body === 'string' ? kindVersionOf(body) : undefined;
  if (typeof body !== 'string' || kindVersion === undefined || !isHex(logID)) return undefined;
  if (!isCount(logIndex) || !isCount(integratedTime)) return undefined;
  if (verification === undefined || !isJsonObject(verification)) return undefined;
  const { signedEntryTimestamp, inclusionProof } = verification;
  const proof = inclusionProof !== undefined && isJsonObject(inclusionProof) ? proofOf(inclusionProof) : undefined;
  if (proof === undefined || typeof signedEntryTimestamp !== 'string') return undefined;
  // Bundles take one spelling of bytes; an entry in another could not be shown to anybody.
  if (decodeBase64(signedEntryTimestamp) === undefined) return undefined;
  const entry = {
    logIndex: `${logIndex}`,
    logId: { keyId: hexToBase64(logID) },
    kindVersion,
    integratedTime: `${integratedTime}`,
    inclusionPromise: { signedEntryTimestamp },
    inclusionProof: proof,
    canonicalizedBody: body,
  };
  return { uuid, entry };
}

function proofOf({ logIndex, rootHash, treeSize, hashes, checkpoint }: JsonObject): LogEntryJson | undefined {
  if (!isCount(logIndex) || !isCount(treeSize) || !isHex(rootHash) || typeof checkpoint !== 'string') return undefined;
  if (!Array.isArray(hashes) || !hashes.every(isHex)) return undefined;
  return {
    logIndex: `${logIndex}`,
    rootHash: hexToBase64(rootHash),
    treeSize: `${treeSize}`,
    hashes: hashes.map((hash) => hexToBase64(hash as string)),
    checkpoint: { envelope: checkpoint },
  };
}

function kindVersionOf(body: string): { kind: string; version: string } | undefined {
  const bytes = decodeBase64(body);
  if (bytes === undefined) return undefined;
  try {
    const { kind, apiVersion } = JSON.parse(Buffer.from(bytes).toString());
    return typeof kind === 'string' && typeof apiVersion === 'string' ? { kind, version: apiVersion } : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isHex(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && /^([0-9a-f]{2})+$/.test(value);
}

function hexToBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}
