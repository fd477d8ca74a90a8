import { askPeer, membersIn, type PeerAnswer, underBase } from '@colophon/peer';
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
const NOT_FOUND = 404;
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
        next: new URL(issuer).hostname === 'localhost' ? upLine(data) : 'colophon serve --config colophon.yaml',
      });
    const ask = (url: string) =>
      askPeer(url, {}, LIMITS).catch((cause: Error) => {
        throw unhealthy(url, cause.message);
      });
    const okAnswer = async (url: string): Promise<PeerAnswer> => {
      const answer = await ask(url);
      if (!answer.isOk) throw unhealthy(url, `HTTP ${answer.status}`);
      return answer;
    };
    // Any program may have the port; only the server of this folder names its issuer.
    const discovery = underBase(issuer, '/.well-known/openid-configuration');
    const { issuer: found } = membersIn((await okAnswer(discovery)).body);
    if (found !== issuer) throw unhealthy(discovery, 'another server');
    const log = underBase(issuer, '/api/v1/log');
    const answer = await ask(log);
    if (answer.status === NOT_FOUND) {
      // An issuer without a log: it says itself whether it can use its ledger.
      await okAnswer(underBase(issuer, '/readyz'));
      const result = { ok: true, issuer } satisfies HealthResult;
      printResult(terminal, output, result, () => `${issuer} answers, and is ready\n`);
      return;
    }
    if (!answer.isOk) throw unhealthy(log, `HTTP ${answer.status}`);
    // Answered from the database: a server that lost it is of no use.
    const entries = entriesOf(membersIn(answer.body));
    if (entries === undefined) throw unhealthy(log, 'no log');
    const result = { ok: true, issuer, entry_count: entries } satisfies HealthResult;
    printResult(terminal, output, result, () => `${issuer} answers; its log has ${entries} entries\n`);
  });
}

/** Of the tree that is written, and of those that were frozen. */
function entriesOf({ treeSize, inactiveShards }: { readonly [name: string]: unknown }): number | undefined {
  const frozen: unknown[] = Array.isArray(inactiveShards) ? inactiveShards : [];
  const sizes = [treeSize, ...frozen.map((tree) => (tree as { treeSize?: unknown } | null)?.treeSize)];
  return sizes.every((size) => typeof size === 'number') ? sizes.reduce((sum, size) => sum + size, 0) : undefined;
}
