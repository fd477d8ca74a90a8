import { dirname, resolve } from 'node:path';
import { Aside } from '../aside/aside.ts';
import { WatchedFiles } from '../watched-file/watched-files.ts';
import type { Configuration, FixedConfiguration, LiveConfiguration } from './configuration.ts';
import { ConfigurationRefused, configurationOf, readConfigurationText, textOf } from './configuration-file.ts';
import { compileConfiguration, MAX_CONFIGURATION_LENGTH } from './read-configuration.ts';

/** A changed file is read in place up to this many bytes, some hundredths of a second; a larger one beside the server. */
export const CONFIGURATION_IN_PLACE_BYTES = 64 * 1024;
/** YAML takes some hundred times its bytes while it is taken apart. */
const READING = { heapMb: 4096, timeoutMs: 120_000, inPlaceBytes: CONFIGURATION_IN_PLACE_BYTES };

/**
 * The configuration that a server goes by. A file that changed takes effect as a whole, or not at all: then the one
 * before it stays in force, and `problem` says why. Nobody waits while a large file is read.
 */
export class ConfigurationInForce {
  readonly fixed: FixedConfiguration;
  readonly #files: WatchedFiles;
  readonly #aside = new Aside(READING);
  #isClosed = false;
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
    const first = configurationOf(file, text);
    this.fixed = first.fixed;
    this.#live = first.live;
    const take = (next: Configuration) => {
      if (this.#isClosed) return;
      this.#live = unchanged(file, first, next);
      onChange();
    };
    this.#files = new WatchedFiles({
      paths: [file],
      taken: [Buffer.from(text)],
      abandon: () => this.#aside.close(),
      take: ([content]) => {
        const text = textOf(file, content!);
        // What is too large to be read at all is refused here.
        const isLarge = content!.length > CONFIGURATION_IN_PLACE_BYTES && text.length <= MAX_CONFIGURATION_LENGTH;
        return isLarge ? this.#readAside(file, content!).then(take) : take(configurationOf(file, text));
      },
      onFailure: (error) => {
        const isRefused = error instanceof ConfigurationRefused;
        onChange(isRefused ? error : new ConfigurationRefused(file, `cannot be read: ${(error as Error).message}`));
      },
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
    this.#isClosed = true;
    this.#files.close();
    this.#aside.close();
  }

  async #readAside(file: string, content: Uint8Array): Promise<Configuration> {
    const read = await this.#aside.read('configuration', content, dirname(resolve(file)));
    if (read.ok) return compileConfiguration(read.value);
    throw new ConfigurationRefused(file, 'is no configuration', read.issues);
  }
}

/** What takes effect at once. @throws ConfigurationRefused where something else was changed too */
function unchanged(file: string, { fixed, live }: Configuration, next: Configuration): LiveConfiguration {
  const changed = changedKeys(fixed, next.fixed);
  // Who was never asked who they are is not asked from one request to the next.
  if (live.callerList.length === 0 && next.live.callerList.length > 0) changed.push('callers');
  if (changed.length === 0) return next.live;
  const keys = changed.join(', ');
  throw new ConfigurationRefused(file, `changes ${keys}, which takes effect when the server is started again`);
}

/** Where a key of the file has another name than what it becomes. */
const KEYS_OF_FIELDS: { readonly [name in keyof FixedConfiguration]?: string } = {
  dataDir: 'data',
  furtherIssuers: 'authority',
  namespace: 'predicateBase or claimArc',
};

/** The keys of the file, as far as they are fixed, that say something else. */
function changedKeys(now: FixedConfiguration, next: FixedConfiguration): string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(next)] as Array<keyof FixedConfiguration>);
  return [...names]
    .filter((name) => JSON.stringify(now[name]) !== JSON.stringify(next[name]))
    .map((name) => KEYS_OF_FIELDS[name] ?? name);
}
