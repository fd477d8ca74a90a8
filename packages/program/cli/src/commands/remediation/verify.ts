import { signedBytes } from '@colophon/remediation';
import type { Command } from 'commander';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import {
  type DocumentVerificationFlags,
  documentNeeds,
  documentVerifier,
  withDocumentVerification,
} from '../../document-signature/document-verifier.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { atDesk } from '../../remediation-desk/desk-session.ts';
import type { RemediationVerifyResult } from '../../remediation-desk/record-result.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { issuerWords } from '../../signer-words/signer-words.ts';
import { formatTable } from '../../terminal/terminal.ts';
import { type TriageDatabaseFlags, withTriageDatabase } from '../../triage-database/triage-database.ts';

type VerifyFlags = TriageDatabaseFlags & DocumentVerificationFlags & { readonly output: OutputFormat };

/** `colophon remediation verify`: who closed a record, by the signature that is kept with it. */
export function defineVerify(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon remediation verify CVE-2021-44228 \\',
      '  --certificate-identity reviewer:dana@example.com \\',
      '  --certificate-oidc-issuer http://localhost:7080',
    ),
  );
  withNeeds(withTriageDatabase(withDocumentVerification(command)), ...documentNeeds())
    .addOption(outputOption())
    .action(async (reference: string, flags: VerifyFlags, command: Command) => {
      const verify = await documentVerifier(flags, command, session);
      const verified = await atDesk(flags, command, session, async (desk): Promise<RemediationVerifyResult> => {
        const record = await desk.find(reference, new Date().toISOString());
        const { id, cve, closing_signature: signature } = record;
        if (signature === null) throw unsigned(record);
        const { bytes } = await desk.document(signature.bundle);
        const checked = `${cve} in ${record.component}, bundle ${signature.bundle}`;
        const verified = await withFacts({ checked }, () => verify(signedBytes(record), bytes));
        return { ok: true, record_id: id, vulnerability: cve, signature: verified };
      });
      printResult(session.terminal, flags.output, verified, describe);
    });
}

function unsigned({ id, state }: { readonly id: string; readonly state: string }): CliError {
  return new CliError('cli.no_signature', `record ${id.slice(0, 8)} has no signature`, {
    expected: 'a record that was closed and signed',
    found: state === 'open' ? 'an open record' : 'one that was closed with --unsigned',
  });
}

function describe({ record_id, vulnerability, signature }: RemediationVerifyResult): string {
  const { signer, is_person, signed_at, certificate_identity, trusted_root, checks } = signature;
  return formatTable([
    ['verified', `${vulnerability}, record ${record_id}`],
    ['signed by', `${signer}${is_person ? '' : ' (no person)'}`],
    ...(certificate_identity === undefined ? [] : [['issuer', issuerWords(certificate_identity)]]),
    ...(signed_at === undefined ? [] : [['at', signed_at]]),
    ...(trusted_root === undefined ? [] : [['trust', trusted_root]]),
    ...checks.map(({ check, detail }) => [`  ✓ ${check}`, detail]),
  ]);
}
