import { findingSchema } from '../finding/finding-schema.ts';
import { timestamp } from '../record-schema/record-schema.ts';
import { REMEDIATION_PRIORITIES } from './remediation-priority.ts';

const dayOrNull = { ...findingSchema.properties.published, type: ['string', 'null'] } as const;
const textOrNull = { type: ['string', 'null'] } as const;

/**
 * One finding of `colophon kev enrich` (contract §2.8), published as docs/json/enriched-finding.v1.json: a
 * finding with what the known-exploited catalog says of it. Every member of `cisa_kev` but `disputed_by` is there; null is what nobody says.
 */
export const enrichedFindingSchema = {
  ...findingSchema,
  title: 'enriched finding, version 1',
  description: 'one vulnerability in one component, and how soon it must be dealt with',
  required: [...findingSchema.required, 'cisa_kev', 'remediation_priority', 'remediation_due_at'],
  properties: {
    ...findingSchema.properties,
    cisa_kev: {
      type: 'object',
      description: 'what the catalog says; after the five members of the contract stand ours',
      required: [
        'is_exploited',
        'date_added',
        'days_since_publication',
        'vendor',
        'product',
        'due_date',
        'known_ransomware_use',
      ],
      properties: {
        is_exploited: { type: 'boolean', description: 'whether it stands in the catalog' },
        date_added: { ...dayOrNull, description: 'the day on which it was added to the catalog' },
        days_since_publication: {
          type: ['integer', 'null'],
          description: 'from the day of publication to that of enrichment',
          minimum: 0,
        },
        vendor: { ...textOrNull, description: 'as the catalog names it' },
        product: { ...textOrNull, description: 'as the catalog names it' },
        due_date: { ...dayOrNull, description: 'the day that the catalog sets' },
        known_ransomware_use: {
          type: ['boolean', 'null'],
          description: 'false: none is known; null: the catalog does not say',
        },
        disputed_by: {
          type: 'array',
          description: 'scanners that call it exploited where the catalog does not have it; absent where none does',
          items: { type: 'string' },
        },
      },
    },
    remediation_priority: {
      type: 'string',
      description: 'how soon it must be dealt with (contract §8)',
      enum: REMEDIATION_PRIORITIES,
    },
    remediation_due_at: {
      ...timestamp,
      type: ['string', 'null'],
      description: 'until when, counted from the moment of enrichment; null for the priority unknown',
    },
  },
} as const;
