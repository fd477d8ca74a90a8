import { count, having, listOf, type ResultOf, resultOf, string } from '@colophon/records/result';
import { openedRecords, remediationRecord } from '@colophon/remediation-rules/result';
import { checkedDocument } from '../document-signature/checked-document-result.ts';

const records = listOf('each record', remediationRecord);

/** `colophon remediation open`. */
export const remediationOpenResult = resultOf(openedRecords.description, openedRecords.properties, {
  notices: listOf(
    'what a scanner says and the known-exploited catalog does not; absent where that is nothing',
    having('of one vulnerability', {
      code: string('a stable code'),
      message: string('a sentence'),
      id: string('a CVE in capitals, or another id as it was written'),
      scanner: string('who says so'),
      count: { ...count, description: 'findings' },
    }),
  ),
});
export type RemediationOpenResult = ResultOf<typeof remediationOpenResult>;

/** `colophon remediation list`, `update`, `close`, `void`. */
export const remediationRecordsResult = resultOf('records as they stand now', { records });
export type RemediationRecordsResult = ResultOf<typeof remediationRecordsResult>;

/** `colophon remediation show`. */
export const remediationShowResult = resultOf('a record as it stands now', { record: remediationRecord });
export type RemediationShowResult = ResultOf<typeof remediationShowResult>;

/** `colophon remediation escalate`. */
export const remediationEscalateResult = resultOf('open records of which the catalog says something new', {
  catalog_version: string('of the catalog, as its feed writes it'),
  records,
});
export type RemediationEscalateResult = ResultOf<typeof remediationEscalateResult>;

/** `colophon remediation verify`. */
export const remediationVerifyResult = resultOf('who closed a record', {
  record_id: string('the id of a record'),
  vulnerability: string('a CVE in capitals, or another id as it was written'),
  signature: { ...checkedDocument, description: 'the signature over the record as it is kept now' },
});
export type RemediationVerifyResult = ResultOf<typeof remediationVerifyResult>;
