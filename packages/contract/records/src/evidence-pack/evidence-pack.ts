import { canonicalJson, type JsonValue, type ParseResult, parseStrictJson } from '@colophon/json';
import type { XStatic } from 'typebox/schema';
import { checkRecord } from '../record-schema/record-check.ts';
import { evidencePackSchema } from './evidence-pack-schema.ts';

/** A pack as its file holds it: contents are base64, and nothing of it is verified. */
export type EvidencePack = XStatic<typeof evidencePackSchema>;

/** Bytes and depth of the file of a pack. */
export const EVIDENCE_PACK_LIMITS = { maxBytes: 64 * 1024 * 1024, maxDepth: 8 };

/**
 * Reads the file of an evidence pack: strict JSON of at most {@link EVIDENCE_PACK_LIMITS}, no member that the schema does
 * not name. Whether its contents are base64, have the digests that they should and verify is for its reader.
 *
 * @returns the pack as it is, or every issue at once (up to 100), with codes `evidence_pack.*` and those of parseStrictJson.
 */
export function parseEvidencePack(bytes: Uint8Array): ParseResult<EvidencePack> {
  const json = parseStrictJson(bytes, EVIDENCE_PACK_LIMITS);
  if (!json.ok) return json;
  const issues = checkRecord('evidence_pack', evidencePackSchema, json.value, 'docs/explain.md#the-pack');
  return issues.length === 0 ? { ok: true, value: json.value as unknown as EvidencePack } : { ok: false, issues };
}

/** The file of a pack: canonical JSON (RFC 8785), so that the same pack has the same bytes. */
export function encodeEvidencePack(pack: EvidencePack): Uint8Array {
  return canonicalJson(pack as unknown as JsonValue);
}
