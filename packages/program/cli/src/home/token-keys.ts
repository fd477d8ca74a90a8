import type { RingPlace, RingTiming } from '@colophon/keys';
import { tokenKeyRing } from '@colophon/server/data-folder';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
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
 * The keys of the issuer that the line is about, for a rotation: how long verifiers may keep the key set decides when the
 * next key may sign, and only the configuration says it.
 * @throws CliError `cli.no_issuer` where no server was ever started, `cli.usage` for an issuer that has a configuration
 * which is not named; what `readInstallation` throws
 */
export function tokenKeys(command: Command, session: Session): TokenKeys {
  const place = issuerPlace(command, session);
  const keys = keysOf(place);
  const { issuer_url } = startedInstallation(place.dataDir, place.data);
  if (place.configuration !== undefined || new URL(issuer_url).hostname === 'localhost') return keys;
  throw new CliError(
    'cli.usage',
    `the issuer ${issuer_url} has a configuration, which says how long its keys are kept`,
    {
      checked: '--config, $COLOPHON_CONFIG',
      next: 'colophon keys rotate --config colophon.yaml',
    },
  );
}

/** The same for a list and a revocation, which no other error in a configuration may stop. */
export function tokenKeysAtOnce(command: Command, session: Session): TokenKeys {
  return keysOf(issuerPlaceAtOnce(command, session));
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
