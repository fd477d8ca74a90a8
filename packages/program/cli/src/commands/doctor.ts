import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { dataPaths } from '@colophon/server/data-folder';
import { examine, type Finding } from '@colophon/setup';
import { dockerCredentials } from '@colophon/sigstore';
import type { Command } from 'commander';
import { configurationFile } from '../configuration/configuration-file.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { dataFolder } from '../home/home.ts';
import { issuerUrl } from '../home/issuer-url.ts';
import { example } from '../program/example.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import { VERSION } from '../program/version.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import {
  assertSigner,
  readSignerIdentity,
  type SigningFlags,
  signingServices,
  withSigning,
} from '../signing-flags/signing-flags.ts';
import { coloursFor, oneLine } from '../terminal/terminal.ts';
import { trustMaterial } from '../trust/trust.ts';
import type { DoctorResult } from './doctor-result.ts';

type DoctorFlags = SigningFlags & {
  readonly config?: string;
  readonly registry?: string;
  readonly sign?: boolean;
  readonly output: OutputFormat;
};

/** `colophon doctor`: what is wrong with the services, and which file to change. Exit 20 where something is, 3 where services are only down. */
export function defineDoctor(command: Command, session: Session): void {
  withSigning(command)
    .addHelpText('after', example('colophon doctor', 'colophon doctor --registry registry.example.com'))
    .option('--registry <name>', 'ask this registry too')
    .option('--sign', 'also sign a few bytes and have them logged, which stays; it needs who signs')
    .addOption(outputOption())
    .action(async (flags: DoctorFlags, command: Command) => {
      const { env } = session;
      const data = dataFlag(command);
      const issuer = issuerUrl(env, data, flags.issuer ?? flags.oidcIssuer);
      const signer = flags.sign === true ? assertSigner(await readSignerIdentity(flags, command, session)) : undefined;
      const services = await signingServices(flags, command, session);
      const { trust, files } = await trustMaterial(flags, command, session);
      const findings = await examine(
        {
          issuerUrl: issuer,
          services,
          signingConfigFile: flags.fulcioUrl === undefined ? signingConfigFile(flags, session, data) : undefined,
          trust,
          rootFiles: files,
          configurationFile: configurationFile(env, flags.config),
        },
        {
          now: () => Date.now(),
          programs: await programVersions(env),
          registry:
            flags.registry === undefined ? undefined : { name: flags.registry, credentials: dockerCredentials(env) },
          identityToken: signer?.token,
        },
      );
      const faults = findings.filter(({ state }) => state === 'fault');
      const result = { ok: faults.length === 0, issuer, findings: [...findings] } satisfies DoctorResult;
      printResult(session.terminal, flags.output, result, (shown) => describe(shown, session));
      if (faults.length > 0) session.setExitCode(exitOf(faults));
    });
}

function signingConfigFile(flags: DoctorFlags, { env }: Session, data: string | undefined): string {
  return (flags.signingConfig ?? env['COLOPHON_SIGNING_CONFIG']) || dataPaths(dataFolder(env, data)).signingConfig;
}

function exitOf(faults: readonly Finding[]) {
  // A signature that nobody is there for is no fault of its own.
  const isDown = ({ code, refusal }: Finding) =>
    code?.endsWith('_unreachable') || (code === 'doctor.signature_refused' && refusal?.endsWith('_unavailable'));
  return faults.every(isDown) ? EXIT.peerDown : EXIT.refused;
}

/** As the programs say it; one that is not there says nothing. */
async function programVersions(env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const said = await Promise.all(
    (['cosign', 'gitsign'] as const).map(async (program) => {
      try {
        const { stdout } = await promisify(execFile)(program, ['version'], { env, timeout: 10_000 });
        const version = /v\d+\.\d+\.\d+\S*/.exec(stdout)?.[0];
        return version === undefined ? [] : ([[program, version]] as const);
      } catch {
        return [];
      }
    }),
  );
  return { colophon: VERSION, node: process.version, ...Object.fromEntries(said.flat()) };
}

function describe({ ok, findings }: DoctorResult, { terminal }: Session): string {
  const colours = coloursFor(terminal, terminal.stdout);
  const marks = { ok: colours.green('ok    '), fault: colours.red('fault '), 'not-tried': colours.dim('-     ') };
  const lines = findings.flatMap(({ probe, state, message, code, refusal, expected, found, file, advice }) => {
    const details = [
      ...(code === undefined ? [] : [`code      ${code}${refusal === undefined ? '' : `, seen as ${refusal}`}`]),
      ...(expected === undefined ? [] : [`expected  ${expected}`]),
      ...(found === undefined ? [] : [`found     ${found}`]),
      ...(file === undefined ? [] : [`change    ${file}`]),
      ...(advice === undefined ? [] : [`do        ${advice}`]),
    ];
    return [
      `${marks[state]} ${probe.padEnd(10)} ${oneLine(message)}`,
      ...details.map((line) => `                  ${oneLine(line)}`),
    ];
  });
  const sentence = ok ? 'Nothing is wrong with what was looked at.' : 'Change what is named, and ask again.';
  return `${lines.join('\n')}\n${sentence}\n`;
}
