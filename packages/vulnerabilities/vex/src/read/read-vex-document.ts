import {
  type Issue,
  isJsonObject,
  type JsonLimits,
  type JsonObject,
  type ParseResult,
  parseStrictJson,
} from '@colophon/json';
import type { VexDocument, VexFamily } from '../vex-document/vex-document.ts';
import { isCsaf, readCsaf } from './csaf-reader.ts';
import { readCycloneDx } from './cyclonedx-reader.ts';
import { foreignDocument, foreignText } from './foreign-document.ts';
import { isOpenVex, readOpenVex } from './openvex-reader.ts';
import { type Place, pointerTo } from './place.ts';
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
  const read = readPlacedVexDocument(bytes);
  return read.ok ? { ok: true, value: read.value.document } : read;
}

/** A document, and the JSON Pointer to where each of its statements is said, by its number from 0. */
export type PlacedVexDocument = { readonly document: VexDocument; readonly pathOf: (statement: number) => string };

/** As `readVexDocument`, for those who lead people to a statement. */
export function readPlacedVexDocument(bytes: Uint8Array): ParseResult<PlacedVexDocument> {
  const parsed = parseVexBytes(bytes, 'replaced');
  if (!parsed.ok) return parsed;
  const { result, places } = readVexValue(parsed.value);
  if (!result.ok) return result;
  return { ok: true, value: { document: result.value, pathOf: (statement) => pointerTo(places[statement]) } };
}

/** The JSON object in the bytes, or what they are instead. */
export function parseVexBytes(bytes: Uint8Array, oddText: JsonLimits['oddText']): ParseResult<JsonObject> {
  const parsed = parseStrictJson(bytes, { maxBytes: MAX_VEX_BYTES, maxDepth: MAX_VEX_DEPTH, oddText });
  if (parsed.ok)
    return isJsonObject(parsed.value) ? { ok: true, value: parsed.value } : refused(foreignDocument(parsed.value));
  const foreign = foreignText(bytes);
  return foreign === undefined ? parsed : refused(foreign);
}

/** The document, and where each of its statements stands. */
export function readVexValue(value: JsonObject): {
  readonly result: ParseResult<VexDocument>;
  readonly places: readonly Place[];
} {
  const shape = vexFamilyOf(value);
  if (shape === undefined) return { result: refused(foreignDocument(value)), places: [] };
  const reading = new VexReading();
  const document = READERS[shape](reading, value);
  const { issues, notes, places } = reading;
  if (document === undefined || issues.length > 0) return { result: { ok: false, issues }, places };
  return { result: { ok: true, value: notes.length === 0 ? document : { ...document, notes } }, places };
}

const READERS: Readonly<Record<VexFamily, (reading: VexReading, document: JsonObject) => VexDocument | undefined>> = {
  openvex: readOpenVex,
  cyclonedx: readCycloneDx,
  csaf: readCsaf,
};

export function vexFamilyOf(document: JsonObject): VexFamily | undefined {
  if (isCsaf(document)) return 'csaf';
  if (document['bomFormat'] === 'CycloneDX') return document['vulnerabilities'] === undefined ? undefined : 'cyclonedx';
  return isOpenVex(document) ? 'openvex' : undefined;
}

function refused(issue: Issue): ParseResult<never> {
  return { ok: false, issues: [issue] };
}
