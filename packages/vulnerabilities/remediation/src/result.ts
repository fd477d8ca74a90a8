export { keptCatalog, refreshedCatalog } from './catalog-refresh/catalog-result.ts';
export { recountedReport } from './recount/recount-result.ts';
export { madeReport } from './report-making/report-result.ts';
export { jobRun, scheduledJob } from './schedule/job-result.ts';
