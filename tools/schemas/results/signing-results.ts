import { queryResult } from '../../../packages/admission/evidence/src/evidence/query-result.ts';
import { certificatesResult } from '../../../packages/admission/webhook/src/certificates/certificates-result.ts';
import {
  apiKeyCreatedResult,
  apiKeyListResult,
  callerListResult,
  revokedResult,
} from '../../../packages/identity/issuer/src/caller-desk/caller-result.ts';
import { ledgerExportResult } from '../../../packages/identity/issuer/src/ledger/issuance-record-result.ts';
import { ledgerResult } from '../../../packages/identity/issuer/src/ledger/ledger-result.ts';
import { reconciliationResult } from '../../../packages/identity/reconciliation/src/reconcile/reconciliation-result.ts';
import { admissionGenerateResult } from '../../../packages/program/cli/src/commands/admission/generate-result.ts';
import { admissionLintResult } from '../../../packages/program/cli/src/commands/admission/lint-result.ts';
import { admitObjectsResult } from '../../../packages/program/cli/src/commands/admit-objects-result.ts';
import { admitResult } from '../../../packages/program/cli/src/commands/admit-result.ts';
import { attachmentsResult } from '../../../packages/program/cli/src/commands/attachments-result.ts';
import { configCheckResult } from '../../../packages/program/cli/src/commands/config/check-result.ts';
import { doctorResult } from '../../../packages/program/cli/src/commands/doctor-result.ts';
import { envResult } from '../../../packages/program/cli/src/commands/env-result.ts';
import { evidenceImportResult } from '../../../packages/program/cli/src/commands/evidence-import-result.ts';
import {
  explainResult,
  packResult,
  verifiedPackResult,
} from '../../../packages/program/cli/src/commands/explain-result.ts';
import { generateKeyPairResult } from '../../../packages/program/cli/src/commands/generate-key-pair-result.ts';
import { healthResult } from '../../../packages/program/cli/src/commands/health-result.ts';
import { importResult } from '../../../packages/program/cli/src/commands/import/import-result.ts';
import { initResult } from '../../../packages/program/cli/src/commands/init-result.ts';
import { ledgerEraseResult } from '../../../packages/program/cli/src/commands/ledger/ledger-erase-result.ts';
import { ledgerRestoreResult } from '../../../packages/program/cli/src/commands/ledger/restore-result.ts';
import {
  logGetResult,
  logRestoreResult,
  logSearchResult,
  logVerifyResult,
} from '../../../packages/program/cli/src/commands/log/log-result.ts';
import { reviewListResult } from '../../../packages/program/cli/src/commands/review/review-list-result.ts';
import { reviewedResult, signedResult } from '../../../packages/program/cli/src/commands/signed-result.ts';
import {
  verifiedBlobResult,
  verifiedImageResult,
  verifiedResult,
} from '../../../packages/program/cli/src/commands/verified-result.ts';
import { localOrAsked } from '../../../packages/program/cli/src/history/history-result.ts';
import { admissionTestResult } from '../../../packages/program/cli/src/policy-cases/case-result.ts';
import { hashResult } from '../../../packages/program/cli/src/run-context/hash-result.ts';
import {
  keysListResult,
  keysRevokeResult,
  keysRotateResult,
} from '../../../packages/signing/keys/src/key-ring/key-ring-result.ts';
import { inspectionResult } from '../../../packages/signing/sigstore/src/inspect/inspection-result.ts';

/** Commands that sign, verify, ask and admit. */
export const SIGNING_RESULTS: Readonly<Record<string, object>> = {
  'hash prompt': hashResult,
  'hash policy': hashResult,
  'import git-ai': importResult,
  'import agent-trace': importResult,
  inspect: inspectionResult,
  attachments: attachmentsResult,
  'review list': reviewListResult,
  admit: admitResult,
  'admission certificates': certificatesResult,
  'admit --filename': admitObjectsResult,
  'admission lint': admissionLintResult,
  'admission test': admissionTestResult,
  'admission generate': admissionGenerateResult,
  explain: explainResult,
  pack: packResult,
  'verify --offline': verifiedPackResult,
  env: envResult,
  'generate-key-pair': generateKeyPairResult,
  health: healthResult,
  'config check': configCheckResult,
  init: initResult,
  doctor: doctorResult,
  query: queryResult,
  'evidence import': evidenceImportResult,
  'log search': logSearchResult,
  'log get': logGetResult,
  'log verify': localOrAsked(logVerifyResult),
  'keys list': keysListResult,
  'keys rotate': keysRotateResult,
  'keys revoke': keysRevokeResult,
  'callers list': callerListResult,
  'callers revoke': revokedResult,
  'callers key create': apiKeyCreatedResult,
  'callers key list': apiKeyListResult,
  'callers key revoke': revokedResult,
  'ledger erase': ledgerEraseResult,
  'ledger verify': localOrAsked(ledgerResult),
  'ledger restore': ledgerRestoreResult,
  'log restore': logRestoreResult,
  'ledger export': ledgerExportResult,
  'ledger reconcile': reconciliationResult,
  'sign-blob': signedResult,
  'attest-blob': signedResult,
  sign: signedResult,
  attest: signedResult,
  'review approve': reviewedResult,
  'review reject': reviewedResult,
  'review withdraw': signedResult,
  'verify-blob': verifiedBlobResult,
  'verify-blob-attestation': verifiedResult,
  verify: verifiedImageResult,
  'verify-attestation': verifiedImageResult,
};
