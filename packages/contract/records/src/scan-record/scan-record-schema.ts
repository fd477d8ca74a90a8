import { SHA256_PATTERN } from '@colophon/notation';
import { findingSchema } from '../finding/finding-schema.ts';
import { instant } from '../record-schema/nullable-value.ts';
import { type RecordSchema, text } from '../record-schema/record-schema.ts';

/** The `format` of a scan record. */
export const SCAN_RECORD_FORMAT = 'colophon-scan/v1';

const digest = { type: 'string', description: 'sha256: and 64 hex digits', pattern: SHA256_PATTERN } as const;
const version = { type: 'number', description: 'the version of the SBOM' } as const;

/**
 * One scan as it is kept by `--record` of `colophon scan`: what the workflow takes for "the CVE is listed" and "it is
 * listed no more". Findings alone do not say who looked, at what and with which knowledge, and least of all where there
 * are none. Published as docs/json/scan.v1.json.
 */
export const scanRecordSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'kept scan, version 1',
  type: 'object',
  description: 'one scan: who looked, when, at what, with which knowledge, and what was found',
  required: ['format', 'scanner', 'source', 'findings', 'unread'],
  properties: {
    format: { type: 'string', enum: [SCAN_RECORD_FORMAT] },
    scanner: {
      type: 'object',
      description: 'which scanner looked, and with which knowledge',
      required: ['name'],
      properties: {
        name: { ...text, description: 'in lower case, such as grype' },
        version: text,
        databaseBuiltAt: { ...instant, description: 'when its vulnerability database was built (RFC 3339)' },
      },
    },
    scannedAt: { ...instant, description: 'when it looked (RFC 3339)' },
    target: { ...text, description: 'what it looked at, in its own words' },
    namedBoms: {
      type: 'array',
      description: 'the SBOMs that the output names by their BOM-Links',
      items: {
        type: 'object',
        description: 'one of them',
        required: ['serialNumber', 'version'],
        properties: { serialNumber: text, version },
      },
    },
    sbom: {
      type: 'object',
      description: 'the SBOM that was scanned, by its bytes and by what it says of itself',
      required: ['digest'],
      properties: {
        digest,
        serialNumber: text,
        version,
        timestamp: { ...instant, description: 'metadata.timestamp' },
        artifact: { ...text, description: 'the name of the documented artifact' },
        artifactVersion: text,
      },
    },
    source: {
      type: 'object',
      description: 'the scanner’s own output',
      required: ['name', 'digest'],
      properties: { name: text, digest },
    },
    findings: { type: 'array', description: 'what was found', items: findingSchema },
    unread: {
      type: 'array',
      description: 'entries that could not be read, or that are no vulnerability, and why',
      items: {
        type: 'object',
        description: 'one of them',
        required: ['path', 'code', 'message'],
        properties: {
          path: { type: 'string', description: 'JSON Pointer into the output' },
          code: { ...text, description: 'scan.*, stable' },
          message: { type: 'string', description: 'for people' },
          component: { ...findingSchema.properties.component, description: 'the one that could not be looked up' },
          count: { type: 'number', description: 'how many entries this speaks of, where it is more than one' },
        },
      },
    },
  },
} as const satisfies RecordSchema;
