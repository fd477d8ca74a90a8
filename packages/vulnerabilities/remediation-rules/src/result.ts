export { openedRecords, remediationRecord } from './remediation/record-result.ts';
export { reportDifference } from './report/report-difference-result.ts';
