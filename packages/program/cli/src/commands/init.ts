import { join, resolve } from 'node:path';
import { type GivenKeys, gatherKeys, setupFiles } from '@colophon/setup';
import { type Command, InvalidArgumentError } from 'commander';
import { readInput } from '../input/input.ts';
import { writeAll } from '../output-folder/output-folder.ts';
import { example } from '../program/example.ts';
import { outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { parseServiceUrl } from '../service-url/service-url.ts';
import { formatTable, oneLine, shellWord } from '../terminal/terminal.ts';
import type { InitResult } from './init-result.ts';

type InitFlags = {
  readonly issuer: string;
  readonly fulcioUrl: string;
  readonly rekorUrl: string;
  readonly timestampServerUrl?: string;
  readonly ctLogUrl?: string;
  readonly fulcioChain?: string;
  readonly rekorKey?: string;
  readonly timestampChain?: string;
  readonly ctLogKey?: string;
  readonly registry?: string;
  readonly name: string;
  readonly out: string;
  readonly replace?: boolean;
  readonly output: OutputFormat;
};

/** `colophon init`: from the addresses of a company's services, what they and their clients are configured with. */
export function defineInit(command: Command, session: Session): void {
  command
    .addHelpText(
      'after',
      example(
        'colophon init --out company --issuer https://agents.example.com \\',
        '  --fulcio-url https://ca.example.com --rekor-url https://log.example.com',
      ),
    )
    .requiredOption('--issuer <url>', 'iss of the tokens, byte for byte', parseServiceUrl)
    .requiredOption('--fulcio-url <url>', 'certificate authority', parseServiceUrl)
    .requiredOption('--rekor-url <url>', 'transparency log, Rekor v1 or v2: which, it is asked', parseServiceUrl)
    .option('--timestamp-server-url <url>', 'RFC 3161 timestamp authority: where queries are sent', parseServiceUrl)
    .option('--ct-log-url <url>', 'CT log of the authority; it has none where this is absent', parseServiceUrl)
    .option('--fulcio-chain <file>', 'PEM chain of the authority (default: as Fulcio gives it)')
    .option('--rekor-key <file>', 'PEM key of the log (default: as Rekor v1 gives it; v2 gives none)')
    .option('--timestamp-chain <file>', 'PEM chain of the timestamp authority (default: as timestamp-server gives it)')
    .option('--ct-log-key <file>', 'PEM key of the CT log')
    .option('--registry <name>', 'images that the policy is about, e.g. registry.example.com/team (default: all)')
    .option('--name <name>', 'what results call this trusted root', parseName, 'company')
    .option('--out <folder>', 'where the files are written', '.')
    .option('--replace', 'replace files that say something else')
    .addOption(outputOption())
    .action(async (flags: InitFlags) => {
      const folder = resolve(flags.out);
      const addresses = {
        issuerUrl: flags.issuer,
        fulcioUrl: flags.fulcioUrl,
        rekorUrl: flags.rekorUrl,
        timestampUrl: flags.timestampServerUrl,
        ctUrl: flags.ctLogUrl,
      };
      const keys = await gatherKeys(addresses, await givenKeys(flags));
      const files = setupFiles(addresses, keys, { folder, registry: flags.registry, name: flags.name });
      writeAll(folder, files, flags.replace ?? false);
      const result = {
        ok: true,
        folder,
        files: files.map(({ name, what }) => ({ name, what })),
        fetched: [...keys.fetched],
      } satisfies InitResult;
      printResult(session.terminal, flags.output, result, describe);
    });
}

function parseName(text: string): string {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(text)) {
    throw new InvalidArgumentError('It is 1 to 64 of a-z 0-9 . _ -, the first a letter or digit.');
  }
  return text;
}

async function givenKeys(flags: InitFlags): Promise<GivenKeys> {
  const read = async (file: string | undefined) =>
    file === undefined ? undefined : Buffer.from(await readInput(file)).toString('latin1');
  return {
    fulcioChain: await read(flags.fulcioChain),
    rekorKey: await read(flags.rekorKey),
    timestampChain: await read(flags.timestampChain),
    ctKey: await read(flags.ctLogKey),
  };
}

function describe({ folder, files, fetched }: InitResult): string {
  const written = formatTable(files.map(({ name, what }) => [join(folder, name), what]));
  const compare =
    fetched.length === 0
      ? ''
      : `\nCompare with whoever runs these services, who alone can vouch for them:\n${formatTable(
          fetched.map(({ what, from, sha256 }) => [what, `sha256:${sha256}`, oneLine(from)]),
        )}`;
  const next = `\nNext: give fulcio.yaml to Fulcio, and then\n  colophon doctor --config ${shellWord(join(folder, 'colophon.yaml'))}\n`;
  return `${written}${compare}${next}`;
}
