import { DashboardError } from '../dashboard-error/dashboard-error.ts';

/** What a server says of itself, or why it is not known. */
export type DashboardIdentity =
  | { readonly ok: true; readonly application: string; readonly version: string }
  | { readonly ok: false; readonly reason: string };

/** A version of CycloneDX, such as `1.6`. */
export type ReadableVersion = '1.5' | '1.6' | '1.7';

/** What an upload is written in, and why. */
export type UploadVersion = {
  /** Of the document as it stands. */
  readonly document: string;
  readonly sent: string;
  /** `asked`: by the caller; `server`: it said its version; `assumed`: it did not. */
  readonly basis: 'asked' | 'server' | 'assumed';
  /** What the server said of itself, or why that is not known. */
  readonly server: string;
  /** The newest that is read there. */
  readonly readable?: ReadableVersion;
};

/** From these versions of Dependency-Track on: what its `CycloneDxValidator` takes, read in the source of every release. */
const READS: ReadonlyArray<readonly [from: readonly [number, number, number], newest: ReadableVersion]> = [
  [[5, 1, 0], '1.7'],
  [[4, 11, 4], '1.6'],
  [[0, 0, 0], '1.5'],
];
/** What every release since June 2024 reads. */
const ASSUMED: ReadableVersion = '1.6';
const NAME = 'Dependency-Track';
const LONGEST_NAME = 60;

/** What `GET /api/version` answers; no other program than Dependency-Track counts. */
export function readIdentity(value: unknown): DashboardIdentity {
  const { application, version } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  if (typeof application !== 'string' || typeof version !== 'string') return { ok: false, reason: 'no version in it' };
  if (application === NAME && /^\d{1,6}\.\d{1,6}\.\d{1,6}(?:$|[-+.])/.test(version) && version.length <= LONGEST_NAME) {
    return { ok: true, application, version };
  }
  return { ok: false, reason: `it says ${JSON.stringify(`${application} ${version}`.slice(0, LONGEST_NAME))}` };
}

/** The newest version of CycloneDX that a server reads. */
export function readableVersion(identity: DashboardIdentity): ReadableVersion {
  if (!identity.ok) return ASSUMED;
  const numbers = identity.version.split(/[-+.]/, 3).map(Number);
  const isFrom = (from: readonly number[]) => {
    const place = from.findIndex((number, index) => number !== numbers[index]);
    return place < 0 || (numbers[place] as number) > (from[place] as number);
  };
  return READS.find(([from]) => isFrom(from))?.[1] ?? ASSUMED;
}

/**
 * Which version a document is sent in: its own where the server reads it, else the newest that the server reads.
 * @throws DashboardError `dashboard.version_unsupported` where that is 1.5: nothing here writes it
 */
export function decideUploadVersion(document: string, identity: DashboardIdentity): UploadVersion {
  const readable = readableVersion(identity);
  const sent = document <= readable ? document : readable;
  if (identity.ok && sent !== document && sent === '1.5') {
    throw new DashboardError('dashboard.version_unsupported', `the dashboard does not read CycloneDX ${document}`, {
      found: `${identity.application} ${identity.version}, which reads up to ${readable}`,
      expected: `${NAME} 4.11.4 or newer, or a document of CycloneDX 1.5 or older`,
    });
  }
  return identity.ok
    ? { document, sent, readable, basis: 'server', server: `${identity.application} ${identity.version}` }
    : { document, sent, readable, basis: 'assumed', server: `version not known: ${identity.reason}` };
}
