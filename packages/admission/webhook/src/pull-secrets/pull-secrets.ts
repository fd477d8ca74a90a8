import type { ClusterClient, ClusterObject } from '@colophon/cluster';
import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject } from '@colophon/json';
import { type AdmissionRequest, accountSecretsOf, podSecretsOf, templateAccountOf } from '@colophon/kubernetes';
import { type CredentialSource, credentialsIn } from '@colophon/sigstore';
import { KeptAnswers } from './kept-answers.ts';

/** Secrets of one object that are read. */
const MOST_OF_AN_OBJECT = 10;

export type PullSecretsOptions = {
  readonly cluster: Pick<ClusterClient, 'find'>;
  /** Namespaces whose Secrets and ServiceAccounts may be read. */
  readonly namespaces: readonly string[];
  /** The webhook's own credential, which comes first. */
  readonly own: CredentialSource;
  readonly now: () => Date;
  /** Told of a Secret or ServiceAccount that cannot be read; nothing of it is in the error. */
  readonly onFailure: (error: unknown) => void;
};

/** Credentials of registries out of the pull secrets of Pods, for the namespaces that an operator names. */
export class PullSecrets {
  readonly #options: PullSecretsOptions;
  readonly #namespaces: ReadonlySet<string>;
  readonly #secrets = new KeptAnswers<CredentialSource>();
  readonly #accounts = new KeptAnswers<readonly string[]>();

  constructor(options: PullSecretsOptions) {
    this.#options = options;
    this.#namespaces = new Set(options.namespaces);
  }

  /**
   * The credentials that count for an object: the webhook's own and, in a namespace that was named, those of the Secrets by
   * which the object itself pulls, or the Pods of its template will. Each is shown to the registry that it is for, and to no
   * other. Undefined where the webhook's own are all.
   * @returns them, and `name`, which other credentials do not have
   */
  credentialsFor({
    namespace,
    object,
  }: AdmissionRequest): { readonly source: CredentialSource; readonly name: string } | undefined {
    if (namespace === undefined || !this.#namespaces.has(namespace)) return undefined;
    const named = podSecretsOf(object);
    const account = templateAccountOf(object);
    if (named.length === 0 && account === undefined) return undefined;
    const source: CredentialSource = async (registry) => {
      const own = await this.#options.own(registry);
      if (own !== undefined) return own;
      const names = account === undefined ? named : await this.#namesOf(namespace, account);
      for (const name of names.slice(0, MOST_OF_AN_OBJECT)) {
        const found = await (await this.#secret(namespace, name))(registry);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    return { source, name: JSON.stringify([namespace, account, ...named]) };
  }

  #namesOf(namespace: string, account: string): Promise<readonly string[]> {
    return this.#accounts.get(`${namespace}/${account}`, this.#options.now().getTime(), async () =>
      accountSecretsOf(await this.#find(namespace, 'serviceaccounts', account)),
    );
  }

  #secret(namespace: string, name: string): Promise<CredentialSource> {
    return this.#secrets.get(`${namespace}/${name}`, this.#options.now().getTime(), async () => {
      const data = (await this.#find(namespace, 'secrets', name))?.['data'];
      const config = isJsonObject(data) ? data['.dockerconfigjson'] : undefined;
      const bytes = typeof config === 'string' ? decodeBase64(config) : undefined;
      return credentialsIn({ text: bytes === undefined ? '' : new TextDecoder().decode(bytes) });
    });
  }

  /** What cannot be read opens nothing: the registry then says what is missing. */
  async #find(namespace: string, plural: string, name: string): Promise<ClusterObject | undefined> {
    try {
      return await this.#options.cluster.find({ group: '', version: 'v1', plural, namespace }, name);
    } catch (error) {
      this.#options.onFailure(error);
      return undefined;
    }
  }
}
