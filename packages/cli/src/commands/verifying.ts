import {
  type CertificateIdentity,
  type FieldBasis,
  fieldBasis,
  formatBasis,
  type LogReference,
  type Statement,
  valueOfField,
} from '@colophon/records';
import type { Check } from '@colophon/sigstore';
import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { PREDICATE_PARSERS } from '../predicate/predicate.ts';
import { formatTable } from '../terminal/terminal.ts';

/** Everything that was checked of one signature, as `--output json` prints it. */
export type VerifiedRecord = {
  readonly ok: true;
  readonly artifact: string;
  readonly trusted_root: string;
  readonly identity?: CertificateIdentity;
  readonly log: Partial<LogReference>;
  readonly statement?: Statement;
  /** What each name and hash in certificate and statement rests on, by the field's name in the query language. */
  readonly basis: FieldBasis;
  readonly checks: readonly Check[];
};

/** A verified signature with what it was held against. A statement of a type that we define must be what it promises. */
export function verifiedRecord(found: {
  artifact: string;
  trustFile: string;
  identity?: CertificateIdentity;
  log: Partial<LogReference>;
  statement?: Statement | undefined;
  checks: readonly Check[];
}): VerifiedRecord {
  const { artifact, trustFile, identity, log, statement, checks } = found;
  const parsed = statement && PREDICATE_PARSERS[statement.predicateType]?.(statement.predicate);
  if (parsed !== undefined && !parsed.ok) {
    throw new CliError('cli.predicate_invalid', 'the predicate is not what its type promises', EXIT.doesNotMatch, {
      issues: parsed.issues,
    });
  }
  return {
    ok: true,
    artifact,
    trusted_root: trustFile,
    ...(identity === undefined ? {} : { identity }),
    log,
    ...(statement === undefined ? {} : { statement }),
    basis: fieldBasis(identity, statement),
    checks,
  };
}

/** For people: what is true now that it verified. */
export function describeVerified(record: VerifiedRecord): string {
  const { artifact, identity, log, statement, basis, checks, trusted_root } = record;
  const fields = Object.entries(basis).map(([field, one]) => ({
    field: field.replace(/^claims\./, ''),
    isClaim: field.startsWith('claims.'),
    text: `${valueOfField({ identity, statement }, field)}  (${formatBasis(one)})`,
  }));
  const rows = (isClaim: boolean) =>
    fields.filter((one) => one.isClaim === isClaim).map(({ field, text }) => [`  ${field}`, text]);
  return formatTable([
    ['verified', artifact],
    ...(identity === undefined
      ? [['signed by', 'the key']]
      : [
          ['signed by', identity.subject],
          ['issuer', identity.issuer],
        ]),
    ...rows(true),
    ...(statement === undefined ? [] : [['statement', statement.predicateType], ...rows(false)]),
    ['log', `index ${log.logIndex}${log.integratedAt === undefined ? '' : `, ${log.integratedAt}`}`],
    ['trust', trusted_root],
    ...checks.map(({ check, detail }) => [`  ✓ ${check}`, detail]),
  ]);
}
