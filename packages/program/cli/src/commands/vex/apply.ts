import { combinedFindings } from '@colophon/findings';
import { formatInstant, parseInstant } from '@colophon/notation';
import type { Finding } from '@colophon/records';
import {
  bomLinks,
  isDraft,
  matchablePurl,
  matchStatements,
  UNMATCHED_MESSAGES,
  type VexDecision,
  type VexDocument,
} from '@colophon/vex';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
} from '../../column-table/column-table.ts';
import {
  type DocumentVerificationFlags,
  namesCertificate,
  withDocumentVerification,
} from '../../document-signature/document-verifier.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { readRemediationPolicy } from '../../remediation-policy/read-remediation-policy.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { readSbom } from '../../sbom-file/sbom-file.ts';
import { readScans } from '../../scan-file/scan-file.ts';
import { counted, moreLine, oneLine } from '../../terminal/terminal.ts';
import { namedIdentityNeeds } from '../../verification-flags/verification-flags.ts';
import type { AppliedFinding, VexApplyResult } from '../../vex-file/vex-apply-result.ts';
import { readVexFile, type VexFile } from '../../vex-file/vex-file.ts';
import { productOfSbom } from './statement-flags.ts';
import { verifyVex } from './verify.ts';

type ApplyFlags = DocumentVerificationFlags & {
  readonly scan: readonly string[];
  readonly product?: readonly string[];
  readonly sbom?: string;
  readonly remediationPolicy?: string;
  readonly requireSigner?: boolean;
  readonly output: OutputFormat;
} & WideFlag;

const SIGNER_FLAGS = '--certificate-identity NAME and --certificate-oidc-issuer URL, or --openpgp-key FILE';

type UnmatchedStatement = VexApplyResult['unmatched'][number];

/** `colophon vex apply`: what VEX documents say of findings, as scanners would understand them (contract §2.6, §3). */
export function defineApply(command: Command, session: Session): void {
  withNeeds(command, ...namedIdentityNeeds());
  withDocumentVerification(
    command.addHelpText(
      'after',
      example('colophon vex apply vendor.openvex.json --scan grype.json --sbom app.cdx.json'),
    ),
  )
    .requiredOption('--scan <file>', "scanner's output, kept scan or findings; repeatable", everyValue)
    .option('--product <purl>', 'what was scanned: its package URL, image reference or digest; repeatable', everyValue)
    .option('--sbom <file>', 'take what was scanned, and what BOM-Links lead to, from this SBOM')
    .option(
      '--remediation-policy <file>',
      'policy whose `vex.authors` says who may speak for which products, by their signatures',
    )
    .option('--require-signer', 'refuse to apply documents unless it is said whose signature each must have')
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (files: string[], flags: ApplyFlags, command: Command) => {
      const record = await apply(files, flags, command, session);
      printResult(session.terminal, flags.output, record, () =>
        describe(record, { terminal: session.terminal, wide: flags.wide }),
      );
    });
}

/** A bare word names neither a package nor an image: no statement would ever be about it. */
function assertProduct(text: string): void {
  if (text.startsWith('pkg:') ? matchablePurl(text) !== undefined : /[:/@]/.test(text)) return;
  throw new CliError('cli.usage', `${text} is neither a package URL, nor an image reference, nor a digest`, {
    checked: '--product',
    expected: 'e.g. pkg:oci/app@sha256:…, registry.example/app:1.0 or sha256:…',
    found: text,
  });
}

async function apply(
  files: readonly string[],
  flags: ApplyFlags,
  command: Command,
  session: Session,
): Promise<VexApplyResult> {
  const isSigned = namesCertificate(flags) || flags.openpgpKey !== undefined;
  const authors =
    flags.remediationPolicy === undefined ? undefined : (await readRemediationPolicy(flags.remediationPolicy)).authors;
  if (authors !== undefined && !isSigned) {
    // Any document can name any author.
    throw new CliError('cli.usage', 'the policy lists accepted signers, and no flag says how to verify signatures', {
      checked: flags.remediationPolicy as string,
      expected: SIGNER_FLAGS,
    });
  }
  if (flags.requireSigner === true && !isSigned) {
    throw new CliError('cli.usage', 'a signer is required, and no flag says whose signature the documents must have', {
      checked: '--require-signer',
      expected: SIGNER_FLAGS,
    });
  }
  for (const product of flags.product ?? []) assertProduct(product);
  const scans = await readScans(flags.scan);
  const products = [...(flags.product ?? []), ...(flags.sbom === undefined ? [] : [await productOfSbom(flags.sbom)])];
  const documents: VexFile[] = [];
  for (const file of files) documents.push(await readVexFile(file));
  const signers = new Map<VexDocument, readonly string[]>();
  for (const one of isSigned ? documents : []) {
    const { signatures } = await verifyVex(one, flags, command, session);
    signers.set(
      one.document,
      signatures.flatMap(({ names }) => names),
    );
  }
  const { findings } = combinedFindings(scans);
  const { decisions, unmatched } = matchStatements(
    findings,
    documents.map(({ document }) => document),
    {
      products,
      ...(flags.sbom === undefined ? {} : { alsoKnownAs: bomLinks(await readSbom(flags.sbom)) }),
      at: formatInstant(parseInstant(new Date().toISOString())!),
      ...(authors === undefined ? {} : { authors }),
      ...(isSigned ? { speakers: (document) => signers.get(document) ?? [] } : {}),
    },
  );
  const appliedOf = ({ finding, status, isSuppressed, statement, place }: VexDecision<Finding>): AppliedFinding => {
    const { id, aliases, severity, component } = finding;
    const about = {
      vulnerability: id,
      aliases,
      severity,
      component,
      ...(status !== undefined && { status }),
      suppressed: isSuppressed,
    };
    if (statement === undefined || place === undefined) return about;
    const { file, document, pathOf } = documents[place.document]!;
    return {
      ...about,
      statement: {
        file,
        path: pathOf(place.statement),
        ...(document.author === undefined ? {} : { author: document.author }),
        stated_at: statement.timestamp,
        ...(statement.justification === undefined ? {} : { justification: statement.justification }),
        ...(isDraft(statement) ? { draft: true } : {}),
      },
    };
  };
  const applied = decisions.map(appliedOf);
  const suppressedCount = applied.filter(({ suppressed }) => suppressed).length;
  return {
    ok: true,
    products,
    findings: applied,
    suppressed_count: suppressedCount,
    // Signatures are verified of every document or of none.
    unsigned_count: isSigned ? 0 : suppressedCount,
    statement_count: documents.reduce((sum, { document }) => sum + document.statements.length, 0),
    unmatched: unmatched.map(({ document, statement, ...reason }) => {
      const one = documents[document]!;
      const vulnerability = one.document.statements[statement]!.vulnerability.name;
      return {
        file: one.file,
        path: one.pathOf(statement),
        vulnerability,
        ...reason,
        message: UNMATCHED_MESSAGES[reason.code],
      };
    }),
    signed: isSigned,
  };
}

const MOST_SHOWN = 20;

const COLUMNS: readonly Column[] = [
  { heading: 'RESULT', rank: 1 },
  { heading: 'ID', rank: 1 },
  { heading: 'COMPONENT', rank: 1, shortest: 24, isVersioned: true },
  { heading: 'STATUS', rank: 2 },
  { heading: 'STATEMENT', rank: 3 },
];

function describe(
  { findings, suppressed_count, unsigned_count, statement_count, unmatched, products }: VexApplyResult,
  view: TableView,
): string {
  const rows = findings.map(({ vulnerability, component, status, statement, suppressed }) => [
    suppressed ? 'suppressed' : 'counts',
    vulnerability,
    component.purl ?? `${component.name} ${component.version ?? ''}`,
    statement?.draft ? `${status} (draft)` : (status ?? 'no VEX statement'),
    statement === undefined ? '' : `${statement.file} ${statement.path}`,
  ]);
  const silent = [...Map.groupBy(unmatched, ({ code }) => code).values()].map((all) => {
    const [{ code, message, vulnerability, expected, found }] = all as [UnmatchedStatement];
    const example = `${vulnerability}${expected === undefined ? '' : ` in ${expected}`}${found === undefined ? '' : `, found ${found}`}`;
    return `  ${all.length} × ${code}: ${message}, e.g. ${oneLine(example)}\n`;
  });
  return [
    rows.length === 0 ? '' : columnTable(COLUMNS, rows.slice(0, MOST_SHOWN), view),
    rows.length > MOST_SHOWN ? `${moreLine(rows.length - MOST_SHOWN)}\n` : '',
    `${counted(findings.length, 'finding')}, ${suppressed_count} suppressed${unsigned_count === 0 ? '' : `, ${unsigned_count} by unverified documents`}; ${counted(statement_count, 'statement')} read\n`,
    unmatched.length === 0 ? '' : `${counted(unmatched.length, 'statement')} matched nothing:\n${silent.join('')}`,
    unmatched.length > 0 && products.length === 0
      ? 'The scanned product is not known: give --product PURL or --sbom FILE if statements are about it.\n'
      : '',
  ].join('');
}
