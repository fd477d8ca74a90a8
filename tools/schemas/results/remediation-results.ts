import {
  remediationEscalateResult,
  remediationOpenResult,
  remediationRecordsResult,
  remediationShowResult,
  remediationVerifyResult,
} from '../../../packages/program/cli/src/remediation-desk/record-result.ts';
import {
  reportQuarterlyResult,
  reportVerifyResult,
} from '../../../packages/program/cli/src/report-folder/report-result.ts';

/** remediation …, report … */
export const REMEDIATION_RESULTS: Readonly<Record<string, object>> = {
  'remediation open': remediationOpenResult,
  'remediation list': remediationRecordsResult,
  'remediation show': remediationShowResult,
  'remediation update': remediationRecordsResult,
  'remediation escalate': remediationEscalateResult,
  'remediation close': remediationRecordsResult,
  'remediation void': remediationRecordsResult,
  'remediation verify': remediationVerifyResult,
  'report quarterly': reportQuarterlyResult,
  'report verify': reportVerifyResult,
};
