import { listOf, type ResultOf, resultOf } from '@colophon/records/result';
import { jobRun, scheduledJob } from '@colophon/remediation/result';

/** `colophon schedule run --once`. */
export const scheduleRunResult = resultOf('the jobs that were due', { runs: listOf('one run of each', jobRun) });
export type ScheduleRunResult = ResultOf<typeof scheduleRunResult>;

/** `colophon schedule list`. */
export const scheduleListResult = resultOf('every job that was ever scheduled', {
  jobs: listOf('each job', scheduledJob),
});
export type ScheduleListResult = ResultOf<typeof scheduleListResult>;
