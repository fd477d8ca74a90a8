import { EXIT, type ExitCode } from './exit-code.ts';

// For errors of the packages below that do not say themselves how the program ends; the first prefix that fits counts.
const EXIT_BY_PREFIX: ReadonlyArray<readonly [prefix: string, exit: ExitCode]> = [
  ['signing.config_invalid', EXIT.usage],
  ['signing.key_invalid', EXIT.usage],
  ['signing.token_', EXIT.notAuthorized],
  ['signing.ca_refused', EXIT.notAuthorized],
  ['signing.ca_unavailable', EXIT.peerDown],
  ['signing.log_unavailable', EXIT.peerDown],
  ['signing.timestamp_unavailable', EXIT.peerDown],
  ['signing.log_refused', EXIT.refused],
  ['signing.timestamp_refused', EXIT.refused],
  // What is left are answers of a peer that cannot be believed.
  ['signing.', EXIT.untrusted],
  ['registry.unauthorized', EXIT.notAuthorized],
  ['registry.denied', EXIT.notAuthorized],
  ['registry.not_found', EXIT.notFound],
  ['registry.reference_invalid', EXIT.usage],
  ['registry.digest_mismatch', EXIT.untrusted],
  ['registry.', EXIT.peerDown],
  ['trusted_root.', EXIT.untrusted],
  ['identity.', EXIT.usage],
  ['inspect.', EXIT.usage],
  ['query.', EXIT.usage],
  ['feeds.purl_', EXIT.usage],
  ['feeds.target_unknown', EXIT.usage],
  ['feeds.generator_missing', EXIT.usage],
  ['feeds.generator_', EXIT.internal],
  ['feeds.lockfile_', EXIT.usage],
  ['feeds.folder_unreadable', EXIT.usage],
  ['feeds.address_refused', EXIT.untrusted],
  ['feeds.package_not_found', EXIT.notFound],
  ['feeds.package_integrity', EXIT.untrusted],
  ['feeds.package_too_large', EXIT.refused],
  ['feeds.archive_refused', EXIT.refused],
  ['feeds.registry_refused', EXIT.notAuthorized],
  ['feeds.registry_', EXIT.peerDown],
  // This machine, not what was asked: the data folder, its files and keys, the port.
  ['server.', EXIT.internal],
  ['store.', EXIT.internal],
  ['key.', EXIT.internal],
  ['issuer.', EXIT.internal],
  ['authority.', EXIT.internal],
];

/** How the program ends for a stable code, or undefined where nobody has decided it. */
export function exitOfCode(code: string): ExitCode | undefined {
  return EXIT_BY_PREFIX.find(([prefix]) => code.startsWith(prefix))?.[1];
}
