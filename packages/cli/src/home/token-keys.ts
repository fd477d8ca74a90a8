import type { RingPlace, RingTiming } from '@colophon/keys';
import { tokenKeyRing } from '@colophon/server/data-folder';
import type { Command } from 'commander';
import { type IssuerPlace, issuerPlace, issuerPlaceAtOnce } from '../configuration/issuer-place.ts';
import type { Session } from '../program/program.ts';
import { startedInstallation } from './started-installation.ts';

/** Where the keys lie that sign tokens, and what a rotation of them waits for. */
export type TokenKeys = {
  readonly place: RingPlace;
  readonly timing: RingTiming | undefined;
  readonly data: string | undefined;
};

/**
 * The keys of the issuer that the line is about.
 * @throws CliError `cli.no_issuer` where no server was ever started; what `readInstallation` throws
 */
export function tokenKeys(command: Command, session: Session): TokenKeys {
  return keysOf(issuerPlace(command, session));
}

/** The same for a revocation, which no other error in a configuration may stop. */
export function tokenKeysAtOnce(command: Command, session: Session): TokenKeys {
  const { data, dataDir } = issuerPlaceAtOnce(command, session);
  try {
    return tokenKeys(command, session);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'server.configuration_invalid') throw error;
    return keysOf({ data, dataDir, configuration: undefined });
  }
}

function keysOf({ dataDir, data, configuration }: IssuerPlace): TokenKeys {
  const { token_algorithm } = startedInstallation(dataDir, data);
  const tokens = configuration?.fixed.tokens;
  return {
    place: tokenKeyRing(dataDir, token_algorithm, tokens?.keyFile),
    timing: tokens && { cacheSeconds: tokens.keyCacheSeconds, tokenSeconds: tokens.lifetimeSeconds },
    data,
  };
}
