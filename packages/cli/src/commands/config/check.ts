import { existsSync } from 'node:fs';
import {
  type Configuration,
  type ConfigurationIssue,
  callerOpenings,
  loadConfiguration,
} from '@colophon/server/configuration';
import type { Command } from 'commander';
import { asConfigurationError, configurationFile } from '../../configuration/configuration-file.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { oneLine, shellWord } from '../../terminal/terminal.ts';
import type { ConfigCheckResult } from './check-result.ts';

/** `colophon config check`: exit 0, or 1 with every problem of the file. */
export function defineCheck(command: Command, { terminal, env }: Session): void {
  command
    .addHelpText('after', example('colophon config check colophon.yaml'))
    .addOption(outputOption())
    .action((named: string | undefined, { output }: { readonly output: OutputFormat }) => {
      const file = configurationFile(env, named) ?? 'colophon.yaml';
      const { fixed, live } = load(file);
      const result = {
        ok: true,
        file,
        hash: live.hash,
        issuer: fixed.issuer,
        roles: [...fixed.roles],
        caller_count: live.callerList.length,
        agent_count: live.agents?.length ?? 0,
        warnings: warningsOf({ fixed, live }),
      } satisfies ConfigCheckResult;
      printResult(terminal, output, result, () => describe(result));
    });
}

function load(file: string): Configuration {
  try {
    return loadConfiguration(file);
  } catch (error) {
    throw asConfigurationError(file, error, nextAfter(error, file));
  }
}

/** What lacks nothing but a server's own fields may be a client's file, as `init` writes it. */
function nextAfter(error: unknown, file: string): string | null {
  if (!existsSync(file)) return 'colophon config example';
  const { issues = [] } = error as { readonly issues?: readonly ConfigurationIssue[] };
  const missing = issues.filter(({ code }) => code === 'policy.field_missing').map(({ path }) => path);
  const isOfClient = issues.length === 2 && missing.includes('/listen') && missing.includes('/data');
  return isOfClient ? `colophon doctor --config ${shellWord(file)}    (if it is for clients)` : null;
}

function warningsOf({ fixed, live }: Configuration): string[] {
  const warnings: string[] = [];
  if (fixed.namespace.predicateBase === undefined) warnings.push('predicateBase is the placeholder: set your own');
  if (live.callerList.length === 0) warnings.push('no caller is asked who it is: whoever reaches loopback gets tokens');
  warnings.push(
    ...callerOpenings({ fixed, live }).map(({ caller, event, opens }) => `${caller} lists ${event}: ${opens}`),
  );
  if (live.agents === undefined) warnings.push('agents is absent: the first caller that uses a name has it');
  if (fixed.tokens.algorithm === 'ES256') {
    warnings.push('cosign takes no ES256 token on its command line, only by file or environment');
  }
  for (const file of filesOf({ fixed, live })) if (!existsSync(file)) warnings.push(`${file} is not on this machine`);
  return warnings;
}

/** Files that the configuration names; it may be checked on another machine than theirs. */
function filesOf({ fixed, live }: Configuration): string[] {
  const { listen, tokens, trust } = fixed;
  const tls = listen.tls === undefined ? [] : [listen.tls.certificateFile, ...fileOf(listen.tls.key)];
  const keys = live.callerIssuers.flatMap(({ keys: { caFile, bearerFile, file } }: { keys: NamedFiles }) => [
    caFile,
    bearerFile,
    file,
  ]);
  const trusted = [...(trust?.roots ?? []).map(({ file }) => file), trust?.signingConfigFile];
  return [...tls, tokens.keyFile, ...keys, ...trusted].filter((file) => file !== undefined);
}

type NamedFiles = { readonly caFile?: string; readonly bearerFile?: string; readonly file?: string };

function fileOf(secret: { readonly env: string } | { readonly file: string }): string[] {
  return 'file' in secret ? [secret.file] : [];
}

function describe({ file, issuer, hash, caller_count, agent_count, warnings }: ConfigCheckResult): string {
  const lines = [`${file} is in order`, `  issuer   ${issuer}`, `  callers  ${caller_count}`];
  lines.push(`  agents   ${agent_count}`, `  hash     ${hash}`, ...warnings.map((warning) => `  note     ${warning}`));
  return `${lines.map(oneLine).join('\n')}\n`;
}
