import { placesOf } from '@colophon/json';
import {
  MAX_VEX_BYTES,
  VEX_PROFILES,
  type VexFamily,
  type VexProfile,
  type VexReport,
  validateVexDocument,
} from '@colophon/vex';
import { type Command, Option } from 'commander';
import { readBounded } from '../../input/bounded-input.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { bomValidator } from '../../sbom-file/official-schemas.ts';
import { counted } from '../../terminal/terminal.ts';
import { type CheckedFile, type ValidationFlags, validateFiles } from '../../validation-report/validate-files.ts';
import type { FileIssue } from '../../validation-report/validation-result.ts';

type ValidateFlags = ValidationFlags & { readonly shape?: VexProfile };

/** What a file is: its format, and how much it says. */
type VexFacts = { readonly shape?: VexFamily; readonly statement_count?: number };

const SHAPES: Readonly<Record<VexFamily, string>> = { openvex: 'OpenVEX', cyclonedx: 'CycloneDX', csaf: 'CSAF' };

/** `colophon vex validate`: validates documents against their standard, and statements against each other. */
export function defineValidate(command: Command, session: Session): void {
  command
    .addHelpText('after', example("colophon vex validate app.openvex.json 'vendors/*.json'"))
    .addOption(
      new Option(
        '--shape <shape>',
        "openvex: v0.2.0; spec: the contract's own shape; cyclonedx (default: by content)",
      ).choices(VEX_PROFILES),
    )
    .addOption(
      new Option('--fail-on <severity>', 'what makes a file invalid').choices(['error', 'warning']).default('error'),
    )
    .addOption(outputOption('sarif'))
    .action((paths: string[], flags: ValidateFlags) =>
      validateFiles(paths, flags, session, (file) => check(file, flags), describe),
    );
}

async function check(file: string, { shape }: ValidateFlags): Promise<CheckedFile<VexFacts>> {
  const bytes = await readBounded(file, MAX_VEX_BYTES);
  const report = validateVexDocument(bytes, { ...(shape && { profile: shape }), at: new Date().toISOString() });
  return {
    facts: {
      ...(report.shape && { shape: report.shape }),
      ...(report.document && { statement_count: report.document.statements.length }),
    },
    issues: readAsFirst(placed(bytes, withSchema(report, bytes))),
  };
}

/** Where the document has another shape, that is said first, and not what it lacks of this one. */
function readAsFirst(issues: readonly FileIssue[]): readonly FileIssue[] {
  const isOfAll = ({ code, path }: FileIssue) => Number(code === 'vex.read_as' && path === '');
  return issues.toSorted((a, b) => isOfAll(b) - isOfAll(a));
}

function describe({ shape, statement_count }: VexFacts): string {
  return [
    ...(shape === undefined ? [] : [SHAPES[shape]]),
    ...(statement_count === undefined ? [] : [counted(statement_count, 'statement')]),
  ].join(', ');
}

/** CycloneDX has an official schema, which counts too; what makes an SBOM complete does not. */
function withSchema({ shape, issues }: VexReport, bytes: Uint8Array): readonly FileIssue[] {
  if (shape !== 'cyclonedx') return issues;
  const schema = bomValidator().validateBytes(bytes, { profile: 'spec' }).issues;
  return [...schema.filter(({ severity }) => severity === 'error'), ...issues];
}

function placed(bytes: Uint8Array, issues: readonly FileIssue[]): readonly FileIssue[] {
  const unplaced = issues.filter(({ line }) => line === undefined);
  if (unplaced.length === 0 || issues.some(({ code }) => code === 'json.too_large' || code === 'json.not_utf8'))
    return issues;
  const toTheEnd = issues.some(({ code }) => code.startsWith('json.'));
  const paths = new Set(unplaced.map(({ path }) => path));
  const { places, brokenAt } = placesOf(Buffer.from(bytes).toString(), paths, { toTheEnd });
  return issues.map((issue) => {
    const place = issue.code === 'json.syntax' ? brokenAt : places.get(issue.path);
    return issue.line === undefined ? { ...issue, ...place } : issue;
  });
}
