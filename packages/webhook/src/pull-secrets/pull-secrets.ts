import type { ClusterClient } from '@colophon/cluster';
import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject } from '@colophon/json';
import { type AdmissionRequest, podSecretsOf } from '@colophon/kubernetes';
import { type CredentialSource, credentialsIn } from '@colophon/sigstore';

/** How long a Secret is at hand: somebody who exchanges one waits no longer. */
const KEPT_MS = 30_000;
/** Secrets that are at hand, and Secrets of one object that are read. */
const MOST_KEPT = 1000;
const MOST_OF_AN_OBJECT = 10;

export type PullSecretsOptions = {
  readonly cluster: Pick<ClusterClient, 'find'>;
  /** Namespaces whose Secrets may be read. */
  readonly namespaces: readonly string[];
  /** The webhook's own credential, which comes first. */
  readonly own: CredentialSource;
  readonly now: () => Date;
  /** Told of a Secret that cannot be read; nothing of it is in the error. */
  readonly onFailure: (error: unknown) => void;
};

type Kept = { readonly source: Promise<CredentialSource>; readonly readAtMs: number };

/** Credentials of registries out of the pull secrets of Pods, for the namespaces that an operator names. */
export class PullSecrets {
  readonly #options: PullSecretsOptions;
  readonly #namespaces: ReadonlySet<string>;
  readonly #kept = new Map<string, Kept>();

  constructor(options: PullSecretsOptions) {
    this.#options = options;
    this.#namespaces = new Set(options.namespaces);
  }

  /**
   * The credentials that count for an object: the webhook's own and, in a namespace that was named, those of the Secrets by
   * which the object itself pulls. Each is shown to the registry that it is for, and to no other. Undefined where the
   * webhook's own are all.
   * @returns them, and `name`, which other credentials do not have
   */
  credentialsFor({
    namespace,
    object,
  }: AdmissionRequest): { readonly source: CredentialSource; readonly name: string } | undefined {
    if (namespace === undefined || !this.#namespaces.has(namespace)) return undefined;
    const names = podSecretsOf(object).slice(0, MOST_OF_AN_OBJECT);
    if (names.length === 0) return undefined;
    const source: CredentialSource = async (registry) => {
      const own = await this.#options.own(registry);
      if (own !== undefined) return own;
      for (const name of names) {
        const found = await (await this.#secret(namespace, name))(registry);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    return { source, name: JSON.stringify([namespace, ...names]) };
  }

  #secret(namespace: string, name: string): Promise<CredentialSource> {
    const key = `${namespace}/${name}`;
    const nowMs = this.#options.now().getTime();
    const kept = this.#kept.get(key);
    // One that was read before the clock was set back would be at hand for as long as that.
    if (kept !== undefined && kept.readAtMs <= nowMs && nowMs < kept.readAtMs + KEPT_MS) return kept.source;
    const source = this.#read(namespace, name);
    this.#kept.delete(key);
    this.#kept.set(key, { source, readAtMs: nowMs });
    if (this.#kept.size > MOST_KEPT) this.#kept.delete([...this.#kept.keys()][0] as string);
    return source;
  }

  /** What cannot be read opens nothing: the registry then says what is missing. */
  async #read(namespace: string, name: string): Promise<CredentialSource> {
    try {
      const secret = await this.#options.cluster.find({ group: '', version: 'v1', plural: 'secrets', namespace }, name);
      const data = isJsonObject(secret?.['data'] as never) ? (secret?.['data'] as Record<string, unknown>) : {};
      const config = data['.dockerconfigjson'];
      const bytes = typeof config === 'string' ? decodeBase64(config) : undefined;
      return credentialsIn({ text: bytes === undefined ? '' : new TextDecoder().decode(bytes) });
    } catch (error) {
      this.#options.onFailure(error);
      return credentialsIn({ text: '' });
    }
  }
}
