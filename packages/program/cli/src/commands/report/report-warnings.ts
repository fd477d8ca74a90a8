import type { SignedStatement } from '@colophon/remediation';
import { exploitationDisputes, type ReportDifference } from '@colophon/remediation-rules';
import { counted, shellWord } from '../../terminal/terminal.ts';
import type { MadeReport } from './report-words.ts';

/** What a reader of the report has to know, and its fields cannot say; and what its author wants to know before signing. */
export function notesOf(made: MadeReport): string[] {
  const { details, evidence, result } = made;
  const { report, vex_documents: statements, signatures, out } = result;
  const { figures } = details;
  const nameOf = (digest: string) => evidence.find((file) => file.digest === digest)?.name ?? digest;
  const listed = (some: readonly SignedStatement[]) => some.map(({ digest }) => nameOf(digest)).join(', ');
  const unsigned = statements.filter(({ state }) => state === 'unsigned');
  const unchecked = statements.filter(({ state, code }) => state === 'unchecked' && code === undefined);
  const another = statements.filter(({ state, code }) => state === 'unchecked' && code !== undefined);
  const has = (kind: string) => evidence.some(({ kinds }) => (kinds as readonly string[]).includes(kind));
  return [
    ...(signatures.length === 0
      ? [`this report is not signed: --reviewer EMAIL or --key FILE, with --out ${shellWord(out)} --force`]
      : []),
    ...(unsigned.length === 0 ? [] : [`no stored signature: ${listed(unsigned)}`]),
    ...(unchecked.length === 0
      ? []
      : [
          `signed, and not verified: ${listed(unchecked)}. Say whose signature counts: --openpgp-public-key FILE, or --certificate-identity and --certificate-oidc-issuer`,
        ]),
    ...(another.length === 0 ? [] : [`signed by others than the flags name: ${listed(another)}`]),
    ...catalogWarnings(made),
    ...disputeWarnings(made),
    ...(has('sbom') ? [] : [`no record rests on an SBOM, so ${report.artifacts.sbom} lists none: --sbom FILE`]),
    ...(has('scan')
      ? []
      : [`no record rests on a scan, so ${report.artifacts.vulnerability_scan} lists none: --scan FILE`]),
    ...(figures.without_severity.length === 0
      ? []
      : [`low includes ${counted(figures.without_severity.length, 'CVE')} without a severity`]),
    ...(figures.unproven.length === 0
      ? []
      : [`${figures.unproven.length} were closed without proof, and count as pending`]),
    ...verificationWarnings(made),
  ];
}

function catalogWarnings({ hasCatalog, result }: MadeReport): string[] {
  if (!hasCatalog) {
    return ['no known-exploited catalog is kept, so nothing counts as known to be exploited: colophon kev update'];
  }
  const { catalog } = result.notes;
  if (catalog === null) return [];
  const { version, checked_days, released_days, stale, not_applied } = catalog;
  const ages = [
    ...(checked_days === null ? [] : [`checked ${counted(checked_days, 'day')} before`]),
    ...(released_days === null ? [] : [`released ${counted(released_days, 'day')} before`]),
  ];
  return [
    ...(stale
      ? [`the known-exploited catalog ${version} is stale (${ages.join(', ')} the last day): colophon kev update`]
      : []),
    ...(not_applied.length === 0
      ? []
      : [
          `${counted(not_applied.length, 'record')} ${not_applied.length === 1 ? 'differs' : 'differ'} from the known-exploited catalog ${version}: run colophon remediation escalate before closing`,
        ]),
  ];
}

/** What counts as not exploited, though a scanner says that it is. */
function disputeWarnings({ details }: MadeReport): string[] {
  const disputed = details.records.filter(
    (record) => record.state === 'open' && exploitationDisputes(record).length > 0,
  );
  if (disputed.length === 0) return [];
  const names = [...new Set(disputed.map(({ cve }) => cve))];
  const more = names.length > MOST_SHOWN ? `, and ${names.length - MOST_SHOWN} more` : '';
  const said = `${names.slice(0, MOST_SHOWN).join(', ')}${more}`;
  return [`a scanner alone calls exploited, so it does not count as such: ${said}: colophon kev update`];
}

const MOST_SHOWN = 5;

/** Everything for which `report verify` will not call it verified. */
function verificationWarnings({ result: { differences } }: MadeReport): string[] {
  const shown = differences.slice(0, MOST_SHOWN).map(differenceWords);
  const rest = differences.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more that report verify will find`] : [])];
}

const NEXT: Readonly<Partial<Record<ReportDifference['code'], string>>> = {
  'report.listing_without_record': 'colophon remediation open with this scan',
  'report.listing_contradicts': 'colophon remediation open with this scan',
};

function differenceWords({ code, path, found }: ReportDifference): string {
  const next = NEXT[code];
  return `report verify will refuse this: ${path}: ${found} [${code}]${next === undefined ? '' : `: ${next}`}`;
}
