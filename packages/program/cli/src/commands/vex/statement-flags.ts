import { isMalformedCve, normaliseVulnerabilityId } from '@colophon/findings';
import { parseStrictJson } from '@colophon/json';
import {
  type RemediationRecord,
  VEX_JUSTIFICATIONS,
  VEX_STATUSES,
  type VexJustification,
  type VexStatus,
} from '@colophon/records';
import { parseRemediationRecord } from '@colophon/remediation-rules';
import { type FixProof, matchablePurl, productIdentifier, type VexStatement, vulnerabilityKeys } from '@colophon/vex';
import { type Command, Option } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { readBounded } from '../../input/bounded-input.ts';
import { withNeeds } from '../../program/needs.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { readSbom } from '../../sbom-file/sbom-file.ts';
import { shellWord } from '../../terminal/terminal.ts';

/** The flags that make one statement. */
export type StatementFlags = {
  readonly vulnerability: string;
  readonly alias?: readonly string[];
  readonly product?: readonly string[];
  readonly subcomponent?: readonly string[];
  readonly sbom?: string;
  readonly status: VexStatus;
  readonly justification?: VexJustification;
  readonly impact?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly notes?: string;
  readonly proof?: string;
};

/** Adds the flags of a statement; where the option `instead` is given, it says what the statement says. */
export function withStatement(command: Command, ...instead: readonly string[]): Command {
  return withNeeds(
    withProducts(command),
    { what: 'what is true of the product', oneOf: ['--status', ...instead] },
    { what: 'what the statement is about', oneOf: ['--product', '--sbom', ...instead] },
    { what: 'why it is not affected', oneOf: ['--justification'], when: '--status=not_affected' },
    { what: 'what to do about it', oneOf: ['--action'], when: '--status=affected' },
    { what: 'the closed remediation record that shows it', oneOf: ['--proof'], when: '--status=fixed' },
  )
    .addOption(new Option('--status <status>', 'what is true of the product').choices(VEX_STATUSES))
    .addOption(
      new Option('--justification <reason>', 'why it is not affected; needed with not_affected').choices(
        VEX_JUSTIFICATIONS,
      ),
    )
    .option('--impact <text>', 'more about why it is not affected')
    .option('--action <text>', 'what to do about it; needed with affected')
    .option('--reason <text>', 'why it is investigated again; needed to go back to under_investigation')
    .option('--notes <text>', 'anything else about the status')
    .option('--proof <file>', 'closed remediation record that shows the re-scan; needed with fixed');
}

/** Adds the flags that say what a statement is about. */
export function withProducts(command: Command): Command {
  return command
    .requiredOption('--vulnerability <id>', 'the vulnerability, e.g. CVE-2021-44228')
    .option('--alias <id>', 'another name of it; repeatable', everyValue)
    .option('--product <purl>', 'the product: what is shipped and scanned; repeatable', everyValue)
    .option('--subcomponent <purl>', 'the component in it that this is about; repeatable', everyValue)
    .option('--sbom <file>', 'take the product from this SBOM');
}

/**
 * The statement that flags make, dated `at`.
 * @throws CliError `cli.usage`, as readSbom
 */
export async function statementOf(flags: StatementFlags, at: string): Promise<VexStatement> {
  const { status, justification, impact, action, reason, notes } = flags;
  assertFits('--justification', justification, status, 'not_affected');
  assertFits('--impact', impact, status, 'not_affected');
  assertFits('--action', action, status, 'affected');
  assertFits('--reason', reason, status, 'under_investigation');
  const said = [reason, notes].filter((text) => text !== undefined).join('\n');
  return {
    vulnerability: vulnerabilityOf(flags),
    timestamp: at,
    products: await productsOf(flags),
    status,
    ...(said === '' ? {} : { status_notes: said }),
    ...(justification === undefined ? {} : { justification }),
    ...(impact === undefined ? {} : { impact_statement: impact }),
    ...(action === undefined ? {} : { action_statement: action }),
  };
}

function assertFits(flag: string, value: string | undefined, status: VexStatus, fitting: VexStatus): void {
  if (value === undefined || status === fitting) return;
  throw new CliError('cli.usage', `${flag} belongs to ${fitting}`, {
    expected: `--status ${fitting}, or --notes for other remarks`,
    found: `--status ${status}`,
  });
}

/**
 * The vulnerability under its names, each spelt as findings spell it.
 * @throws CliError `cli.usage` for a CVE with a typing error: it would match nothing, and nobody would hear of it
 */
export function vulnerabilityOf({ vulnerability, alias = [] }: Pick<StatementFlags, 'vulnerability' | 'alias'>) {
  const [name, ...aliases] = [vulnerability, ...alias].map((one) => {
    const id = normaliseVulnerabilityId(one);
    if (!isMalformedCve(id)) return id;
    throw new CliError('cli.usage', 'this is no CVE id', { expected: 'e.g. CVE-2021-44228', found: one });
  });
  return { name: name as string, ...(aliases.length === 0 ? {} : { aliases }) };
}

/**
 * The products that the flags name, each with the components inside it.
 * @throws CliError `cli.usage` where one is no package URL nor any other IRI
 */
export async function productsOf(flags: Pick<StatementFlags, 'product' | 'subcomponent' | 'sbom'>) {
  const { product = [], subcomponent = [], sbom } = flags;
  const ofSbom = sbom === undefined ? [] : [await productOfSbom(sbom)];
  const named = [...product, ...ofSbom];
  const subjects = await Promise.all(named.map(subjectOf));
  const subcomponents = await Promise.all(subcomponent.map(subjectOf));
  return subjects.map((one) => (subcomponents.length === 0 ? one : { ...one, subcomponents }));
}

/** What stands in both of OpenVEX's places: some readers look in one of them alone. */
function subjectOf(text: string) {
  if (matchablePurl(text) !== undefined) return { id: text, purl: text };
  if (/^(?!pkg:)[a-z][a-z0-9+.-]*:\S+$/i.test(text)) return { id: text };
  throw new CliError('cli.usage', `${text} is neither a package URL nor another IRI`, {
    expected: 'e.g. pkg:oci/app@sha256:… or pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
  });
}

/**
 * The package URL of the artifact that an SBOM documents, or what it is called without one.
 * @throws CliError `cli.usage` where it documents nothing that has a name, as readSbom
 */
export async function productOfSbom(file: string): Promise<string> {
  const { metadata } = await readSbom(file);
  const identifier = productIdentifier(metadata?.component ?? {});
  if (identifier !== undefined) return identifier;
  throw new CliError('cli.usage', 'the SBOM does not say what it documents', {
    checked: `${file} /metadata/component`,
    expected: '--product PURL',
    next: `colophon sbom patch ${shellWord(file)} --set /metadata/component/purl=PURL --out FILE`,
  });
}

const MOST_RECORD_BYTES = 16 * 1024 * 1024;

/**
 * The proof in a closed remediation record: that a re-scan no longer lists the vulnerability was shown when it was closed.
 * @throws CliError `cli.proof_invalid` (exit 20) where the record shows something else
 */
export async function readFixProof(file: string, statement: VexStatement): Promise<FixProof> {
  const bytes = await readBounded(file, MOST_RECORD_BYTES);
  const parsed = parseStrictJson(bytes, { maxBytes: MOST_RECORD_BYTES, maxDepth: 64 });
  const read = parsed.ok ? parseRemediationRecord(parsed.value) : parsed;
  const fail = (expected: string, found: string) =>
    new CliError('cli.proof_invalid', 'the record does not show that it is fixed', {
      checked: file,
      expected,
      found,
      next: 'colophon remediation close, with the SBOM and the scan made after the patch',
    });
  if (!read.ok) {
    throw new CliError('cli.proof_invalid', `${file} is no remediation record`, {
      checked: file,
      issues: read.issues,
    });
  }
  const record = read.value;
  if (record.state !== 'closed' || record.vex_status !== 'fixed' || record.resolution?.kind !== 'rescan') {
    throw fail('a record that was closed as fixed by a re-scan', `${record.state}, ${record.vex_status}`);
  }
  const names = vulnerabilityKeys(statement.vulnerability);
  const known = vulnerabilityKeys({ name: record.cve, aliases: record.aliases });
  if (!names.some((name) => known.includes(name))) throw fail(statement.vulnerability.name, record.cve);
  assertSamePackages(record, statement, fail);
  return { isProven: true, evidence: record.evidence.map(({ digest }) => digest) };
}

/** What is said to be fixed has to be what the record is about, in any version. */
function assertSamePackages(
  record: RemediationRecord,
  { products }: VexStatement,
  fail: (expected: string, found: string) => CliError,
): void {
  const subject = record.purl === null ? undefined : matchablePurl(record.purl);
  const named = products.flatMap(({ subcomponents, ...product }) => subcomponents ?? [product]);
  for (const { id = '' } of named) {
    if (subject !== undefined && matchablePurl(id)?.base === subject.base) continue;
    throw fail(`a record of ${id}`, record.purl ?? record.component);
  }
}
