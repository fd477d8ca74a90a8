import type { Command } from 'commander';
import { parseAnySha256 } from '../../artifact-digest/any-digest.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';
import { atDesk } from '../../remediation-desk/desk-session.ts';
import { assertWritableOut, isOnStdout, outOption } from '../../sbom-file/sbom-output.ts';
import { oneLine, shellWord } from '../../terminal/terminal.ts';
import { type TriageDatabaseFlags, withTriageDatabase } from '../../triage-database/triage-database.ts';

/** `colophon remediation evidence`: a document that records rest on, as it came. */
export function defineEvidence(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon remediation evidence sha256:DIGEST --out sbom.cdx.json'))
    .addOption(outOption());
  withTriageDatabase(command).action(
    async (digest: string, flags: TriageDatabaseFlags & { readonly out?: string }, command: Command) => {
      assertWritableOut(flags.out);
      const { bytes, name } = await atDesk(flags, command, session, (desk) =>
        desk.document(parseAnySha256(digest.trim()) ?? digest),
      );
      if (isOnStdout(flags.out)) {
        session.terminal.stdout.write(textOf(bytes, name, digest));
      } else {
        writeOutput(flags.out as string, bytes);
        session.terminal.stderr.write(`${oneLine(name)} written to ${oneLine(flags.out as string)}\n`);
      }
    },
  );
}

/** Byte for byte or not at all: what is no text would be another document. */
function textOf(bytes: Uint8Array, name: string, digest: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CliError('cli.usage', `${name} is no text`, {
      next: `colophon remediation evidence ${shellWord(digest)} --out FILE`,
    });
  }
}
