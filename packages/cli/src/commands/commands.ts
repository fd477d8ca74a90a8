import type { CommandModule } from '../program/program.ts';
import { addAdmitCommand } from './admit.ts';
import { addAttachmentsCommand } from './attachments.ts';
import { addDemoCommand } from './demo.ts';
import { addEnvCommand } from './env.ts';
import { addEvidenceCommands } from './evidence.ts';
import { addHashCommand } from './hash.ts';
import { addInspectCommand } from './inspect.ts';
import { addKevCommands } from './kev/kev.ts';
import { addLedgerCommand } from './ledger.ts';
import { addLogCommand } from './log.ts';
import { addRemediationCommands } from './remediation/remediation.ts';
import { addReportCommands } from './report/report.ts';
import { addReviewCommand } from './review/review.ts';
import { addSbomCommands } from './sbom/sbom.ts';
import { addScanCommands } from './scan/scan.ts';
import { addScheduleCommands } from './schedule/schedule.ts';
import { addSignBlobCommands } from './sign-blob.ts';
import { addSignImageCommands } from './sign-image.ts';
import { addTokenCommand } from './token.ts';
import { addUpCommand } from './up.ts';
import { addVerifyBlobCommands } from './verify-blob.ts';
import { addVerifyImageCommands } from './verify-image.ts';
import { addVexCommands } from './vex/vex.ts';

/** Every command, in the order in which help shows them: first what a newcomer needs. */
export const COMMANDS: readonly CommandModule[] = [
  addDemoCommand,
  addUpCommand,
  addEnvCommand,
  addTokenCommand,
  addHashCommand,
  addSignBlobCommands,
  addVerifyBlobCommands,
  addSignImageCommands,
  addVerifyImageCommands,
  addReviewCommand,
  addAdmitCommand,
  addAttachmentsCommand,
  addLogCommand,
  addEvidenceCommands,
  addInspectCommand,
  addLedgerCommand,
  addSbomCommands,
  addScanCommands,
  addKevCommands,
  addVexCommands,
  addRemediationCommands,
  addReportCommands,
  addScheduleCommands,
];
