import { askPeer, membersIn, underBase } from '@colophon/peer';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { dataFolder } from '../home/home.ts';
import { startedInstallation } from '../home/started-installation.ts';
import { upLine } from '../home/up-line.ts';
import { example } from '../program/example.ts';
import { dataFlag, outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import type { HealthResult } from './health-result.ts';

/** Below what a supervisor gives a check by default. */
const LIMITS = { timeoutMs: 5_000, mostBytes: 64 * 1024, redirect: 'refused' } as const;

/** `colophon health`: whether the server of the data folder answers, for whatever supervises it. */
export function defineHealth(command: Command, { terminal, env }: Session): void {
  command.addHelpText('after', example('colophon health'));
  command.addOption(outputOption()).action(async ({ output }: { output: OutputFormat }, command: Command) => {
    const data = dataFlag(command);
    const { issuer_url: issuer } = startedInstallation(dataFolder(env, data), data);
    const unhealthy = (checked: string, found: string) =>
      new CliError('cli.server_unhealthy', 'the server of this data folder does not answer', {
        checked,
        found,
        next: upLine(data),
      });
    const answerOf = async (url: string): Promise<Record<string, unknown>> => {
      const answer = await askPeer(url, {}, LIMITS).catch((cause: Error) => {
        throw unhealthy(url, cause.message);
      });
      if (!answer.isOk) throw unhealthy(url, `HTTP ${answer.status}`);
      return membersIn(answer.body);
    };
    // Any program may have the port; only the server of this folder names its issuer.
    const discovery = underBase(issuer, '/.well-known/openid-configuration');
    const { issuer: found } = await answerOf(discovery);
    if (found !== issuer) throw unhealthy(discovery, 'another server');
    // Answered from the database: a server that lost it is of no use.
    const log = underBase(issuer, '/api/v1/log');
    const { treeSize } = await answerOf(log);
    if (typeof treeSize !== 'number') throw unhealthy(log, 'no log');
    const result = { ok: true, issuer, entry_count: treeSize } satisfies HealthResult;
    printResult(terminal, output, result, () => `${issuer} answers; its log has ${treeSize} entries\n`);
  });
}
