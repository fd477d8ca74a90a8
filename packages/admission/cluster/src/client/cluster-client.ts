import { isJsonObject } from '@colophon/json';
import { askPeer, type FinalAnswer, isPassing, jsonIn, NoAnswer, type Question, shownAddress } from '@colophon/peer';
import { ClusterError } from '../cluster-error/cluster-error.ts';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import { type ClusterResource, resourceName, resourcePath } from '../resource/cluster-resource.ts';
import { type ClusterObject, isClusterObject } from './cluster-object.ts';
import { type ClusterQuestion, refusalOf } from './refused-question.ts';

export type ClusterClientOptions = {
  /** Of one attempt; 10,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
};

export type ListOptions = {
  /** Entries of a page; 250. A page that is too large is asked for again with fewer. */
  readonly limit?: number;
  /** Entries of all pages; 100,000. */
  readonly most?: number;
  /** e.g. `status.phase=Running`. */
  readonly fieldSelector?: string;
};

const TIMEOUT_MS = 10_000;
const MOST_OBJECT_BYTES = 4 * 1024 * 1024;
const MOST_PAGE_BYTES = 16 * 1024 * 1024;
const PAGE_ENTRIES = 250;
const MOST_ENTRIES = 100_000;
const RETRY = { times: 2, firstPauseMs: 200, isPassing };
/** Who wrote a field, where the API server keeps that. */
const FIELD_MANAGER = 'colophon';

type Body = { readonly type: string; readonly value: unknown };

/**
 * A client of a cluster's API. Reading is tried again where that may help; writing never is, because nobody knows whether
 * the first attempt arrived.
 */
export class ClusterClient {
  readonly #connection: ClusterConnection;
  readonly #options: ClusterClientOptions;

  constructor(connection: ClusterConnection, options: ClusterClientOptions = {}) {
    this.#connection = connection;
    this.#options = options;
  }

  /** @throws ClusterError `cluster.not_found` and every other code of a question */
  async get(resource: ClusterResource, name: string): Promise<ClusterObject> {
    return objectIn(await this.#ask({ verb: 'get', resource, name }), resource);
  }

  /** As {@link get}, but undefined where there is no such object. @throws ClusterError */
  async find(resource: ClusterResource, name: string): Promise<ClusterObject | undefined> {
    try {
      return await this.get(resource, name);
    } catch (error) {
      if (error instanceof ClusterError && error.code === 'cluster.not_found') return undefined;
      throw error;
    }
  }

  /**
   * Every object of a resource, page by page. Between two pages the cluster goes on: where the API server has forgotten the
   * state that the list began with, the rest is of a later one.
   * @throws ClusterError `cluster.too_many`, `cluster.list_expired` and every other code of a question
   */
  async *pages(resource: ClusterResource, options: ListOptions = {}): AsyncGenerator<readonly ClusterObject[], void> {
    const { most = MOST_ENTRIES, fieldSelector } = options;
    let { limit = PAGE_ENTRIES } = options;
    let count = 0;
    let next: string | undefined = '';
    while (next !== undefined) {
      const query = { limit: `${limit}`, ...(next && { continue: next }), ...(fieldSelector && { fieldSelector }) };
      const page = await this.#page(resource, query);
      if (page === 'too-large') {
        if (limit === 1) throw invalidAnswer(resource, 'one object that is larger than is read');
        limit = Math.ceil(limit / 8);
        continue;
      }
      // An empty page counts too, so that a list ends.
      count += Math.max(1, page.items.length);
      if (count > most) {
        const expected = `at most ${most}`;
        throw new ClusterError('cluster.too_many', `the cluster has too many ${resource.plural}`, { expected });
      }
      yield page.items;
      next = page.next;
    }
  }

  /** @throws ClusterError `cluster.exists` and every other code of a question */
  async create(resource: ClusterResource, object: ClusterObject): Promise<ClusterObject> {
    return objectIn(await this.#ask({ verb: 'create', resource }, {}, json(object)), resource);
  }

  /**
   * Writes an object that was read before.
   * @throws ClusterError `cluster.conflict` where somebody else has written it since, and every other code of a question
   * @throws TypeError without the name and the resourceVersion that was read
   */
  async replace(resource: ClusterResource, object: ClusterObject): Promise<ClusterObject> {
    const { name, resourceVersion } = object.metadata;
    if (!name || !resourceVersion) throw new TypeError('an object is replaced as it was read');
    return objectIn(await this.#ask({ verb: 'update', resource, name }, {}, json(object)), resource);
  }

  /** Changes the members that are given; null removes one. @see RFC 7396 @throws ClusterError */
  async mergePatch(resource: ClusterResource, name: string, patch: object): Promise<ClusterObject> {
    const body = { type: 'application/merge-patch+json', value: patch };
    return objectIn(await this.#ask({ verb: 'patch', resource, name }, {}, body), resource);
  }

  /** The rest of a list that has expired can still be had, from its later state. */
  async #page(
    resource: ClusterResource,
    query: Readonly<Record<string, string>>,
  ): Promise<{ readonly items: readonly ClusterObject[]; readonly next: string | undefined } | 'too-large'> {
    const question = { verb: 'list', resource } as const;
    const answer = await this.#send(question, query);
    if (answer instanceof NoAnswer) {
      if (answer.kind === 'too-large') return 'too-large';
      throw unreachable(answer, question);
    }
    const said = jsonIn(answer.body);
    const metadata = isJsonObject(said) ? said['metadata'] : undefined;
    const next = isJsonObject(metadata) ? metadata['continue'] : undefined;
    if (answer.status === 410 && typeof next === 'string' && next !== '' && next !== query['continue']) {
      return { items: [], next };
    }
    if (!answer.isOk) throw refusalOf(answer, question);
    const items = isJsonObject(said) ? said['items'] : undefined;
    if (!Array.isArray(items) || !items.every(isClusterObject)) throw invalidAnswer(resource, 'no list');
    return { items, next: typeof next === 'string' && next !== '' ? next : undefined };
  }

  async #ask(
    question: ClusterQuestion,
    query: Readonly<Record<string, string>> = {},
    body?: Body,
  ): Promise<FinalAnswer> {
    const answer = await this.#send(question, query, body);
    if (answer instanceof NoAnswer) throw unreachable(answer, question);
    if (!answer.isOk) throw refusalOf(answer, question);
    return answer;
  }

  async #send(
    { verb, resource, name }: ClusterQuestion,
    query: Readonly<Record<string, string>>,
    body?: Body,
  ): Promise<FinalAnswer | NoAnswer> {
    const { timeoutMs = TIMEOUT_MS, signal } = this.#options;
    const { headers, fetch } = this.#connection.access();
    const parameters = new URLSearchParams(body === undefined ? query : { ...query, fieldManager: FIELD_MANAGER });
    const path = resourcePath(resource, name);
    const url = `${this.#connection.url}${path}${parameters.size === 0 ? '' : `?${parameters}`}`;
    const asked: Question = {
      method: METHODS[verb],
      headers: { accept: 'application/json', ...headers, ...(body && { 'content-type': body.type }) },
      ...(body && { body: new TextEncoder().encode(JSON.stringify(body.value)) }),
    };
    const mostBytes = verb === 'list' ? MOST_PAGE_BYTES : MOST_OBJECT_BYTES;
    const retry = body === undefined ? RETRY : undefined;
    try {
      return await askPeer(url, asked, { fetch, timeoutMs, mostBytes, signal, retry, redirect: 'refused' });
    } catch (error) {
      if (error instanceof NoAnswer) return error;
      throw error;
    }
  }
}

const METHODS: Readonly<Record<ClusterQuestion['verb'], string>> = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
};

function json(value: unknown): Body {
  return { type: 'application/json', value };
}

function objectIn(answer: FinalAnswer, resource: ClusterResource): ClusterObject {
  const said = jsonIn(answer.body);
  if (!isClusterObject(said)) throw invalidAnswer(resource, 'no object', shownAddress(answer.url));
  return said;
}

function unreachable(silence: NoAnswer, { verb, resource, name }: ClusterQuestion): ClusterError {
  const isWrong = silence.kind === 'too-large' || silence.kind === 'redirect';
  const code = isWrong ? 'cluster.answer_invalid' : 'cluster.unreachable';
  return new ClusterError(code, `the API server does not answer: ${verb} ${resourceName(resource, name)}`, {
    checked: shownAddress(silence.url),
    found: silence.message,
  });
}

function invalidAnswer(resource: ClusterResource, found: string, checked?: string): ClusterError {
  return new ClusterError('cluster.answer_invalid', `this is no answer of an API server: ${resource.plural}`, {
    found,
    ...(checked === undefined ? {} : { checked }),
  });
}
