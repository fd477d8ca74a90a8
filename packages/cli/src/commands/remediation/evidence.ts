import type { Command } from 'commander';
import { writeOutput } from '../../input/input.ts';
import type { Session } from '../../program/program.ts';
import { atDesk } from '../../remediation-desk/desk-session.ts';
import { assertWritableOut, outOption } from '../../sbom-file/sbom-output.ts';
import { oneLine } from '../../terminal/terminal.ts';
import { type TriageDatabaseFlags, withTriageDatabase } from '../../triage-database/triage-database.ts';

/** `colophon remediation evidence`: a document that records rest on, as it came. */
export function addEvidenceCommand(remediation: Command, session: Session): void {
  const command = remediation
    .command('evidence <digest>')
    .description('write a document that a record names: SBOM, scan, VEX document or signature, byte for byte')
    .addOption(outOption());
  withTriageDatabase(command).action(
    async (digest: string, flags: TriageDatabaseFlags & { readonly out?: string }, command: Command) => {
      assertWritableOut(flags.out);
      const { parseDigest } = await import('@colophon/records');
      const { bytes, name } = await atDesk(flags, command, session, (desk) =>
        desk.document(parseDigest(digest.trim()) ?? digest),
      );
      if (flags.out === undefined || flags.out === '-') session.terminal.stdout.write(Buffer.from(bytes).toString());
      else {
        writeOutput(flags.out, bytes);
        session.terminal.stderr.write(`${oneLine(name)} written to ${oneLine(flags.out)}\n`);
      }
    },
  );
}
