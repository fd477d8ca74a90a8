import { isJsonObject, type JsonObject, type ParseResult, parseStrictJson } from '@colophon/records';
import type { VexDocument } from '../vex-document.ts';
import { isCsaf, readCsaf } from './csaf-reader.ts';
import { readCycloneDx } from './cyclonedx-reader.ts';
import { foreignDocument, foreignText } from './foreign-document.ts';
import { isOpenVex, readOpenVex } from './openvex-reader.ts';
import { VexReading } from './vex-reading.ts';

/** Bytes; the largest vendor's document that is known has 85 million. */
export const MAX_VEX_BYTES = 128 * 1024 * 1024;
/** Product trees of CSAF and components of CycloneDX nest. */
const MAX_VEX_DEPTH = 128;

/**
 * Reads a VEX document of any shape, which is told by its content: OpenVEX v0.2.0 and before, the contract's literal
 * shape, CycloneDX 1.4 to 1.7, CSAF 2.0 and 2.1. What a document says and the model cannot hold is in `notes`.
 * @returns issues with codes `vex.*` and `json.*` where it is no VEX document, or a statement cannot be understood: one
 * that was passed over could be the latest one, and an older one would count for it
 * @see contract §2.6; docs/vex.md
 */
export function readVexDocument(bytes: Uint8Array): ParseResult<VexDocument> {
  const parsed = parseStrictJson(bytes, { maxBytes: MAX_VEX_BYTES, maxDepth: MAX_VEX_DEPTH });
  if (!parsed.ok) {
    const foreign = foreignText(bytes);
    return foreign === undefined ? parsed : { ok: false, issues: [foreign] };
  }
  if (!isJsonObject(parsed.value)) return { ok: false, issues: [foreignDocument({})] };
  const reading = new VexReading();
  const read = readerOf(parsed.value);
  if (read === undefined) return { ok: false, issues: [foreignDocument(parsed.value)] };
  const document = read(reading, parsed.value);
  const { issues, notes } = reading;
  if (document === undefined || issues.length > 0) return { ok: false, issues };
  return { ok: true, value: notes.length === 0 ? document : { ...document, notes } };
}

type Reader = (reading: VexReading, document: JsonObject) => VexDocument | undefined;

function readerOf(document: JsonObject): Reader | undefined {
  if (isCsaf(document)) return readCsaf;
  if (document['bomFormat'] === 'CycloneDX')
    return document['vulnerabilities'] === undefined ? undefined : readCycloneDx;
  return isOpenVex(document) ? readOpenVex : undefined;
}
