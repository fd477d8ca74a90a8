import type { Command } from 'commander';
import type { Session } from '../../program/program.ts';
import { addAttributeCommand } from './attribute.ts';
import { addCommentsCommand } from './comments.ts';
import { addConvertCommand } from './convert.ts';
import { addCreateCommand } from './create.ts';
import { addDiffCommand } from './diff.ts';
import { addFetchCommand } from './fetch.ts';
import { addLicensesCommand } from './licenses.ts';
import { addPatchCommand } from './patch.ts';
import { addPublishCommand } from './publish.ts';
import { addRetentionCommands } from './retention.ts';
import { addSimilarityCommand } from './similarity.ts';
import { addUploadCommand } from './upload.ts';
import { addValidateCommand } from './validate.ts';
import { addVendorCommand } from './vendor.ts';

/** One subcommand of `colophon sbom`. */
type SbomCommand = (sbom: Command, session: Session) => void;

/** In the order in which a document goes through them. */
const SBOM_COMMANDS: readonly SbomCommand[] = [
  addCreateCommand,
  addValidateCommand,
  addPatchCommand,
  addDiffCommand,
  addAttributeCommand,
  addConvertCommand,
  addSimilarityCommand,
  addVendorCommand,
  addLicensesCommand,
  addCommentsCommand,
  addPublishCommand,
  addFetchCommand,
  addRetentionCommands,
  addUploadCommand,
];

/** `colophon sbom …`: documents that say what agents wrote. */
export function addSbomCommands(program: Command, session: Session): void {
  const sbom = program.command('sbom').description('make, check, attribute and publish CycloneDX documents');
  for (const add of SBOM_COMMANDS) add(sbom, session);
}
