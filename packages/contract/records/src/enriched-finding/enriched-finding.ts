import type { XStatic } from 'typebox/schema';
import type { ReadOnly } from '../record-schema/read-only.ts';
import type { enrichedFindingSchema } from './enriched-finding-schema.ts';

/** A finding with what the catalog says of it and how soon it must be dealt with. */
export type EnrichedFinding = ReadOnly<XStatic<typeof enrichedFindingSchema>>;

/** What the catalog says of a vulnerability (contract §2.8), and two things more that it knows. */
export type CisaKev = EnrichedFinding['cisa_kev'];
