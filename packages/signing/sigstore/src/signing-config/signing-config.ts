import { parseStrictJson } from '@colophon/json';
import { ServiceSelector, SigningConfig } from '@sigstore/protobuf-specs';
import { address, choice, findShapeProblem, int64, list, message, text } from '../bundle/message-shape.ts';
import { SigningError } from '../sign/signing-error.ts';
import { validity } from '../trusted-root/trusted-root-shape.ts';

export const SIGNING_CONFIG_MEDIA_TYPE = 'application/vnd.dev.sigstore.signingconfig.v0.2+json';

const MOST_SERVICES = 1_000;
const services = list(
  message({ url: address, majorApiVersion: int64, validFor: validity, operator: text }, 'url'),
  MOST_SERVICES,
);
const selection = message({ selector: choice('ALL', 'ANY', 'EXACT'), count: int64 });

/**
 * What stands in a signing config, and nothing else.
 * @see https://github.com/sigstore/protobuf-specs, sigstore.trustroot.v1.SigningConfig
 */
const SIGNING_CONFIG = message({
  mediaType: text,
  caUrls: services,
  oidcUrls: services,
  rekorTlogUrls: services,
  rekorTlogConfig: selection,
  tsaUrls: services,
  tsaConfig: selection,
});

/** Where to sign. */
export type SigningServices = {
  readonly fulcioUrl: string;
  readonly oidcUrl?: string;
  readonly rekorUrl: string;
  readonly rekorMajorVersion: 1 | 2;
  readonly tsaUrl?: string;
};

/**
 * The document that cosign takes as `--signing-config`.
 * @param validFrom from when on the services are used.
 * @param operator names who runs them.
 */
export function createSigningConfig(services: SigningServices, validFrom: Date, operator: string) {
  const service = (url: string, majorApiVersion: number) => ({
    url,
    majorApiVersion,
    validFor: { start: validFrom.toISOString() },
    operator,
  });
  return {
    mediaType: SIGNING_CONFIG_MEDIA_TYPE,
    caUrls: [service(services.fulcioUrl, 1)],
    oidcUrls: services.oidcUrl === undefined ? [] : [service(services.oidcUrl, 1)],
    rekorTlogUrls: [service(services.rekorUrl, services.rekorMajorVersion)],
    rekorTlogConfig: { selector: 'ANY' },
    ...(services.tsaUrl !== undefined && { tsaUrls: [service(services.tsaUrl, 1)], tsaConfig: { selector: 'ANY' } }),
  };
}

/**
 * Reads a signing config and chooses, of each kind, the newest service that is in force and that we can speak to. A
 * config that names timestamps and has none such is refused.
 * @param now for the services' validity.
 * @throws SigningError `signing.config_invalid`
 */
export function loadSigningConfig(json: Uint8Array | string, now: Date): SigningServices {
  const parsed = parseStrictJson(typeof json === 'string' ? Buffer.from(json) : json, { maxBytes: 1024 * 1024 });
  if (!parsed.ok) throw invalid('it is not JSON that can be read');
  const { mediaType } = (parsed.value ?? {}) as { mediaType?: unknown };
  if (mediaType !== SIGNING_CONFIG_MEDIA_TYPE) throw invalid('its media type is not version 0.2');
  const problem = findShapeProblem(parsed.value, SIGNING_CONFIG);
  if (problem !== undefined) throw invalid(`an unexpected value at ${problem.path}`, problem);
  const config = SigningConfig.fromJSON(parsed.value);
  for (const chosen of [config.rekorTlogConfig, config.tsaConfig]) {
    const isSeveral = chosen?.selector === ServiceSelector.EXACT && chosen.count !== 1;
    if (chosen?.selector === ServiceSelector.ALL || isSeveral) {
      throw invalid('it asks for several logs or timestamps, and we take one of each');
    }
  }
  const newest = (services: SigningConfig['caUrls'], highestVersion: number) =>
    services
      .filter(({ majorApiVersion }) => majorApiVersion >= 1 && majorApiVersion <= highestVersion)
      .filter(({ validFor }) => !(validFor?.start && validFor.start > now) && !(validFor?.end && validFor.end < now))
      .sort((a, b) => (b.validFor?.start?.getTime() ?? 0) - (a.validFor?.start?.getTime() ?? 0))[0];
  const ca = newest(config.caUrls, 1);
  const log = newest(config.rekorTlogUrls, 2);
  const oidc = newest(config.oidcUrls, 1);
  const tsa = newest(config.tsaUrls, 1);
  if (ca === undefined || log === undefined) throw invalid('it names no certificate authority or no log in force');
  // Who names timestamps wants them: without one, a signature would end with its certificate.
  const isTimed = config.tsaUrls.length > 0 || isAsked(config.tsaConfig?.selector);
  if (isTimed && tsa === undefined) throw invalid('it asks for timestamps, and names no authority in force');
  return {
    fulcioUrl: ca.url,
    rekorUrl: log.url,
    rekorMajorVersion: log.majorApiVersion === 2 ? 2 : 1,
    ...(oidc && { oidcUrl: oidc.url }),
    ...(tsa && { tsaUrl: tsa.url }),
  };
}

function isAsked(selector: ServiceSelector | undefined): boolean {
  return selector !== undefined && selector !== ServiceSelector.SERVICE_SELECTOR_UNDEFINED;
}

function invalid(reason: string, { expected, found }: { expected?: string; found?: string } = {}): SigningError {
  const details = { ...(expected && { expected }), ...(found && { found }) };
  return new SigningError('signing.config_invalid', `the signing config cannot be used: ${reason}`, details);
}
