import type { WebhookRules } from '@colophon/webhook';
import { ConfigurationRefused } from '../configuration/configuration-file.ts';
import { TwoLooks } from '../watched-file/two-looks.ts';
import { stampOf, WATCH_INTERVAL_MS } from '../watched-file/watched-files.ts';
import { type AdmissionConfiguration, type FixedAdmission, loadAdmission } from './admission-configuration.ts';

export type RulesInForceOptions = {
  /** The namespace that the webhook itself runs in; undefined outside of a cluster. */
  readonly ownNamespace?: string | undefined;
  /** Told of every change: with the error where it did not take effect. */
  readonly onChange: (refused?: unknown) => void;
  readonly intervalMs?: number;
  /** Reads the files. */
  readonly load?: typeof loadAdmission;
};

/**
 * The rules that a webhook decides by. Configuration, policies and roots are read again while it runs; a change takes effect
 * as a whole or not at all, once two looks in a row found the same: what a writer has written so far may be whole policies
 * that demand less. What cannot be used leaves the rules in force, and `problem` says why.
 */
export class RulesInForce {
  readonly fixed: FixedAdmission;
  readonly #options: RulesInForceOptions;
  readonly #load: typeof loadAdmission;
  readonly #file: string;
  readonly #timer: NodeJS.Timeout;
  #rules: WebhookRules;
  #trustFingerprint: string;
  #problem: unknown;
  readonly #looks = new TwoLooks();
  #paths: readonly string[];
  /** Of the files and folders from which the rules in force were read, where that tells whether they are the same. */
  #stamp: string | undefined;

  /** @throws as loadAdmission */
  constructor(file: string, options: RulesInForceOptions) {
    this.#file = file;
    this.#options = options;
    this.#load = options.load ?? loadAdmission;
    const { fixed, rules, trustFingerprint, paths } = this.#load(file, options.ownNamespace);
    this.fixed = fixed;
    this.#rules = rules;
    this.#trustFingerprint = trustFingerprint;
    this.#paths = paths;
    this.#timer = setInterval(() => this.look(), options.intervalMs ?? WATCH_INTERVAL_MS).unref();
  }

  /** One snapshot; a review keeps the one that it began with. Its `trust` is another object only after the roots changed. */
  get rules(): WebhookRules {
    return this.#rules;
  }

  /** Why the files as they are now are not in force; undefined where they are. */
  get problem(): unknown {
    return this.#problem ?? this.#looks.problem;
  }

  /** Reads the files now, unless nobody has touched them: policies by the hundred take longer to compile than a review. */
  look(): void {
    if (this.#stamp !== undefined && this.#stamp === stampOf(this.#paths)) return;
    // What could be used before may come back as it was, by a link.
    this.#stamp = undefined;
    const read = this.#read();
    const found = 'error' in read ? String(read.error) : read.loaded.rules.fingerprint;
    const isInForce = found === this.#rules.fingerprint && this.#problem === undefined;
    if (!isInForce && !this.#looks.isSame(found)) return;
    this.#looks.settle();
    if ('error' in read) this.#refuse(read.error);
    else this.#take(read.loaded, isInForce);
  }

  #read(): { readonly loaded: AdmissionConfiguration } | { readonly error: unknown } {
    try {
      const loaded = this.#load(this.#file, this.#options.ownNamespace);
      const keys = changedKeys(this.fixed, loaded.fixed);
      if (keys.length === 0) return { loaded };
      const found = `changes ${keys.join(', ')}, which takes effect when the webhook is started again`;
      throw new ConfigurationRefused(this.#file, found);
    } catch (error) {
      return { error };
    }
  }

  #refuse(error: unknown): void {
    const isSaid = String(this.#problem) === String(error);
    this.#problem = error;
    if (!isSaid) this.#options.onChange(error);
  }

  #take({ rules, trustFingerprint, paths, stamp }: AdmissionConfiguration, isInForce: boolean): void {
    this.#stamp = stamp;
    this.#paths = paths;
    this.#problem = undefined;
    if (isInForce) return;
    // What was verified under these roots need not be verified again.
    const isSameTrust = trustFingerprint === this.#trustFingerprint;
    this.#rules = isSameTrust ? { ...rules, trust: this.#rules.trust } : rules;
    this.#trustFingerprint = trustFingerprint;
    this.#options.onChange();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** What each part is called in the file. */
const KEYS: Readonly<Record<keyof FixedAdmission, string>> = {
  listen: 'listen',
  operations: 'operations',
  dataDir: 'data',
  registryCredentials: 'registryCredentials',
  pullSecretNamespaces: 'pullSecrets',
  tellsCluster: 'cluster',
  clusterUrl: 'cluster',
  decisionLogFile: 'decisionLog',
  timeoutMs: 'timeoutSeconds',
  drainMs: 'listen.drainSeconds',
};

function changedKeys(before: FixedAdmission, after: FixedAdmission): string[] {
  const parts = Object.keys(KEYS) as Array<keyof FixedAdmission>;
  const changed = parts.filter((part) => JSON.stringify(before[part]) !== JSON.stringify(after[part]));
  return [...new Set(changed.map((part) => KEYS[part]))];
}
