import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegistry, type Registry } from '@colophon/server/registry';
import { RegistryClient, type ResolvedImage } from '@colophon/sigstore';
import Fastify, { type FastifyInstance } from 'fastify';

/** What a registry may lack: its own list of referrers, conditions on writes, the right to move a tag. */
export type Lacking = {
  readonly referrers?: boolean;
  readonly conditions?: boolean;
  /** It says that it listed a referrer, and lists none. */
  readonly honesty?: boolean;
  /** The status by which it refuses to move a tag. */
  readonly movableTags?: number;
};

/** Our own registry without a socket, with an image in it; or, without what it may lack, somebody else's. */
export class LocalRegistry {
  readonly #folder = mkdtempSync(join(tmpdir(), 'local-registry-'));
  readonly #registry: Registry;
  readonly #app: FastifyInstance;
  readonly #lacking: Lacking;
  /** Method and path of every request, in order. */
  readonly requests: string[] = [];

  private constructor(lacking: Lacking) {
    this.#registry = createRegistry({ folder: this.#folder });
    this.#app = Fastify();
    this.#lacking = lacking;
  }

  static async open(lacking: Lacking = {}): Promise<LocalRegistry> {
    const registry = new LocalRegistry(lacking);
    await registry.#registry.register(registry.#app);
    return registry;
  }

  async close(): Promise<void> {
    await this.#app.close();
    this.#registry.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  client(): RegistryClient {
    return new RegistryClient({ fetch: this.fetch });
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(String(input));
    const method = init.method ?? 'GET';
    this.requests.push(`${method} ${pathname}`);
    if (this.#lacking.referrers && pathname.includes('/referrers/')) return new Response('', { status: 404 });
    const headers = Object.fromEntries(new Headers(init.headers));
    const tag = /\/manifests\/(?!sha256:)(.+)$/.exec(pathname)?.[0];
    if (this.#lacking.movableTags !== undefined && method === 'PUT' && tag !== undefined) {
      const { statusCode } = await this.#app.inject({ method: 'GET', url: pathname });
      if (statusCode === 200) return new Response('{}', { status: this.#lacking.movableTags });
    }
    if (this.#lacking.conditions) {
      delete headers['if-match'];
      delete headers['if-none-match'];
    }
    const answer = await this.#app.inject({
      method: method as 'GET',
      url: `${pathname}${search}`,
      headers,
      ...(init.body ? { payload: Buffer.from(init.body as Uint8Array) } : {}),
    });
    const kept = Object.entries(answer.headers).filter(
      ([name]) =>
        !(this.#lacking.referrers && !this.#lacking.honesty && name === 'oci-subject') &&
        !(this.#lacking.conditions && name === 'etag'),
    );
    const body = method === 'HEAD' || answer.statusCode === 204 ? null : new Uint8Array(answer.rawPayload);
    return new Response(body, {
      status: answer.statusCode,
      headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
    });
  };

  /** Pushes a minimal image and says what it is. */
  async pushImage(note = 'an image', repository = 'demo/app'): Promise<ResolvedImage> {
    const client = this.client();
    const place = { registry: 'localhost:7080', repository };
    const config = new TextEncoder().encode(JSON.stringify({ note }));
    const descriptor = {
      mediaType: 'application/json',
      digest: await client.putBlob(place, config),
      size: config.length,
    };
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    const manifest = { schemaVersion: 2, mediaType, config: descriptor, layers: [] };
    const bytes = new TextEncoder().encode(JSON.stringify(manifest));
    await client.putManifest(place, 'v1', { bytes, mediaType });
    return client.resolve({ ...place, tag: 'v1' });
  }
}
