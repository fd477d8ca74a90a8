import type { XStatic } from 'typebox/schema';
import type { ReadOnly } from '../record-schema/read-only.ts';
import type { reportNotesSchema } from './report-notes-schema.ts';

/** What the report's own fields have no place for (contract §2.10): it lies beside the report, and is counted again too. */
export type ReportNotes = ReadOnly<XStatic<typeof reportNotesSchema>>;

/** Which record a note speaks of. */
export type NotedRecord = Pick<NotedVoid, 'record' | 'cve' | 'component' | 'product'>;

/** An event for which a person's reason set conditions aside. */
export type NotedOverride = ReportNotes['overrides'][number];

/** A record that was set aside. */
export type NotedVoid = ReportNotes['voided'][number];

/** The figures of one product; a CVE in two products counts in both. */
export type ProductNote = ReportNotes['products'][number];

/** What a note says of the catalog that the records were compared with. */
export type CatalogNote = NonNullable<ReportNotes['catalog']>;

/** A file that a report and its notes were counted from. */
export type NotedInput = ReportNotes['inputs'][number];

/** How long records of each priority of what is exploited took. */
export type ExploitedHours = ReportNotes['exploited'];

/** How long records of one priority took, in hours from discovery to deployment. */
export type HoursOfPriority = ExploitedHours['critical_exploited'];

/** What a scan says that no record answers. */
export type UnansweredListing = ReportNotes['listings']['examples'][number];
