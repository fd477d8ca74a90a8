import { SHA256_PATTERN } from '@colophon/notation';
import { REMEDIATION_PRIORITIES } from '../enriched-finding/remediation-priority.ts';
import { SEVERITIES } from '../finding/severity.ts';
import {
  day,
  dayOrNull,
  instant,
  instantOrNull,
  filledText as text,
  textOrNull,
} from '../record-schema/nullable-value.ts';
import { alsoHaving, having, orNull } from '../record-schema/object-schema.ts';
import { integer } from '../record-schema/record-schema.ts';
import { VEX_JUSTIFICATIONS, VEX_STATUSES } from '../vex-status/vex-status.ts';
import {
  DECISIONS,
  EVIDENCE_KINDS,
  RECORD_STATES,
  REMEDIATION_ACTIONS,
  SLA_COMPLIANCES,
  VOID_CAUSES,
} from './record-words.ts';

/** In the order of the published schema. */
const STATUSES = VEX_STATUSES.toSorted() as unknown as typeof VEX_STATUSES;

const digest = { type: 'string', description: 'sha256: and 64 hex digits', pattern: SHA256_PATTERN } as const;
const severity = {
  type: 'string',
  description: 'the worst that any scanner says',
  enum: SEVERITIES,
} as const;
const score = { type: ['number', 'null'], description: 'a CVSS score', minimum: 0, maximum: 10 } as const;
const texts = { type: 'array', items: text } as const;

const integerOrNull = { ...integer, type: ['integer', 'null'] } as const;

const sbomMembers = {
  digest,
  serial_number: textOrNull,
  version: integerOrNull,
  timestamp: instantOrNull,
  artifact_version: textOrNull,
} as const;
const sbom = having('the SBOM that was scanned', sbomMembers);
const scan = {
  scanner: text,
  scanner_version: textOrNull,
  database_built_at: instantOrNull,
  scanned_at: instantOrNull,
  scan: { ...digest, description: 'digest of the scan as it is kept' },
  sbom: orNull(sbom),
} as const;

const fields = {
  cve: { ...text, description: 'the CVE; another id where no CVE is known' },
  component: { ...text, description: 'the name of the component' },
  current_version: text,
  affected: { type: 'boolean', description: 'computed: false where the status is not_affected' },
  decision: { type: 'string', enum: DECISIONS },
  patch_version: textOrNull,
  estimated_patch_date: dayOrNull,
  vex_status: { type: 'string', enum: STATUSES },
  owner: { ...textOrNull, description: 'an e-mail address' },
  tracking_id: textOrNull,
  date_discovered: day,
  date_patched: dayOrNull,
  date_deployed: dayOrNull,
  cisa_kev: { type: 'boolean', description: 'whether it stands in the known-exploited catalog' },
  days_to_remediate: { ...integerOrNull, description: 'computed: days from discovery to deployment' },
  sla_compliance: {
    type: 'string',
    description: 'computed against the time of its priority (contract §8)',
    enum: SLA_COMPLIANCES,
  },

  id: { ...text, description: 'made of product, CVE and component' },
  product: { ...text, description: 'the artifact whose SBOM was scanned, without its version' },
  purl: { ...textOrNull, description: 'the package URL of the component' },
  aliases: { ...texts, description: 'other ids of the same vulnerability' },
  severity,
  cvss_score: score,
  remediation_priority: {
    type: 'string',
    description: 'how soon it must be dealt with (contract §8)',
    enum: REMEDIATION_PRIORITIES,
  },
  due_at: instantOrNull,
  discovered_at: instant,
  deployed_at: instantOrNull,
  state: { type: 'string', enum: RECORD_STATES },
  closed_at: instantOrNull,
  scanner: { ...text, description: 'the scanner that listed it first' },
  fixed_in_versions: texts,
  sightings: {
    type: 'array',
    description: 'what each scanner that listed it says of it',
    items: alsoHaving(
      having('the newest sighting of one scanner', { ...scan, versions: texts, severity, cvss_score: score }),
      {
        withdrawn: { ...text, description: 'what the scanner says of an advisory that was withdrawn' },
        exploited: {
          ...text,
          description: 'what the scanner knows of attacks, where it calls the vulnerability exploited',
        },
        listed_as: { ...texts, description: 'the names that it used, where none of them is a CVE' },
      },
    ),
  },
  resolution: {
    description: 'what it was closed by; null while it is open',
    anyOf: [
      { type: 'null' },
      having('a scan of a newer SBOM that lists it no more', {
        kind: { const: 'rescan' },
        sbom,
        scans: { type: 'array', items: having('one scan', scan) },
      }),
      having('a signed VEX document', {
        kind: { const: 'statement' },
        document: { ...digest, description: 'digest of the document' },
        justification: {
          type: 'string',
          enum: VEX_JUSTIFICATIONS,
        },
        stated_at: instant,
        signer: text,
      }),
      having('nothing: it is set aside, and the last event of the history says why', {
        kind: { const: 'void' },
        cause: { type: 'string', enum: VOID_CAUSES },
      }),
    ],
  },
  closing_signature: orNull(
    having('over the canonical JSON (RFC 8785) of the closed record in which this field is null', {
      bundle: digest,
      signer: text,
    }),
  ),
  evidence: {
    type: 'array',
    description: 'the documents that it rests on',
    items: having('one of them', {
      kind: { type: 'string', enum: EVIDENCE_KINDS },
      digest,
      name: text,
    }),
  },
  history: {
    type: 'array',
    description: 'every change; its events lead to what the record says',
    minItems: 1,
    items: alsoHaving(
      having('one change', {
        at: instant,
        by: text,
        action: { type: 'string', enum: REMEDIATION_ACTIONS },
        changes: {
          type: 'object',
          description: 'by field: what it was, and what it became',
          additionalProperties: { type: 'array', minItems: 2, maxItems: 2 },
        },
      }),
      {
        reason: { type: 'string', description: 'why, in the words of whoever did it' },
        overrides: { ...texts, description: 'codes of the conditions that the reason set aside' },
      },
    ),
  },
} as const;

/**
 * One record of `colophon remediation export` (contract §2.9), published as
 * docs/json/remediation-record.v1.json. What no schema can say, that the computed fields and the history
 * follow, is checked by the readers of a record.
 */
export const remediationRecordSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'remediation record, version 1',
  ...having('one CVE in one component of one product; null is what is not known yet', fields),
} as const;
