import { accessSync, chmodSync, closeSync, constants, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder, systemReason, writeFileDurably } from '@colophon/durable-file';
import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { isClaimArc, isPredicateBase, type Namespace, PLACEHOLDER_NAMESPACE } from '@colophon/records/namespace';
import { isServiceAddress } from '../configuration/address-rule.ts';
import { ServerError } from '../server-error/server-error.ts';

/** What SQLite says of a lock that another process holds. */
const SQLITE_BUSY = 5;

/**
 * What lies where in a data folder, and how it is to be read. Tables have versions of their own: a change of them alone is
 * no new format.
 */
const FORMAT = 3;

/** Of programs that were never released; some of their folders did not say it. */
const UNRELEASED: readonly unknown[] = [undefined, 1, 2];

/** Token signature algorithms that an issuer may be set up with. */
export type TokenAlgorithm = 'RS256' | 'ES256';

/** What a data folder is bound to from its first start on: another address or algorithm later would orphan its records. */
export type Installation = {
  readonly issuer_url: string;
  readonly token_algorithm: TokenAlgorithm;
  /** Names that were set; where one is absent, the placeholder is used. */
  readonly predicate_base?: string;
  readonly claim_arc?: string;
};

/** The names of an installation; placeholders where it has none of its own. */
export function namespaceOf({ predicate_base, claim_arc }: Partial<Installation>): Namespace {
  return {
    predicateBase: predicate_base ?? PLACEHOLDER_NAMESPACE.predicateBase,
    claimArc: claim_arc ?? PLACEHOLDER_NAMESPACE.claimArc,
  };
}

/** Where everything of one installation lies. */
export function dataPaths(dataDir: string) {
  return {
    installation: join(dataDir, 'installation.json'),
    lock: join(dataDir, 'lock.db'),
    database: join(dataDir, 'colophon.db'),
    triageDatabase: join(dataDir, 'remediation.db'),
    keys: join(dataDir, 'keys'),
    frozen: join(dataDir, 'frozen'),
    registry: join(dataDir, 'registry'),
    sboms: join(dataDir, 'sboms'),
    trust: join(dataDir, 'trust'),
    trustedRoot: join(dataDir, 'trust', 'trusted_root.json'),
    signingConfig: join(dataDir, 'trust', 'signing_config.json'),
    fulcioChain: join(dataDir, 'trust', 'fulcio-chain.pem'),
    rekorPublicKey: join(dataDir, 'trust', 'rekor.pub'),
    ctPublicKey: join(dataDir, 'trust', 'ctfe.pub'),
    ledgerPublicKey: join(dataDir, 'trust', 'ledger.pub'),
  } as const;
}

/** How results call the trusted root of an embedded authority. */
export const EMBEDDED_ROOT = 'embedded';

/** How results call a trusted root that has no other name: `trust/public-good.json` is public-good. */
export function rootName(file: string): string {
  return basename(file).replace(/\.json$/i, '');
}

/** Whether a file is the trusted root of the embedded authority of a data folder, by whatever path. */
export function isTrustedRootOf(dataDir: string, file: string): boolean {
  return placeOf(file) === placeOf(dataPaths(dataDir).trustedRoot);
}

function placeOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // It may be of another machine, or of a folder where nothing was ever started.
    return resolve(file);
  }
}

/** The certificate log's name among checkpoints: RFC 6962 gives it none. */
export function certificateLogOrigin(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname.replace(/\/$/, '')}/ct/v1`;
}

/** The ring of keys that sign tokens. */
export function tokenKeyRing(dataDir: string, alg: TokenAlgorithm, firstKey?: string) {
  return { firstKey: firstKey ?? join(dataPaths(dataDir).keys, `issuer-${alg.toLowerCase()}.pem`), alg } as const;
}

/**
 * The installation of the folder, or undefined where nothing was ever started in it.
 * @throws ServerError `server.data_folder_newer`, `server.data_folder_unreleased`, `server.data_folder_damaged`,
 * `server.data_folder_unusable`
 */
export function readInstallation(dataDir: string): Installation | undefined {
  const file = dataPaths(dataDir).installation;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ServerError('server.data_folder_unusable', `${file}: ${systemReason(cause)}`, { cause });
  }
  const parsed = parseStrictJson(new TextEncoder().encode(text));
  const members = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  refuseNewer(dataDir, members['format']);
  const installation = parseInstallation(members);
  if (installation === undefined)
    throw new ServerError('server.data_folder_damaged', `${file} does not say which issuer the folder belongs to`);
  if (members['format'] === FORMAT) return installation;
  throw new ServerError(
    'server.data_folder_unreleased',
    `${dataDir} was written by a version of Colophon that was never released: use another folder`,
  );
}

/** Before anything else of the file is read: a later format may say the rest in another way. */
function refuseNewer(dataDir: string, format: unknown): void {
  if (format === FORMAT || UNRELEASED.includes(format)) return;
  throw new ServerError(
    'server.data_folder_newer',
    `${dataDir} was written by a newer version of Colophon: it has format ${JSON.stringify(format)}, and this version reads format ${FORMAT}`,
  );
}

function parseInstallation(members: JsonObject): Installation | undefined {
  const { issuer_url, token_algorithm, predicate_base, claim_arc } = members;
  const isIssuer = typeof issuer_url === 'string' && isServiceAddress(issuer_url);
  if (!isIssuer || (token_algorithm !== 'RS256' && token_algorithm !== 'ES256')) return undefined;
  const isName = (value: unknown, isFine: (text: string) => boolean): value is string | undefined =>
    value === undefined || (typeof value === 'string' && isFine(value));
  if (!isName(predicate_base, isPredicateBase) || !isName(claim_arc, isClaimArc)) return undefined;
  return {
    issuer_url,
    token_algorithm,
    ...(predicate_base === undefined ? {} : { predicate_base }),
    ...(claim_arc === undefined ? {} : { claim_arc }),
  };
}

/**
 * Binds the folder to the installation on its first start, and holds a later start to it. Names of its own may be set
 * later, once: what was kept under the placeholders stays readable, what was kept under other names would not.
 * @throws ServerError `server.issuer_changed`: certificates and log entries name the first address permanently;
 * `server.algorithm_changed`, `server.namespace_changed`
 */
export function bindInstallation(dataDir: string, wanted: Installation): void {
  makeFolder(dataDir);
  const bound = readInstallation(dataDir);
  if (bound === undefined) {
    writeInstallation(dataDir, wanted);
    return;
  }
  if (bound.issuer_url !== wanted.issuer_url) {
    throw new ServerError(
      'server.issuer_changed',
      `this data folder belongs to the issuer ${bound.issuer_url}, and its certificates and log entries name that address: ` +
        `start it there, or use another --data folder for ${wanted.issuer_url}`,
    );
  }
  if (bound.token_algorithm !== wanted.token_algorithm) {
    throw new ServerError(
      'server.algorithm_changed',
      `this data folder signs tokens with ${bound.token_algorithm}; an issuer keeps one algorithm`,
    );
  }
  for (const name of ['predicate_base', 'claim_arc'] as const) {
    if (bound[name] === undefined || wanted[name] === undefined || bound[name] === wanted[name]) continue;
    throw new ServerError(
      'server.namespace_changed',
      `the ${name} of this data folder is ${bound[name]}, and what is kept in it is read under that name alone`,
    );
  }
  const named = { ...bound, ...wanted };
  if (Object.keys(named).length > Object.keys(bound).length) writeInstallation(dataDir, named);
}

function writeInstallation(dataDir: string, installation: Installation): void {
  const written = { format: FORMAT, ...installation };
  writeFileDurably(dataPaths(dataDir).installation, `${JSON.stringify(written, null, 2)}\n`, 0o644);
}

/**
 * Holds the folder for this process alone. The lock is the operating system's, so it ends with the process however that
 * ends. Returns the function that lets go.
 * @throws ServerError `server.data_folder_in_use`, `server.data_folder_unusable`
 */
export function lockDataFolder(dataDir: string): () => void {
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(dataDir);
    closeToOthers(dataDir);
    // SQLite locks a file of a read-only folder too, and the database would be refused with less to say.
    accessSync(dataDir, constants.W_OK);
    makeLockFile(dataPaths(dataDir).lock);
    lock = new DatabaseSync(dataPaths(dataDir).lock);
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    if (cause instanceof ServerError) throw cause;
    if ((cause as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new ServerError('server.data_folder_in_use', `another process is serving ${dataDir}: stop it first`);
    }
    throw new ServerError('server.data_folder_unusable', `${dataDir} cannot be made or written: ${reasonOf(cause)}`, {
      cause,
    });
  }
  const held = lock;
  return () => {
    if (held.isOpen) held.close();
  };
}

/**
 * Makes a folder of one's own, where it is not there, and sees to it that it can be written.
 * @throws ServerError `server.data_folder_unusable`
 */
export function openFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700);
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new ServerError(
      'server.data_folder_unusable',
      `${folder} cannot be made or written: ${systemReason(cause)}`,
      {
        cause,
      },
    );
  }
}

/** Of SQLite, which opens the lock, in its own words. */
function reasonOf(error: unknown): string {
  return 'errcode' in (error as object) ? (error as Error).message : systemReason(error);
}

/**
 * A folder that others may enter was made by somebody before the first start; its owner's program closes it.
 * @throws ServerError `server.data_folder_unusable` where that cannot be done
 */
function closeToOthers(dataDir: string): void {
  const { mode, uid } = statSync(dataDir);
  const own = process.getuid?.();
  // Where there are no owners there are no modes either.
  if ((mode & 0o077) === 0 || own === undefined) return;
  const refusal = `${dataDir} is open to others (mode ${(mode & 0o777).toString(8)})`;
  if (uid !== own) {
    throw new ServerError(
      'server.data_folder_unusable',
      `${refusal} and belongs to another user: take a folder of your own`,
    );
  }
  try {
    chmodSync(dataDir, 0o700);
  } catch (cause) {
    throw new ServerError('server.data_folder_unusable', `${refusal}: chmod 700 it`, { cause });
  }
}

/**
 * SQLite makes files for everybody. A file that is there is not opened: closing it again would let go of the lock that
 * this very process may hold on it (POSIX fcntl).
 */
function makeLockFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined) {
    if (found.mode & 0o077) chmodSync(path, 0o600);
    return;
  }
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Somebody else was faster, and is about to lock it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
