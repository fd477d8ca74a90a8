import { documentOf, having, listOf, type ResultOf, string } from '@colophon/records/result';

const recordId = string('the id of a record');

/** A record of the contract, in its own spelling. */
export const remediationRecord = documentOf('schema: remediation-record.v1.json of the contract');

/** What became of the records of scans. */
export const openedRecords = having('what became of the records of the scans', {
  opened: listOf('records that are new', recordId),
  reopened: listOf('records that were closed', recordId),
  updated: listOf('open records of which the scans say something new', recordId),
  unchanged: listOf('the others', recordId),
  records: listOf('all of them, in this order', remediationRecord),
});
export type OpenedRecords = ResultOf<typeof openedRecords>;
