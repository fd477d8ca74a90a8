import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { matchesIssuer } from '@colophon/notation';
import {
  type Configuration,
  type ConfigurationIssue,
  callerOpenings,
  dataFolderIn,
  loadClientConfiguration,
  loadConfiguration,
} from '@colophon/server/configuration';
import { dataPaths, EMBEDDED_ROOT, isTrustedRootOf } from '@colophon/server/data-folder';
import type { Command } from 'commander';
import { asConfigurationError, configurationFile } from '../../configuration/configuration-file.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { oneLine, shellWord } from '../../terminal/terminal.ts';
import type { ConfigCheckResult } from './check-result.ts';
import { seenIssuers } from './seen-issuers.ts';

/** `colophon config check`: exit 0, or 1 with every problem of the file. */
export function defineCheck(command: Command, { terminal, env }: Session): void {
  command
    .addHelpText('after', example('colophon config check colophon.yaml'))
    .addOption(outputOption())
    .action((named: string | undefined, { output }: { readonly output: OutputFormat }) => {
      const file = configurationFile(env, named) ?? 'colophon.yaml';
      const { fixed, live } = load(file);
      const roots = scopesOf(fixed);
      const result = {
        ok: true,
        file,
        hash: live.hash,
        issuer: fixed.issuer,
        roles: [...fixed.roles],
        caller_count: live.callerList.length,
        agent_count: live.agents?.length ?? 0,
        roots,
        warnings: [...warningsOf({ fixed, live }), ...scopeWarnings(fixed.issuer, roots)],
      } satisfies ConfigCheckResult;
      printResult(terminal, output, result, () => describe(result));
    });
}

function load(file: string): Configuration {
  try {
    return loadConfiguration(file);
  } catch (error) {
    throw asConfigurationError(file, withSeenIssuers(error, file), nextAfter(error, file));
  }
}

type CheckedRoot = ConfigCheckResult['roots'][number];

/** The roots in force: that of the embedded authority is for the issuer, and for those whose tokens it takes, unwritten. */
function scopesOf({ issuer, roles, furtherIssuers = [], trust, dataDir }: Configuration['fixed']): CheckedRoot[] {
  const configured = trust?.roots ?? [];
  const isOwn = ({ file }: { readonly file: string }) => roles.includes('authority') && isTrustedRootOf(dataDir, file);
  const own = configured.find(isOwn)?.name ?? EMBEDDED_ROOT;
  const embedded = {
    name: own,
    file: dataPaths(dataDir).trustedRoot,
    issuers: [issuer, ...furtherIssuers.map((one) => one.issuer)],
  };
  const roots = [...(roles.includes('authority') ? [embedded] : []), ...configured.filter((root) => !isOwn(root))];
  const seen = seenIssuers(roots, dataDir);
  return roots.map(({ name, file, issuers }) => ({
    name,
    file,
    issuers: [...(issuers ?? [])],
    certifies_others: issuers === undefined,
    ...(seen === undefined ? {} : { seen_issuers: [...(seen.get(name) ?? [])] }),
  }));
}

/** Of several roots: what is allowed, and most likely not meant. */
function scopeWarnings(issuer: string, roots: readonly CheckedRoot[]): string[] {
  if (roots.length < 2) return [];
  const named = roots.filter(({ issuers }) => issuers.some((pattern) => matchesIssuer(pattern, issuer)));
  if (named.length > 1) return [`${issuer} belongs to several roots: ${named.map(({ name }) => name).join(', ')}`];
  if (named.length === 1) return [];
  const open = roots.find(({ certifies_others: isOpen }) => isOpen);
  return [
    open === undefined
      ? `no root is for ${issuer}: nothing of this issuer verifies`
      : `${issuer} belongs to ${open.name}, which certifies whom no other root names: write issuers where it belongs`,
  ];
}

/** Whom each root certified until now, beside the problem that nothing says whom each may certify. */
function withSeenIssuers(error: unknown, file: string): unknown {
  const { issues = [] } = error as { readonly issues?: readonly ConfigurationIssue[] };
  if (!issues.some(({ code }) => code === 'configuration.root_without_issuers')) return error;
  const data = dataFolderIn(readFileSync(file, 'utf8'));
  const { trust } = loadClientConfiguration(file);
  const seen = data === undefined ? undefined : seenIssuers(trust.roots ?? [], resolve(dirname(file), data));
  const found =
    seen === undefined
      ? 'no evidence store on this machine shows whom they certified'
      : [...seen].map(([name, issuers]) => `${name}: ${issuers.join(', ') || 'nobody'}`).join('; ');
  return Object.assign(error as Error, {
    issues: issues.map((one) => (one.code === 'configuration.root_without_issuers' ? { ...one, found } : one)),
  });
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

function describe({ file, issuer, hash, caller_count, agent_count, roots, warnings }: ConfigCheckResult): string {
  const lines = [`${file} is in order`, `  issuer   ${issuer}`, `  callers  ${caller_count}`];
  lines.push(`  agents   ${agent_count}`, `  hash     ${hash}`);
  for (const root of roots) lines.push(`  root     ${scopeWords(root)}`);
  lines.push(...warnings.map((warning) => `  note     ${warning}`));
  return `${lines.map(oneLine).join('\n')}\n`;
}

function scopeWords({ name, issuers, certifies_others: isOpen, seen_issuers: seen }: CheckedRoot): string {
  const scope = isOpen ? 'whom no other root names' : issuers.join(', ');
  return `${name}: ${scope}${seen === undefined ? '' : `; seen: ${seen.join(', ') || 'nobody'}`}`;
}
