export { DAY_MS, dayNumber, formatDay } from './calendar/calendar.ts';
export {
  type Digest,
  type DigestAlgorithm,
  hexPattern,
  isSha256,
  isSha256Hex,
  parseDigest,
  parseHexDigest,
  parseSha256,
  SHA256_HEX_PATTERN,
  SHA256_PATTERN,
} from './digest/digest.ts';
export {
  faultOfImageReference,
  type ImageReference,
  isImageTag,
  isRepositoryName,
  parseImageReference,
} from './image-reference/image-reference.ts';
export { DEFAULT_REGISTRY, isRegistry, normaliseRegistry, spellingsOf } from './image-reference/registry-name.ts';
export { foldedIssuer } from './issuer-pattern/folded-issuer.ts';
export { isIssuerPattern, matchesIssuer } from './issuer-pattern/issuer-pattern.ts';
export { unsharedLineBreak } from './line-break/line-break.ts';
export { parseLogEntryId } from './log-entry-id/log-entry-id.ts';
export { nearestNames } from './nearest-name/nearest-name.ts';
export { distributionName, packageName } from './package-url/package-name.ts';
export { decoded, type PackageUrl, parsePackageUrl, splitPackageUrl, withVersion } from './package-url/package-url.ts';
export { parseSpiffeId } from './spiffe-id/spiffe-id.ts';
export { parseIntegrity } from './subresource-integrity/subresource-integrity.ts';
export { compareTexts } from './text-order/compare-texts.ts';
export { dayOf, formatInstant, parseInstant, parseSeconds } from './time/instant.ts';
export { isTimestamp, parseTimestamp, TIMESTAMP_PATTERN, timestampInUtc } from './time/timestamp.ts';
export { isUuid, parseUuid } from './uuid/uuid.ts';
export { compareVersions, hasVersionOrder, isOrderedVersion, versionKey } from './version-order/compare-versions.ts';
export { type FixStanding, fixStanding } from './version-order/fix-standing.ts';
export { withoutGemPlatform } from './version-order/gem-platform.ts';
export { plainFixStanding } from './version-order/plain-numbers.ts';
export { splitEpoch } from './version-order/version-epoch.ts';
