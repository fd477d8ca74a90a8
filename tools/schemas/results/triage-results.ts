import {
  kevDiffResult,
  kevHistoryResult,
  kevShowResult,
  kevStatusResult,
  kevUpdateResult,
} from '../../../packages/program/cli/src/known-exploited/catalog-result.ts';
import { scheduleListResult, scheduleRunResult } from '../../../packages/program/cli/src/schedule/schedule-result.ts';
import { vexValidateResult } from '../../../packages/program/cli/src/validation-report/validation-result.ts';
import { vexApplyResult } from '../../../packages/program/cli/src/vex-file/vex-apply-result.ts';
import {
  vexConvertResult,
  vexCreateResult,
  vexMergeResult,
  vexSetResult,
  vexShowResult,
} from '../../../packages/program/cli/src/vex-file/vex-document-result.ts';
import { vexSignResult, vexVerifyResult } from '../../../packages/program/cli/src/vex-file/vex-signature-result.ts';

/** scan …, kev …, vex …, schedule … */
export const TRIAGE_RESULTS: Readonly<Record<string, object>> = {
  'kev update': kevUpdateResult,
  'kev status': kevStatusResult,
  'kev show': kevShowResult,
  'kev history': kevHistoryResult,
  'kev diff': kevDiffResult,
  'vex show': vexShowResult,
  'vex validate': vexValidateResult,
  'vex convert': vexConvertResult,
  'vex merge': vexMergeResult,
  'vex create': vexCreateResult,
  'vex set': vexSetResult,
  'vex apply': vexApplyResult,
  'vex sign': vexSignResult,
  'vex verify': vexVerifyResult,
  'schedule run': scheduleRunResult,
  'schedule list': scheduleListResult,
};
