import { randomUUID } from 'node:crypto';
import { parseStrictJson } from '@colophon/json';
import {
  type Bom,
  type ComponentChange,
  type Edit,
  MAX_BOM_BYTES,
  type Patched,
  parsePatch,
  patchBom,
} from '@colophon/sbom';
import { type Command, Option } from 'commander';
import { buildTime, contentUuid, isReproducible } from '../../build-time/build-time.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { readBounded } from '../../input/bounded-input.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { VERSION } from '../../program/version.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { bomValidator } from '../../sbom-file/official-schemas.ts';
import { assertWritableOut, isOnStdout, outOption, writeSbom } from '../../sbom-file/sbom-output.ts';
import { oneLine, shellWord } from '../../terminal/terminal.ts';
import type { SbomPatchResult } from './document-results.ts';

/** Bytes; more operations than anybody writes. */
const MAX_PATCH_BYTES = 16 * 1024 * 1024;
const SCOPES = ['required', 'optional', 'excluded'];

type PatchFlags = {
  readonly patch?: string;
  readonly set?: string[];
  readonly remove?: string[];
  readonly component?: string[];
  readonly license?: string;
  readonly supplierName?: string;
  readonly supplierUrl?: string[];
  readonly scope?: string;
  readonly property?: string[];
  readonly out?: string;
  readonly output: OutputFormat;
};

/** `colophon sbom patch`: changes a document and counts its version (contract §2.5). Exit 20: the result is not valid. */
export function definePatch(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon sbom patch app.cdx.json \\',
      '  --set /metadata/component/version=1.0.1 --out patched.cdx.json',
      'colophon sbom patch app.cdx.json --component pkg:npm/left-pad@1.3.0 \\',
      '  --license WTFPL --out licensed.cdx.json',
    ),
  );
  withNeeds(command, { what: 'what to change', oneOf: ['--set', '--remove', '--patch', '--component'] })
    .option('--patch <file>', 'JSON Patch (RFC 6902) to apply first')
    .option('--set <pointer=value>', 'then set a value, JSON or text: /metadata/supplier/name=ACME', everyValue)
    .option('--remove <pointer>', 'then remove what is there: /components/3/licenses', everyValue)
    .option('--component <ref>', 'then change these components, by bom-ref or purl', everyValue)
    .option('--license <licence>', 'of the components: SPDX id, SPDX expression, or a name')
    .option('--supplier-name <name>', 'name of the supplier of the components')
    .option('--supplier-url <url>', 'of the components; may be given several times', everyValue)
    .addOption(new Option('--scope <scope>', 'of the components').choices(SCOPES))
    .option('--property <name=value>', 'of the components: set, or added', everyValue)
    .addOption(outOption())
    .addOption(outputOption())
    .action((file: string, flags: PatchFlags) => patch(file, flags, session));
}

async function patch(file: string, flags: PatchFlags, session: Session): Promise<void> {
  const { terminal, env } = session;
  const timestamp = buildTime(env);
  const edits = [...(await patchFile(flags.patch)), ...setEdits(flags.set), ...removeEdits(flags.remove)];
  const components = componentChanges(flags);
  if (edits.length + components.length === 0) {
    throw new CliError('cli.usage', 'nothing says what to change', {
      expected: '--set, --remove, --patch, or --component with what is new about it',
    });
  }
  assertWritableOut(flags.out);
  const { bom, text } = await readDocument(file);
  const patched = patchBom(
    bom,
    { edits, components },
    { serialNumber: newSerial(env, text), timestamp, tool: { name: 'colophon', version: VERSION } },
  );
  if (!patched.ok) {
    const isUnknown = patched.issues.every(({ code }) => code === 'patch.component_unknown');
    throw new CliError('cli.patch_refused', `${file} was not changed`, {
      checked: file,
      issues: patched.issues,
      kind: isUnknown ? 'not-found' : 'refused',
    });
  }
  const { value } = patched;
  if (value.isChanged) assertValid(file, value.bom, flags.set);
  // What did not change is not written anew, not even with other blanks.
  if (value.isChanged || flags.out !== file) {
    writeSbom(terminal, flags.out, value.isChanged ? value.bom : text);
  }
  const record = resultOf(file, bom, value, flags.out);
  if (isOnStdout(flags.out)) terminal.stderr.write(describe(record));
  else printResult(terminal, flags.output, record, describe);
}

/** Also one that is not valid: a patch may be what makes it so. */
async function readDocument(file: string): Promise<{ bom: Bom; text: string }> {
  const bytes = await readBounded(file, MAX_BOM_BYTES);
  const { document, issues } = bomValidator().validateBytes(bytes, { profile: 'spec' });
  const errors = issues.filter(({ severity }) => severity === 'error');
  // What cannot be kept exactly would be written back as another number.
  const inexact = issues.filter(({ code }) => code === 'json.number_range');
  if (document !== undefined && inexact.length === 0) return { bom: document, text: Buffer.from(bytes).toString() };
  throw new CliError('cli.sbom_invalid', `${file} is no CycloneDX document that can be changed`, {
    checked: file,
    issues: [...errors, ...inexact],
    next: `colophon sbom validate --profile spec ${shellWord(file)}`,
  });
}

function assertValid(file: string, bom: Bom, sets: readonly string[] = []): void {
  const { issues, valid } = bomValidator().validateBom(bom, { profile: 'spec' });
  if (valid) return;
  const errors = issues.filter(({ severity }) => severity === 'error');
  // `=2` is a number, and a version is a text.
  const isText = errors.some(
    ({ code, path, expected }) =>
      code === 'sbom.schema_type' && expected === 'string' && sets.some((text) => text.startsWith(`${path}=`)),
  );
  throw new CliError('cli.sbom_invalid', `${file} would not be valid with these changes`, {
    checked: file,
    issues: errors,
    ...(isText && { expected: `quotes around what is text and looks like JSON: --set '/pointer="1.10"'` }),
  });
}

async function patchFile(file: string | undefined): Promise<readonly Edit[]> {
  if (file === undefined) return [];
  const json = parseStrictJson(await readBounded(file, MAX_PATCH_BYTES), { maxBytes: MAX_PATCH_BYTES, maxDepth: 100 });
  const parsed = json.ok ? parsePatch(json.value) : json;
  if (parsed.ok) return parsed.value;
  throw new CliError('cli.patch_refused', `${file} is no JSON Patch`, {
    checked: file,
    expected: 'RFC 6902: [{"op": "replace", "path": "/metadata/component/version", "value": "1.1.0"}]',
    issues: parsed.issues,
    kind: 'usage',
  });
}

function setEdits(values: readonly string[] = []): Edit[] {
  return values.map((text) => {
    const [path, value] = pairOf('--set', text, '/metadata/component/version=1.1.0');
    return { op: 'set', path, value: jsonOrText(value) };
  });
}

function removeEdits(paths: readonly string[] = []): Edit[] {
  // From the end, so that what is removed does not move what is still to be removed.
  return paths.map((path) => ({ op: 'remove', path }) as const).reverse();
}

function componentChanges({ component = [], license, supplierName, supplierUrl, scope, property }: PatchFlags) {
  const change: ComponentChange = {
    ...(license !== undefined && { license }),
    ...(supplierName !== undefined && { supplierName }),
    ...(supplierUrl !== undefined && { supplierUrl }),
    ...(scope !== undefined && { scope }),
    ...(property !== undefined && {
      properties: property.map((text) => {
        const [name, value] = pairOf('--property', text, 'acme:reviewed=yes');
        return { name, value };
      }),
    }),
  };
  const hasChange = Object.keys(change).length > 0;
  if (hasChange === component.length > 0) return component.map((ref) => ({ component: ref, change }));
  throw new CliError('cli.usage', 'a component and what is new about it belong together', {
    expected: '--component REF with --license, --supplier-name, --supplier-url, --scope or --property',
  });
}

/** Name and value at the first `=`; what is behind it may hold more. */
function pairOf(flag: string, text: string, example: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new CliError('cli.usage', `${flag} ${text}: there is no name and value`, {
    expected: `${flag} ${example}`,
  });
}

/** `true`, `3`, `["a"]` are JSON; everything else is the text that it is. A version is text: `"1.10"` in quotes. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function newSerial(env: NodeJS.ProcessEnv, text: string): string {
  return `urn:uuid:${isReproducible(env) ? contentUuid(text) : randomUUID()}`;
}

function resultOf(file: string, before: Bom, patched: Patched, out: string | undefined): SbomPatchResult {
  const { bom, isChanged, serialNumberAdded, signatureDropped, components } = patched;
  const notes = [
    ...(isChanged ? [] : ['nothing changed']),
    ...(serialNumberAdded ? ['the document had no serial number and has one now'] : []),
    ...(signatureDropped ? ['the signature inside the document was over the old content and was left out'] : []),
  ];
  return {
    ok: true,
    file,
    ...(out !== undefined && { out }),
    changed: isChanged,
    ...(bom.serialNumber !== undefined && { serial_number: bom.serialNumber }),
    previous_version: before.version ?? 1,
    version: bom.version ?? 1,
    changed_component_count: components,
    notes,
  };
}

function describe({ file, out, changed, previous_version, version, notes }: SbomPatchResult): string {
  const what = changed ? `version ${previous_version} became ${version}` : `version stays ${previous_version}`;
  return [`${out ?? file}: ${what}`, ...notes.map((note) => `note: ${note}`)]
    .map((line) => `${oneLine(line)}\n`)
    .join('');
}
