import {
  ATTRIBUTED_VERSIONS,
  type AttributedVersion,
  type Bom,
  type Conversion,
  compileOfficialSchema,
  type Loss,
  VARIANTS,
  type Variant,
  WRITTEN_PROFILES,
  type WrittenProfile,
} from '@colophon/sbom';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { coloursFor, counted, oneLine, type Terminal } from '../terminal/terminal.ts';
import { readOfficialSchema } from './official-schemas.ts';

/** How a document that carries attribution is written. */
export type ConversionFlags = {
  readonly profile: WrittenProfile;
  readonly variant?: Variant;
  readonly namespace?: string;
  readonly specVersion?: AttributedVersion;
};

/** The flags of every command that writes attribution. */
export function withConversion(command: Command): Command {
  return command
    .addOption(
      new Option('--profile <profile>', 'standard: every reader accepts it; spec: x-ai-generated and ast-similarity')
        .choices(WRITTEN_PROFILES)
        .default('standard'),
    )
    .addOption(new Option('--variant <variant>', 'of attribution: A, B (vendor properties), or both').choices(VARIANTS))
    .option(
      '--namespace <name>',
      'namespace of the properties of attribution variant B (default: vendor)',
      parseNamespace,
    )
    .addOption(
      new Option(
        '--spec-version <version>',
        'of CycloneDX (default: as it is; 1.7 for what is older than 1.6)',
      ).choices(ATTRIBUTED_VERSIONS),
    );
}

/** A name before the colon of a property. */
export function parseNamespace(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*(?::[A-Za-z0-9][A-Za-z0-9._-]*)*$/.test(text) && text !== 'colophon:ai') return text;
  throw new InvalidArgumentError('A namespace is letters, digits and . _ - with : between, e.g. acme or acme:vendor.');
}

/** The version that a document is to have and its schema, or undefined where it has it. */
export function versionChange(bom: Bom, flags: ConversionFlags): Conversion['version'] {
  const specVersion = flags.specVersion ?? (bom.specVersion < '1.6' ? '1.7' : undefined);
  if (specVersion === undefined || specVersion === bom.specVersion) return undefined;
  return { specVersion, schema: compileOfficialSchema(readOfficialSchema, specVersion) };
}

const MOST_SHOWN = 50;

/** Says to people what a document no longer says, and what it says elsewhere. */
export function tellChanges(terminal: Terminal, losses: readonly Loss[], notes: readonly string[]): void {
  const { yellow, dim } = coloursFor(terminal);
  const lines = [
    ...notes.slice(0, MOST_SHOWN).map((note) => `${dim('note')} ${oneLine(note)}`),
    ...losses
      .slice(0, MOST_SHOWN)
      .map(
        ({ path, what, why }) =>
          `${yellow('lost')} ${oneLine(path || '(document)')}: ${oneLine(what)} (${oneLine(why)})`,
      ),
  ];
  if (losses.length > MOST_SHOWN) lines.push(`… and ${counted(losses.length - MOST_SHOWN, 'more loss')}`);
  if (notes.length > MOST_SHOWN) lines.push(`… and ${counted(notes.length - MOST_SHOWN, 'more note')}`);
  if (lines.length > 0) terminal.stderr.write(`${lines.join('\n')}\n`);
}
