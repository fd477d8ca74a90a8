export { DashboardClient, type DashboardProject } from './dashboard/dashboard-client.ts';
export {
  type DashboardFinding,
  isAtLeast,
  SEVERITIES,
  type Severity as DashboardSeverity,
} from './dashboard/dashboard-finding.ts';
export { decideUploadVersion, type UploadVersion } from './dashboard/dashboard-version.ts';
export { currentPublications } from './publication/current-publications.ts';
export { type FetchedPublication, fetchPublication } from './publication/fetch-publication.ts';
export { assertLatest } from './publication/latest-check.ts';
export { type PublishedSignature, type PublishResult, publish } from './publication/publish.ts';
export { checkRetention, type Restored, type RetentionReport, restore, unpublish } from './publication/retention.ts';
export { openSource, openTarget, type PlaceOptions } from './publishing-target/open-target.ts';
export type { PublishingSource } from './publishing-target/publishing-target.ts';
