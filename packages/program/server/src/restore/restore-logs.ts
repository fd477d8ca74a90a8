import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { logTrust, NextLogs, signedTree } from '@colophon/authority';
import { makeFolder } from '@colophon/durable-file';
import { openKeyFile, type SigningKey } from '@colophon/keys';
import { FilePins, keyIdOf, type LogIdentity, readSignedCheckpoint } from '@colophon/pins';
import {
  copyLogs,
  type Database,
  emptyLogs,
  LogEntryStore,
  MerkleLogStore,
  openDatabase,
  TreeRestoreStore,
} from '@colophon/store';
import { certificateLogOrigin, dataPaths, lockDataFolder } from '../data-folder/data-folder.ts';
import { assertHeld, ownTree } from '../pinned-history/own-trees.ts';
import { ServerError } from '../server-error/server-error.ts';
import { writeTrustFiles } from '../trust-files/trust-files.ts';
import { mustNotGoOn, nextKey, pemOf, successorsOf } from './ended-log.ts';
import { removeFrozenDrafts } from './ledger-lineage.ts';
import { type EndedLogFacts, endedLogFacts, logRestoredStatement } from './log-restored-statement.ts';
import { type LogsLineage, type LogsRestore, logsLineage, openFrozenLogs, restoredLogs } from './logs-lineage.ts';

export type RestoreLogsOptions = {
  readonly dataDir: string;
  readonly issuerUrl: string;
  readonly pinsFolder: string;
  /** Of the type of the statement in the first entry. */
  readonly predicateBase: string;
  /** In the words of the operator; it stands in the log for ever. */
  readonly reason: string;
};

/** What became of the logs. */
export type LogsRestored = {
  readonly transparency_origin: string;
  readonly certificate_origin: string;
  /** Of the first entry. */
  readonly log_index: number;
  readonly uuid: string;
  readonly restored: readonly EndedLogFacts[];
};

/**
 * Freezes transparency log and certificate log of which one must not go on, and begins others with names and keys of their
 * own; the first entry of the transparency log is a statement, signed by its key, that names the frozen ones, what is known
 * of them, and the reason. No server may run. A call that was killed is repeated: until the one transaction at its end
 * nothing is changed that a start would read.
 * @throws ServerError `server.nothing_to_restore` where both continue everything that was seen of them, or there are none;
 * those of lockDataFolder; PinError `pin.damaged`, `pin.unavailable`; KeyError; StoreError
 */
export async function restoreLogs(options: RestoreLogsOptions): Promise<LogsRestored> {
  const unlock = lockDataFolder(options.dataDir);
  const opened: Database[] = [];
  try {
    removeFrozenDrafts(options.dataDir);
    const db = openDatabase(dataPaths(options.dataDir).database);
    opened.push(db);
    return await restoreIn(db, { ...options, pins: new FilePins(options.pinsFolder), opened });
  } finally {
    for (const one of opened) one.close();
    unlock();
  }
}

type Restoring = RestoreLogsOptions & { readonly pins: FilePins; readonly opened: Database[] };

async function restoreIn(db: Database, options: Restoring): Promise<LogsRestored> {
  const { dataDir, issuerUrl, pins, opened } = options;
  const paths = dataPaths(dataDir);
  const lineage = logsLineage(db, issuerUrl);
  const current = currentLogs(db, lineage, options);
  const { firstIndex } = openFrozenLogs(dataDir, lineage.restores, { opened: (one) => opened.push(one) });
  const logKey = nextKey(paths.keys, 'transparency-log');
  const ctKey = nextKey(paths.keys, 'certificate-log');
  const file = current.isEmpty ? null : `logs-${keyIdOf(logKey.key.publicKey).slice(0, 16)}.db`;
  if (file !== null) {
    makeFolder(paths.frozen);
    copyLogs(db, paths.database, join(paths.frozen, file));
  }
  // In whole seconds, as the first entry is: it is not older than its key.
  const at = new Date(Math.floor(Date.now() / 1000) * 1000);
  const next = new NextLogs({
    db,
    logKey: logKey.key,
    ctKey: ctKey.key,
    hostname: new URL(issuerUrl).hostname,
    firstIndex: firstIndex + (signedTree(db)?.size ?? 0),
    clock: { now: () => at },
  });
  const names = {
    transparency_origin: next.origin,
    certificate_origin: restoredCertificateOrigin(issuerUrl, ctKey.key.publicKey),
  };
  const { transparency, certificate } = current;
  const ended = {
    transparency: [
      transparency,
      ...successorsOf(transparency, pins, restoredTransparencyLogs(paths.keys, pins)),
    ] as const,
    certificate: [
      certificate,
      ...successorsOf(certificate, pins, restoredCertificateLogs(paths.keys, issuerUrl)),
    ] as const,
  };
  const facts = (['transparency', 'certificate'] as const).flatMap((log) =>
    ended[log].map((one, index) => endedLogFacts(log, one, pins, index === 0 ? current.kept[log] : 0)),
  );
  const record: LogsRestore = {
    at: at.toISOString(),
    until: lastSigned(db).toISOString(),
    statement: logRestoredStatement({ ...options, at, ...names }, facts),
    ...names,
    transparency_key_file: logKey.file,
    certificate_key_file: ctKey.file,
    ended: { transparency: recordsOf(ended.transparency), certificate: recordsOf(ended.certificate) },
    file,
  };
  const restores = new TreeRestoreStore(db);
  const { uuid, head } = await db.write(() => {
    emptyLogs(db);
    restores.add('logs', JSON.stringify(record));
    return next.begin(record.statement);
  });
  // A start does the rest again. The new log is pinned first, so that the old one's note leads to it.
  const { publicKey } = logKey.key;
  pins.keep({ origin: next.origin, publicKey }, readSignedCheckpoint(head.note, publicKey), true);
  for (const one of ended.transparency) pins.retire(one, names.transparency_origin);
  for (const one of ended.certificate) pins.retire(one, names.certificate_origin);
  const logs = restoredLogs([...lineage.restores, record], []);
  const trust = logs && logTrust({ dataDir, logSpki: logKey.key.spki, ctSpki: ctKey.key.spki, logs });
  if (trust !== undefined) writeTrustFiles(dataDir, issuerUrl, trust);
  return { ...names, log_index: next.firstIndex, uuid, restored: facts };
}

type CurrentLogs = {
  readonly transparency: LogIdentity;
  readonly certificate: LogIdentity;
  readonly kept: { readonly transparency: number; readonly certificate: number };
  readonly isEmpty: boolean;
};

/** The logs that are to be frozen. @throws ServerError `server.nothing_to_restore` */
function currentLogs(db: Database, lineage: LogsLineage, { dataDir, issuerUrl, pins }: Restoring): CurrentLogs {
  const paths = dataPaths(dataDir);
  const log = keyOf(join(paths.keys, lineage.transparencyKeyFile), paths.rekorPublicKey);
  const ct = keyOf(join(paths.keys, lineage.certificateKeyFile), paths.ctPublicKey);
  if (log === undefined || ct === undefined) throw nothing(`${dataDir} has no logs`);
  const transparency = { origin: transparencyOrigin(db, log.publicKey, pins, issuerUrl), publicKey: log.publicKey };
  const certificate = { origin: lineage.certificateOrigin, publicKey: ct.publicKey };
  const [logTree, ctTree] = [ownTree(db, 'rekor', transparency), ownTree(db, 'ct', certificate)];
  const isLost = log.key === undefined || ct.key === undefined;
  // Both lie in one file, so that an older copy of the one is an older copy of the other.
  if (!isLost && ![logTree, ctTree].some((tree) => mustNotGoOn(() => assertHeld(tree, pins)))) {
    throw nothing(`both logs of ${issuerUrl} continue everything that is pinned of them`);
  }
  const kept = { transparency: logTree.size(), certificate: ctTree.size() };
  return { transparency, certificate, kept, isEmpty: kept.transparency + kept.certificate === 0 };
}

/** A key that is lost signs nothing any more, and what it signed is verified with its public half. */
function keyOf(
  file: string,
  publicFile: string,
): { readonly key?: SigningKey; readonly publicKey: KeyObject } | undefined {
  if (existsSync(file)) {
    const key = openKeyFile(file, 'ES256');
    return { key, publicKey: key.publicKey };
  }
  return existsSync(publicFile) ? { publicKey: createPublicKey(readFileSync(publicFile)) } : undefined;
}

/** Of a lost database the number of the tree stands in the pins alone; a start that was refused has drawn another. */
function transparencyOrigin(db: Database, publicKey: KeyObject, pins: FilePins, issuerUrl: string): string {
  const [pinned] = pins.ofKey(publicKey);
  const isEmpty = new MerkleLogStore(db, 'rekor').size() === 0;
  if (isEmpty && pinned !== undefined) return pinned.origin;
  return `${new URL(issuerUrl).hostname} - ${new LogEntryStore(db).knownTreeId() ?? 0}`;
}

/** Every transparency log that a restore began, and whose key is there; its name stands in its pins alone. */
function restoredTransparencyLogs(keys: string, pins: FilePins): readonly LogIdentity[] {
  return restoredKeys(keys, 'transparency-log').flatMap((publicKey) =>
    [...new Set(pins.ofKey(publicKey).map(({ origin }) => origin))].map((origin) => ({ origin, publicKey })),
  );
}

/** Every certificate log that a restore began, and whose key is there. */
function restoredCertificateLogs(keys: string, issuerUrl: string): readonly LogIdentity[] {
  return restoredKeys(keys, 'certificate-log').map((publicKey) => {
    return { origin: restoredCertificateOrigin(issuerUrl, publicKey), publicKey };
  });
}

function restoredKeys(keys: string, log: string): readonly KeyObject[] {
  return readdirSync(keys)
    .filter((file) => file.startsWith(`${log}-`) && /-[0-9a-f]{16}\.pem$/.test(file))
    .map((file) => openKeyFile(join(keys, file), 'ES256').publicKey);
}

function restoredCertificateOrigin(issuerUrl: string, publicKey: KeyObject): string {
  return `${certificateLogOrigin(issuerUrl)}/${keyIdOf(publicKey).slice(0, 16)}`;
}

/** Until when the old keys count: a clock that went back must not end them before what they signed. */
function lastSigned(db: Database): Date {
  const heads = (['rekor', 'ct'] as const).map((tree) => new MerkleLogStore(db, tree).head()?.signedAt ?? 0);
  return new Date(Math.max(Date.now(), ...heads));
}

function recordsOf([first, ...others]: readonly [LogIdentity, ...LogIdentity[]]): LogsRestore['ended']['transparency'] {
  const record = ({ origin, publicKey }: LogIdentity) => ({ origin, public_key: pemOf(publicKey) });
  return [record(first), ...others.map(record)];
}

function nothing(reason: string): ServerError {
  return new ServerError('server.nothing_to_restore', `${reason}: there is no reason to begin others`);
}
