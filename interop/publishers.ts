import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Installation } from './colophon-up.ts';

const PUBLISHER = join(import.meta.dirname, 'publisher.ts');

/** A folder that goes with its test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-publishing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function newKey(folder: string): { file: string; publicKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = join(folder, 'key.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return { file, publicKey };
}

/** A publisher in a process of its own. */
export type Publisher = {
  readonly child: ChildProcess;
  /** Each version that it has published. */
  readonly published: readonly string[];
  readonly ended: Promise<number | null>;
  errors(): string;
};

/** Publishes version after version, from `first` to `last`, or until it is ended. */
export function startPublisher(
  place: string,
  key: string,
  { first = 0, last = 1_000_000, env = {} }: { first?: number; last?: number; env?: NodeJS.ProcessEnv } = {},
): Publisher {
  const child = spawn(process.execPath, [PUBLISHER, place, key, String(first), String(last)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const published: string[] = [];
  let errors = '';
  child.stdout.on('data', (chunk) => published.push(...String(chunk).trim().split('\n')));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, published, ended, errors: () => errors };
}

export async function endPublisher({ child, ended }: Publisher, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await ended;
}

/** Writes a valid document about a version of an artifact. */
export function writeSbom(up: Installation, name: string, version: string): string {
  const component = { type: 'application', name, version };
  const document = { bomFormat: 'CycloneDX', specVersion: '1.7', version: 1, metadata: { component } };
  const file = join(up.folder, `${name}-${version}.json`);
  writeFileSync(file, JSON.stringify(document));
  return file;
}
