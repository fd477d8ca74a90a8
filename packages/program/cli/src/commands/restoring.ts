import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { configOption } from '../configuration/configuration-file.ts';
import { issuerPlace } from '../configuration/issuer-place.ts';
import { pinsFolder } from '../home/home.ts';
import { startedInstallation } from '../home/started-installation.ts';
import { withNeeds } from '../program/needs.ts';
import { outputOption, type Session } from '../program/program.ts';

/** Characters of a reason: it is one member of one row, or of one entry. */
const MOST_REASON_LENGTH = 1_000;

/** Adds what every restore is told. @param what the reason is for, as a sentence goes on */
export function withRestoring(command: Command, { what, place }: { what: string; place: string }): Command {
  return withNeeds(command, { what, oneOf: ['--reason'] })
    .option('--reason <text>', `why; it stands in the ${place} for ever, for everybody to read`)
    .addOption(configOption())
    .addOption(outputOption());
}

/** Whose history is restored, where its pins are, and why. @throws CliError `cli.usage` */
export function restoring(reason: string, command: Command, session: Session) {
  if (reason.trim() === '' || reason.length > MOST_REASON_LENGTH) {
    throw new CliError('cli.usage', 'a reason is a text', {
      checked: '--reason',
      expected: `1 to ${MOST_REASON_LENGTH} characters`,
      found: `${reason.length}`,
    });
  }
  const { dataDir, data, configuration } = issuerPlace(command, session);
  const installation = startedInstallation(dataDir, data);
  return {
    dataDir,
    issuerUrl: installation.issuer_url,
    pinsFolder: configuration?.fixed.pinsFolder ?? pinsFolder(session.env),
    installation,
    reason,
  };
}
