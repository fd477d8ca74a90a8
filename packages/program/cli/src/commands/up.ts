import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dataPaths } from '@colophon/server/data-folder';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { clientConfiguration, withConfiguration } from '../configuration/client-configuration.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { dataFolder, pinsFolder, reviewerSecretFile } from '../home/home.ts';
import { givenNamespace, placeholderWarning } from '../home/namespace.ts';
import { upLine } from '../home/up-line.ts';
import { readInput } from '../input/input.ts';
import { untilAborted } from '../interrupts/until-aborted.ts';
import { example } from '../program/example.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { everyValue } from '../program/repeated-flag.ts';
import { type LogLevel, logLevelOption } from '../program/serve-until-interrupted.ts';
import { startSchedule } from '../schedule/running-schedule.ts';
import { assertScheduleFits, type ScheduleFlags, withSchedule } from '../schedule/schedule-flags.ts';
import { scheduledWork } from '../schedule/scheduled-jobs.ts';
import { coloursFor, oneLine, shellWord } from '../terminal/terminal.ts';

type UpFlags = ScheduleFlags & {
  config?: string;
  port?: number;
  tokenAlgorithm?: 'RS256' | 'ES256';
  singleUseTokens?: boolean;
  ctRoot?: string[];
  logLevel: LogLevel;
};

/** `colophon up`: issuer, authority, logs, evidence store and registry, on loopback, until Ctrl-C. */
export function defineUp(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon up',
      'colophon up --port 7443 --data ./colophon-data',
      'colophon up --kev known_exploited_vulnerabilities.json --every 12h',
    ),
  );
  command
    .option('--port <port>', 'port on localhost (default: the one of the data folder, else 7080)', parsePort)
    .addOption(
      new Option('--token-algorithm <alg>', 'how tokens are signed; one for the life of a data folder').choices([
        'RS256',
        'ES256',
      ]),
    )
    .option('--single-use-tokens', 'the certificate authority takes each identity token once')
    .addOption(logLevelOption('warn'))
    .option(
      '--ct-root <file>',
      'PEM root of another CA that may log its certificates in the certificate log',
      everyValue,
    );
  withSchedule(withConfiguration(command)).action(async (flags: UpFlags, command: Command) => {
    const { config, port, tokenAlgorithm, singleUseTokens, ctRoot = [], logLevel } = flags;
    const { terminal, env, signal } = session;
    assertScheduleFits(flags);
    // A feed in the environment alone is for commands that ask for it.
    const isScheduled = flags.kev !== undefined || flags.rescan !== undefined;
    const work = isScheduled ? await scheduledWork(flags, session) : undefined;
    session.holdInterrupts();
    const dataDir = dataFolder(env, dataFlag(command));
    const names = givenNamespace(env);
    // Loaded here: the server is 275 files more, which neither help nor a refused line waits for.
    const { readConfiguredTrust, startServer } = await import('@colophon/server');
    const trusted = await clientConfiguration(env, config);
    const trust = trusted && readConfiguredTrust(trusted.trust, new Date());
    const server = await startServer({
      dataDir,
      reviewerSecretFile: reviewerSecretFile(env),
      pinsFolder: pinsFolder(env),
      logLevel,
      ...names,
      trust,
      peopleIssuers: trusted?.reviewLogin && [trusted.reviewLogin.issuer],
      ctExtraRoots: await Promise.all(ctRoot.map(readCertificate)),
      ...(port === undefined ? {} : { port }),
      ...(tokenAlgorithm === undefined ? {} : { tokenAlgorithm }),
      ...(singleUseTokens === undefined ? {} : { singleUseTokens }),
    }).catch((error: { readonly code?: unknown; readonly message: string }) => {
      if (error.code === 'server.data_folder_unusable')
        return withFacts(folderElsewhere(error, env), () => Promise.reject(error));
      if (error.code !== 'server.port_in_use') throw error;
      return withFacts(elsewhere(dataDir, dataFlag(command)), () => Promise.reject(error));
    });
    const colours = coloursFor(terminal);
    const paths = dataPaths(dataDir);
    const rows: Array<[string, string]> = [
      ['issuer', server.url],
      ['authority', `${server.url}/api/v2/signingCert    (Fulcio's API)`],
      ['log', `${server.url}/api/v1/log    (Rekor v1's API)`],
      ['registry', `${server.url.replace('http://', '')}/<image>`],
      ['evidence', `${server.url}/query`],
      ['data', dataDir],
      ['trust', [paths.trustedRoot, ...(trusted?.trust.roots ?? []).map(({ file }) => file)].join(', ')],
      ['listens on', server.addresses.join(', ')],
    ];
    terminal.stderr.write(`${colours.bold('colophon is up')}\n`);
    for (const [name, value] of rows) terminal.stderr.write(`  ${colours.dim(name.padEnd(10))}  ${value}\n`);
    terminal.stderr.write(
      colours.yellow(
        '  Whoever can run programs on this machine can mint tokens: no caller is asked for a credential.\n',
      ),
    );
    if (server.unpinned.length > 0) {
      const words = `No pin was known of the ${server.unpinned.join(', ')}: an older copy would not have been noticed.`;
      terminal.stderr.write(colours.yellow(`  ${words}\n`));
    }
    const placeholders = placeholderWarning(server.namespace);
    if (placeholders !== undefined) terminal.stderr.write(colours.yellow(`  ${placeholders}\n`));
    // The other terminal knows neither this line's flag nor this one's variables.
    const folder = dataDir === dataFolder({ ...env, COLOPHON_HOME: undefined }) ? '' : ` --data ${shellWord(dataDir)}`;
    terminal.stderr.write(
      `  In another terminal: ${colours.bold(`eval "$(colophon env${folder})"`)}; Ctrl-C ends it.\n`,
    );
    try {
      const schedule = work && (await startSchedule(work, flags, command, session));
      for (const name of schedule?.names ?? []) terminal.stderr.write(`  scheduled   ${oneLine(name)}\n`);
      // Without a schedule there is only the signal to wait for.
      await (schedule?.ended ?? untilAborted(signal));
      terminal.stderr.write('stopping\n');
    } finally {
      await server.close();
    }
    // Ended because it was asked to: that is success.
    session.setExitCode(EXIT.ok);
  });
}

/** The reviewers' secret lies apart from the data, so it is moved in another way. */
function folderElsewhere({ message }: { readonly message: string }, env: NodeJS.ProcessEnv): { readonly next: string } {
  const isSecret = message.startsWith(reviewerSecretFile(env));
  return { next: isSecret ? 'XDG_CONFIG_HOME=FOLDER colophon up' : 'colophon up --data FOLDER' };
}

/** Where a port is taken: another one for a new folder; one that was started keeps the port of its issuer. */
function elsewhere(dataDir: string, data: string | undefined): { readonly expected?: string; readonly next: string } {
  if (existsSync(dataPaths(dataDir).installation)) {
    return {
      expected: 'the port that the issuer of this data folder has; another folder takes another one',
      next: 'colophon up --data NEW-FOLDER --port 0',
    };
  }
  return { next: `${upLine(data)} --port 0` };
}

async function readCertificate(file: string): Promise<Uint8Array> {
  try {
    return new X509Certificate(await readInput(file)).raw;
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError('cli.file_unreadable', `${file} holds no certificate`, { checked: file, cause });
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port from 0 to 65535 is expected.');
  return port;
}
