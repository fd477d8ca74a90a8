export { type KeptCatalog, newestCatalog, openCatalog } from './catalog-refresh/kept-catalog.ts';
export { type CatalogRefresh, type CatalogRefreshOptions, refreshCatalog } from './catalog-refresh/refresh-catalog.ts';
export type { Job, JobRun, JobRunOutcome } from './schedule/job.ts';
export { databaseClock, type ScheduleClock } from './schedule/schedule-clock.ts';
export { DEFAULT_LEASE_SECONDS, type ScheduleEvent, Scheduler, type SchedulerOptions } from './schedule/scheduler.ts';
