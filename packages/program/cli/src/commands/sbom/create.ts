import { randomUUID } from 'node:crypto';
import { type MadeDocument, makeDocument, parseTarget } from '@colophon/generators';
import {
  type Bom,
  type Completion,
  type CompletionNote,
  completeBom,
  convertBom,
  formatBom,
  type Organization,
  walkComponents,
} from '@colophon/sbom';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { buildTime, contentUuid, isReproducible } from '../../build-time/build-time.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { VERSION } from '../../program/version.ts';
import { showUntilDone } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { bomValidator, targetVersion } from '../../sbom-file/official-schemas.ts';
import { assertWritableOut, isOnStdout, outOption, writeSbom } from '../../sbom-file/sbom-output.ts';
import { withoutSecrets } from '../../secrets/secrets.ts';
import { counted, oneLine } from '../../terminal/terminal.ts';
import type { SbomCreateResult } from './document-results.ts';

// As in @colophon/generators, which is loaded when the command runs.
const GENERATORS = ['cyclonedx-npm', 'syft', 'trivy', 'cdxgen', 'lockfile'];
/** That carry everything that the contract asks for (§2.5). */
const WRITTEN_VERSIONS = ['1.7', '1.6'] as const;
const PHASES = ['design', 'pre-build', 'build', 'post-build', 'operations', 'discovery', 'decommission'];
const TYPES = [
  'application',
  'framework',
  'library',
  'container',
  'platform',
  'operating-system',
  'device',
  'firmware',
];
const NIL_SERIAL = 'urn:uuid:00000000-0000-0000-0000-000000000000';
const LONGEST_TIMEOUT_SECONDS = 24 * 3600;

type CreateFlags = {
  readonly generator?: string;
  readonly specVersion: (typeof WRITTEN_VERSIONS)[number];
  readonly out?: string;
  readonly omit?: 'dev';
  readonly lifecycle?: string;
  readonly componentName?: string;
  readonly componentVersion?: string;
  readonly componentType?: string;
  readonly supplierName?: string;
  readonly supplierUrl?: string[];
  readonly timeout?: number;
  readonly output: OutputFormat;
};

/** `colophon sbom create`: the document of a project or an image, complete by contract §2.5. */
export function defineCreate(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon sbom create . --supplier-name ACME \\',
      '  --supplier-url https://acme.example --out app.cdx.json',
    ),
  );
  command
    .addOption(
      new Option('--generator <name>', 'what makes it (default: the first installed one that fits)').choices(
        GENERATORS,
      ),
    )
    .addOption(
      new Option('--spec-version <version>', 'of CycloneDX')
        .choices([...WRITTEN_VERSIONS])
        .default(WRITTEN_VERSIONS[0]),
    )
    .addOption(outOption())
    .addOption(new Option('--omit <kind>', 'leave out packages for development alone').choices(['dev']))
    .addOption(new Option('--lifecycle <phase>', 'when it is made (default: build)').choices(PHASES))
    .option('--component-name <name>', 'of the artifact (default: what the project or image is called)')
    .option('--component-version <version>', 'of the artifact (default: what the project says)')
    .addOption(new Option('--component-type <type>', 'of the artifact').choices(TYPES))
    .option('--supplier-name <name>', 'name of the supplier of the artifact')
    .option('--supplier-url <url>', 'of the supplier; may be given several times', everyValue)
    .option('--timeout <seconds>', 'how long the generator may take (default: 600)', parseSeconds)
    .addOption(outputOption())
    .action((target: string | undefined, flags: CreateFlags) => create(target ?? '.', flags, session));
}

async function create(name: string, flags: CreateFlags, session: Session): Promise<void> {
  const { terminal, env } = session;
  const timestamp = buildTime(env);
  assertWritableOut(flags.out);
  const target = parseTarget(name);
  // From here on there is a program to be ended first.
  session.holdInterrupts();
  const done = showUntilDone(session.terminal, `making the SBOM of ${name} …`);
  const made = await makeDocument(target, {
    specVersion: flags.specVersion,
    env,
    signal: session.signal,
    ...(flags.generator !== undefined && { generator: flags.generator }),
    ...(flags.omit !== undefined && { omitsDev: true }),
    ...(flags.timeout !== undefined && { timeoutSeconds: flags.timeout }),
    ...(flags.componentName !== undefined && { name: flags.componentName }),
    ...(flags.componentVersion !== undefined && { version: flags.componentVersion }),
  }).finally(done);

  const { bom: generated, notes: versionNotes } = inVersion(made, flags.specVersion);
  const { bom, notes } = completed(generated, made, flags, { timestamp, isReproducible: isReproducible(env) });
  assertValid(bom, made);
  if (session.signal.aborted) return;
  writeSbom(terminal, flags.out, bom);

  const record = resultOf(name, { bom, made, out: flags.out }, notes.map(withAdvice), [
    ...made.notes,
    ...versionNotes,
    ...(bom.components?.length === 0 ? ['no component was found'] : []),
  ]);
  if (isOnStdout(flags.out)) terminal.stderr.write(describe(record));
  else printResult(terminal, flags.output, record, describe);
}

function completed(
  bom: Bom,
  made: MadeDocument,
  flags: CreateFlags,
  { timestamp, isReproducible }: { readonly timestamp: string; readonly isReproducible: boolean },
) {
  const completion: Omit<Completion, 'serialNumber'> = {
    timestamp,
    ...(flags.lifecycle !== undefined && { lifecycle: flags.lifecycle }),
    tools: [made.tool, { name: 'colophon', version: VERSION }],
    component: artifact(made, flags),
  };
  if (!isReproducible) return completeBom(bom, { ...completion, serialNumber: `urn:uuid:${randomUUID()}` });
  const nameless = completeBom(bom, { ...completion, serialNumber: NIL_SERIAL });
  const serialNumber = `urn:uuid:${contentUuid(formatBom(nameless.bom))}`;
  return { ...nameless, bom: { ...nameless.bom, serialNumber } };
}

/** What the command line says, else what the project says where the generator does not look there. */
function artifact({ root }: MadeDocument, flags: CreateFlags): NonNullable<Completion['component']> {
  const { componentName: fullName, componentVersion, componentType, supplierName, supplierUrl } = flags;
  const [, group, name] = /^(@[^/]+)\/(.+)$/.exec(fullName ?? '') ?? [undefined, undefined, fullName];
  const supplier: Organization = {
    ...(supplierName !== undefined && { name: supplierName }),
    ...(supplierUrl !== undefined && { url: supplierUrl }),
  };
  // A purl says name and version: it is the project's only as long as both are.
  const { purl, ...named } = root ?? ({} as Partial<NonNullable<typeof root>>);
  const isOwn = fullName === undefined && (componentVersion === undefined || componentVersion === root?.version);
  return {
    ...named,
    ...(purl && isOwn && { purl }),
    ...(name !== undefined && { name, ...(group !== undefined && { group }) }),
    ...(componentVersion !== undefined && { version: componentVersion }),
    ...(componentType !== undefined && { type: componentType }),
    ...(Object.keys(supplier).length > 0 && { supplier }),
  };
}

/** A generator that does not write the wanted version writes an older one, or its own. */
function inVersion({ bom, tool }: MadeDocument, specVersion: CreateFlags['specVersion']) {
  if (bom.specVersion === specVersion) return { bom, notes: [] };
  const version = targetVersion(specVersion);
  const converted = convertBom(bom, { profile: 'standard', version });
  const notes = [
    `${tool.name} wrote CycloneDX ${bom.specVersion}`,
    ...converted.notes,
    ...converted.losses.map(({ path, what, why }) => `lost: ${what} at ${path || '(document)'}: ${why}`),
  ];
  return { bom: converted.bom, notes };
}

function assertValid(bom: Bom, { tool }: MadeDocument): void {
  const { issues, valid } = bomValidator().validateBom(bom, { profile: 'standard' });
  if (valid) return;
  throw new CliError('cli.sbom_invalid', `what ${tool.name} wrote is no valid SBOM, and was not written`, {
    checked: `${tool.name}${tool.version === undefined ? '' : ` ${tool.version}`}`,
    issues: issues.filter(({ severity }) => severity === 'error'),
    next: 'colophon sbom create --generator with another generator, or lockfile',
    kind: 'machine',
  });
}

function withAdvice({ code, message }: CompletionNote): CompletionNote {
  if (code === 'completion.no_supplier')
    return { code, message: `${message}; pass --supplier-name and --supplier-url` };
  if (code === 'completion.no_version') return { code, message: `${message}; pass --component-version` };
  return { code, message };
}

function resultOf(
  target: string,
  { bom, made, out }: { readonly bom: Bom; readonly made: MadeDocument; readonly out: string | undefined },
  completions: SbomCreateResult['completions'],
  notes: SbomCreateResult['notes'],
): SbomCreateResult {
  const { name = '', version } = bom.metadata?.component ?? {};
  const { tool, lockfile } = made;
  return {
    ok: true,
    target,
    ...(out !== undefined && { out }),
    generator: {
      name: tool.name,
      ...(tool.version !== undefined && { version: tool.version }),
      ...(lockfile !== undefined && { lockfile }),
    },
    spec_version: bom.specVersion,
    serial_number: bom.serialNumber as string,
    generated_at: bom.metadata?.timestamp as string,
    component: { name, ...(version !== undefined && { version }) },
    component_count: countComponents(bom),
    completions,
    notes,
  };
}

/** Nested ones too; the artifact is none of them. */
function countComponents(bom: Bom): number {
  const all = [...walkComponents(bom)];
  return bom.metadata?.component === undefined ? all.length : all.length - 1;
}

function describe(result: SbomCreateResult): string {
  const { target, out, generator, spec_version, component, component_count, completions, notes } = result;
  const by = `${generator.name} ${generator.version ?? '(version not stated)'}`;
  const from = generator.lockfile === undefined ? '' : `, from ${generator.lockfile}`;
  const artifactName = `${component.name}${component.version === undefined ? '' : `@${component.version}`}`;
  const lines = [
    `${out ?? target}: CycloneDX ${spec_version} of ${artifactName}, ${counted(component_count, 'component')}, by ${by}${from}`,
    ...[...completions.map(({ message }) => message), ...notes].map((note) => `note: ${note}`),
  ];
  return lines.map((line) => `${oneLine(withoutSecrets(line))}\n`).join('');
}

function parseSeconds(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= LONGEST_TIMEOUT_SECONDS) return seconds;
  throw new InvalidArgumentError(`expected seconds, 1 to ${LONGEST_TIMEOUT_SECONDS}`);
}
