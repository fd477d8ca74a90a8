import { apkVersions } from './apk-versions.ts';
import { composerVersions } from './composer-versions.ts';
import { debVersions } from './deb-versions.ts';
import { gemVersions } from './gem-versions.ts';
import { mavenVersions } from './maven-versions.ts';
import { nugetVersions } from './nuget-versions.ts';
import { pythonVersions } from './python-versions.ts';
import { rpmVersions } from './rpm-versions.ts';
import { goVersions, pubVersions, semanticVersions } from './semantic-versions.ts';
import type { Sign, VersionOrder } from './version-order.ts';

/** Longer texts are compared for equality alone. */
const MAX_VERSION_LENGTH = 256;

const VISIBLE_ASCII = /^[!-~]+$/;

const ORDERS: ReadonlyMap<string, VersionOrder> = new Map<string, VersionOrder>([
  // An older name of `apk` in package URLs, which documents still have.
  ['alpine', apkVersions],
  ['apk', apkVersions],
  ['cargo', semanticVersions],
  ['composer', composerVersions],
  ['deb', debVersions],
  ['gem', gemVersions],
  ['golang', goVersions],
  ['hex', semanticVersions],
  ['maven', mavenVersions],
  ['npm', semanticVersions],
  ['nuget', nugetVersions],
  ['pub', pubVersions],
  ['pypi', pythonVersions],
  ['rpm', rpmVersions],
  ['swift', semanticVersions],
]);

/** A version with the order that it was read by. */
export type OrderedVersion = { readonly order: VersionOrder; readonly version: unknown };

export function readVersion(type: string, text: string): OrderedVersion | undefined {
  const order = ORDERS.get(type);
  if (order === undefined || text.length > MAX_VERSION_LENGTH || !VISIBLE_ASCII.test(text)) return undefined;
  const version = order.parse(text);
  return version === undefined ? undefined : { order, version };
}

/** Whether versions of this package URL type are ordered at all; of other types only equality is decided. */
export function hasVersionOrder(type: string): boolean {
  return ORDERS.has(type);
}

/** Whether the ecosystem of this package URL type takes the text for a version; false where it has no order here. */
export function isOrderedVersion(type: string, text: string): boolean {
  return readVersion(type, text) !== undefined;
}

/**
 * What the spellings of one version have in common: `1.0` and `v1.0.0` of PyPI, `1.0` and `1.0.0.0` of NuGet. Where the
 * ecosystem has no order here, or the text is no version in it, the text itself. Never equal for two versions that
 * {@link compareVersions} tells apart.
 */
export function versionKey(type: string, text: string): string {
  const read = readVersion(type, text);
  return read === undefined ? `=${text}` : read.order.key(read.version);
}

/**
 * -1, 0 or 1 as the ecosystem of this package URL type orders the two; undefined where it is not known here how, or where a
 * text is no version in it. Texts that are the same are equal for every type. Never throws; takes linear time.
 */
export function compareVersions(type: string, left: string, right: string): Sign | undefined {
  if (left === right) return 0;
  const [a, b] = [readVersion(type, left), readVersion(type, right)];
  return a === undefined || b === undefined ? undefined : a.order.compare(a.version, b.version);
}
