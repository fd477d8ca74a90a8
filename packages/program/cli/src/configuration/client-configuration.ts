import type { ClientConfiguration } from '@colophon/server/configuration';
import { type Command, Option } from 'commander';
import type { Session } from '../program/program.ts';
import { asConfigurationError, configurationFile } from './configuration-file.ts';

/** Commands that go by what a configuration says to clients. */
const CLIENTS = new WeakSet<Command>();

/** `--config FILE`: issuer, names, trusted roots, services and the reviewers' login, where neither a flag nor a variable says them. */
export function withConfiguration(command: Command): Command {
  if (CLIENTS.has(command)) return command;
  CLIENTS.add(command);
  return command.addOption(
    new Option('--config <file>', 'configuration with issuer, names, trust and login (default: $COLOPHON_CONFIG)'),
  );
}

/**
 * Has the configuration of a client stand in for variables that are not set, and its trust known to the session; before
 * the command does anything.
 * @throws ConfigurationRefused
 */
export async function useConfiguration(command: Command, session: Session): Promise<void> {
  if (!CLIENTS.has(command)) return;
  const { env } = session;
  const configuration = await clientConfiguration(env, command.opts<{ config?: string }>().config);
  if (configuration === undefined) return;
  const { issuer, namespace, trust, reviewLogin, policyFiles } = configuration;
  const said = {
    COLOPHON_ISSUER: issuer,
    COLOPHON_PREDICATE_BASE: namespace.predicateBase,
    COLOPHON_CLAIM_ARC: namespace.claimArc,
    COLOPHON_SIGNING_CONFIG: trust.signingConfigFile,
  };
  for (const [name, value] of Object.entries(said)) {
    if (!env[name] && value !== undefined) env[name] = value;
  }
  session.trustedRoots = trust.roots;
  session.reviewLogin = reviewLogin;
  session.policyFiles = policyFiles;
}

/** What the file of `--config`, else of $COLOPHON_CONFIG, says to a client. @throws ConfigurationRefused */
export async function clientConfiguration(
  env: NodeJS.ProcessEnv,
  flag: string | undefined,
): Promise<ClientConfiguration | undefined> {
  const file = configurationFile(env, flag);
  if (file === undefined) return undefined;
  // Loaded where it is needed: it brings a parser of YAML.
  const { loadClientConfiguration } = await import('@colophon/server/configuration');
  try {
    return loadClientConfiguration(file);
  } catch (error) {
    // The file of a client is not checked as an issuer's is.
    throw asConfigurationError(file, error, null);
  }
}
