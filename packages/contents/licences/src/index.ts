export { LicenceReader } from './judgement/licence-claim.ts';
export { gravest, type Judged, LicenceJudge } from './judgement/licence-judge.ts';
export {
  contradiction,
  LICENCE_REASON_CODES,
  type LicenceReasonCode,
  LicenceReasoner,
} from './judgement/licence-reason.ts';
export type { LicenseChoice } from './judgement/license-choice.ts';
export {
  type LicenceList,
  type LicencePolicy,
  parseLicenceList,
} from './policy/licence-policy.ts';
export { parseLicenceExpression } from './spdx/licence-expression.ts';
export type { LicenceTerm } from './spdx/licence-term.ts';
export { isSpdxExpression } from './spdx/spdx-expression.ts';
export { isSchemaId, spdxId, spdxIdOfName } from './spdx/spdx-list.ts';
export { type LicenceTexts, loadLicenceTexts } from './text/licence-text.ts';
