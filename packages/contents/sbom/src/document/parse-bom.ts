import { type Issue, type JsonLimits, type ParseResult, parseStrictJson } from '@colophon/json';
import { type Bom, SPEC_VERSIONS } from './bom.ts';

/** Bytes; the largest document that is read. The biggest SBOMs of real products stay below 64 MiB. */
export const MAX_BOM_BYTES = 128 * 1024 * 1024;

/** Components inside components and what they hold; generators stay below 20. */
export const MAX_BOM_DEPTH = 128;

/**
 * Reads the bytes of a CycloneDX JSON document: strict JSON of a known version, in which what no text may hold is replaced
 * (`replacedText`) unless it is to be refused. Whether it is valid is for `validateBom` to say.
 * @returns the document as it stands, or issues with codes `json.*`, `sbom.not_cyclonedx`, `sbom.spec_version_unknown`.
 */
export function parseBom(
  bytes: Uint8Array,
  { maxBytes = MAX_BOM_BYTES, oddText = 'replaced' }: Pick<JsonLimits, 'maxBytes' | 'oddText'> = {},
): ParseResult<Bom> {
  const parsed = parseStrictJson(bytes, { maxBytes, maxDepth: MAX_BOM_DEPTH, oddText });
  return parsed.ok ? asBom(parsed.value) : parsed;
}

/** Takes a JSON value for a document of a known version, or says why it is none. */
export function asBom(value: unknown): ParseResult<Bom> {
  const document = value as { bomFormat?: unknown; specVersion?: unknown } | null;
  if (typeof document !== 'object' || document === null || document.bomFormat !== 'CycloneDX') {
    return refused({
      path: '',
      code: 'sbom.not_cyclonedx',
      message: isSpdx(document)
        ? 'This is an SPDX document, and not CycloneDX: convert it first, e.g. with `syft convert`.'
        : 'This is no CycloneDX JSON document.',
      expected: '"bomFormat": "CycloneDX"',
    });
  }
  if (!SPEC_VERSIONS.includes(document.specVersion as never)) {
    return refused({
      path: Object.hasOwn(document, 'specVersion') ? '/specVersion' : '',
      code: 'sbom.spec_version_unknown',
      message: 'The version of CycloneDX is not known.',
      expected: SPEC_VERSIONS.join(', '),
    });
  }
  return { ok: true, value: document as Bom };
}

/** SPDX 2 names its version; SPDX 3 has a JSON-LD context. */
function isSpdx(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { spdxVersion, '@context': context } = value as { spdxVersion?: unknown; '@context'?: unknown };
  return typeof spdxVersion === 'string' || (typeof context === 'string' && context.includes('spdx.org'));
}

function refused(issue: Issue): ParseResult<never> {
  return { ok: false, issues: [issue] };
}
