import type { XStatic } from 'typebox/schema';
import type { ReadOnly } from '../record-schema/read-only.ts';
import type { quarterlyReportSchema } from './quarterly-report-schema.ts';
import type { TargetedSeverity } from './target-days.ts';

/** The quarterly compliance report: these fields, in this order (contract §2.10). */
export type QuarterlyReport = ReadOnly<XStatic<typeof quarterlyReportSchema>>;

/** Target and average of one severity. */
export type SeveritySla = QuarterlyReport['sla_by_severity'][TargetedSeverity];

/** The files of the report by name. */
export type ReportArtifacts = QuarterlyReport['artifacts'];
