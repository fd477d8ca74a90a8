import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemReason } from '@colophon/durable-file';
import { ServerError } from '../server-error/server-error.ts';
import { WatchedFiles } from '../watched-file/watched-files.ts';
import type { FixedConfiguration, LiveConfiguration } from './configuration.ts';
import type { ConfigurationIssue } from './configuration-issue.ts';
import { parseConfiguration } from './read-configuration.ts';

/** A configuration file that cannot be used. */
export class ConfigurationRefused extends ServerError {
  /** Every problem of the file; none where it could not be read at all. */
  readonly issues: readonly ConfigurationIssue[];

  constructor(file: string, found: string, issues: readonly ConfigurationIssue[] = []) {
    super('server.configuration_invalid', `${file} ${found}`);
    this.issues = issues;
  }
}

/** The text of a configuration file. @throws ConfigurationRefused where it cannot be read */
function readConfigurationText(file: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new ConfigurationRefused(file, `cannot be read: ${systemReason(error)}`);
  }
  return textOf(file, bytes);
}

/** Its hash stands in the ledger, so no two files have one text. @throws ConfigurationRefused for what is no UTF-8 */
function textOf(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ConfigurationRefused(file, 'is not UTF-8');
  }
}

/** The configuration that a text of the file is. @throws ConfigurationRefused */
function configurationOf(file: string, text: string) {
  const parsed = parseConfiguration(text, { folder: dirname(resolve(file)) });
  if (parsed.ok) return parsed.value;
  throw new ConfigurationRefused(file, 'is no configuration', parsed.issues);
}

/** The configuration in a file. @throws ConfigurationRefused */
export function loadConfiguration(file: string) {
  return configurationOf(file, readConfigurationText(file));
}

/**
 * The configuration that a server goes by. A file that changed takes effect as a whole, or not at all: then the one
 * before it stays in force, and `problem` says why.
 */
export class ConfigurationInForce {
  readonly fixed: FixedConfiguration;
  readonly #files: WatchedFiles;
  #live: LiveConfiguration;

  /**
   * @param onChange told of every change: with the refusal of a file that did not take effect
   * @throws ConfigurationRefused
   */
  constructor(
    file: string,
    {
      onChange,
      intervalMs,
    }: { readonly onChange: (refused?: ConfigurationRefused) => void; readonly intervalMs?: number },
  ) {
    const text = readConfigurationText(file);
    const { fixed, live } = configurationOf(file, text);
    this.fixed = fixed;
    this.#live = live;
    this.#files = new WatchedFiles({
      paths: [file],
      taken: [Buffer.from(text)],
      take: ([content]) => {
        const next = configurationOf(file, textOf(file, content!));
        const changed = changedKeys(fixed, next.fixed);
        // Who was never asked who they are is not asked from one request to the next.
        if (live.callerList.length === 0 && next.live.callerList.length > 0) changed.push('callers');
        if (changed.length > 0) {
          const keys = changed.join(', ');
          throw new ConfigurationRefused(file, `changes ${keys}, which takes effect when the server is started again`);
        }
        this.#live = next.live;
        onChange();
      },
      onFailure: (error) =>
        onChange(error instanceof ConfigurationRefused ? error : new ConfigurationRefused(file, String(error))),
      ...(intervalMs === undefined ? {} : { intervalMs }),
    });
  }

  /** One snapshot; a request keeps the one that it began with. */
  get live(): LiveConfiguration {
    return this.#live;
  }

  /** Why the file as it is now is not in force. */
  get problem(): unknown {
    return this.#files.failure;
  }

  close(): void {
    this.#files.close();
  }
}

/** The keys of the file, as far as they are fixed, that say something else. */
function changedKeys(now: FixedConfiguration, next: FixedConfiguration): string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(next)] as Array<keyof FixedConfiguration>);
  return [...names]
    .filter((name) => JSON.stringify(now[name]) !== JSON.stringify(next[name]))
    .map((name) => (name === 'dataDir' ? 'data' : name === 'namespace' ? 'predicateBase or claimArc' : name));
}
