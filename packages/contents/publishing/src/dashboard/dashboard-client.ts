import { setTimeout as pause } from 'node:timers/promises';
import { parseUuid } from '@colophon/notation';
import {
  type AskOptions,
  askPeer,
  isLoopback,
  jsonIn,
  membersIn,
  NoAnswer,
  type Question,
  shownAddress,
} from '@colophon/peer';
import { DashboardError } from '../dashboard-error/dashboard-error.ts';
import { type DashboardAnswer, type DashboardQuestion, isFailing, refusalOf } from './dashboard-answer.ts';
import { compareFindings, type DashboardFinding, readFinding } from './dashboard-finding.ts';
import { type DashboardIdentity, readIdentity } from './dashboard-version.ts';
import { multipartBody } from './multipart-body.ts';

export type DashboardOptions = {
  /** Without `/api`. */
  readonly url: string;
  /** Sent to this address alone, and part of no error. */
  readonly apiKey: string;
  /** Send the key over plain http to another machine. */
  readonly allowHttp?: boolean | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of one question; 30,000. An upload has ten times as long. */
  readonly timeoutMs?: number | undefined;
};

/** Which project a document is about: one that is known by its id, or one by name and version that may be made. */
export type DashboardProject =
  | { readonly uuid: string }
  | {
      readonly name: string;
      readonly version?: string | undefined;
      readonly autoCreate?: boolean | undefined;
      readonly parent?: { readonly uuid: string } | { readonly name: string; readonly version?: string | undefined };
      readonly isLatest?: boolean | undefined;
    };

/** What the dashboard gave for a document that it took. */
export type DashboardReceipt = {
  readonly token: string;
  /** Versions before 5 do not say it. */
  readonly projectUuid?: string;
};

const DEFAULT_TIMEOUT_MS = 30_000;
const UPLOADS_TAKE = 10;
const PROBE_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Between two looks at what the dashboard is doing. */
const FIRST_PAUSE_MS = 250;
const RETRY: AskOptions['retry'] = {
  times: 3,
  firstPauseMs: FIRST_PAUSE_MS,
  isPassing: (outcome) => (outcome instanceof NoAnswer ? outcome.isPassing : isFailing(outcome.status)),
};
const MAX_PAUSE_MS = 10_000;
const PAGE_SIZE = 500;
const MAX_PAGES = 1_000;

/**
 * A Dependency-Track server. Questions are asked again where nobody answers; what is sent is never sent twice, because
 * nobody knows whether it arrived.
 * @see contract §4.4, §5.6; https://docs.dependencytrack.org/
 */
export class DashboardClient {
  readonly #base: URL;
  readonly #options: DashboardOptions;

  /** @throws DashboardError `dashboard.address_refused` */
  constructor(options: DashboardOptions) {
    this.#base = dashboardAddress(options);
    this.#options = options;
  }

  /**
   * Asks who is there, once and without the key, which Dependency-Track does not want here. Never throws but where the
   * caller gives up: a server that does not say it may accept a document all the same.
   */
  async identity(): Promise<DashboardIdentity> {
    try {
      const answer = await this.#send('version', {}, { timeoutMs: PROBE_TIMEOUT_MS, isAnonymous: true });
      if (answer.status !== 200) return { ok: false, reason: `HTTP ${answer.status}` };
      return readIdentity(jsonIn(answer.body));
    } catch (error) {
      if (!(error instanceof DashboardError)) throw error;
      return { ok: false, reason: error.facts.found ?? error.message };
    }
  }

  /**
   * Sends a CycloneDX document; it is read from the blob as it goes out.
   * @throws DashboardError `dashboard.*`
   */
  async uploadBom(bom: Blob, project: DashboardProject, tags: readonly string[] = []): Promise<DashboardReceipt> {
    const fields = { ...projectFields(project), ...creationFields(project), projectTags: tags.join(',') || undefined };
    const form = multipartBody(fields, { field: 'bom', name: 'bom.cdx.json', content: bom });
    return this.#upload('v1/bom', form, {
      permission: 'BOM_UPLOAD',
      whenNotFound: 'name a project that is there, or add --auto-create; and check that the address is the API server',
    });
  }

  /** Sends a CycloneDX VEX about a project that is there. @throws DashboardError `dashboard.*` */
  async uploadVex(vex: Blob, project: DashboardProject): Promise<DashboardReceipt> {
    const form = multipartBody(projectFields(project), { field: 'vex', name: 'vex.cdx.json', content: vex });
    return this.#upload('v1/vex', form, {
      permission: 'VULNERABILITY_ANALYSIS',
      whenNotFound: 'upload an SBOM of this project first',
    });
  }

  /**
   * Waits until the dashboard is done with what a token stands for, asking less and less often.
   * @throws DashboardError `dashboard.processing_timeout` and `dashboard.*`
   */
  async waitFor(
    token: string,
    { timeoutMs, onPoll }: { readonly timeoutMs: number; readonly onPoll?: (waitedMs: number) => void },
  ): Promise<void> {
    const path = `v1/event/token/${encodeURIComponent(token)}`;
    const startedAt = performance.now();
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 1.5, MAX_PAUSE_MS)) {
      const answer = await this.#ask(path, { permission: 'BOM_UPLOAD', whenNotFound: 'Dependency-Track before 4.11?' });
      const { processing } = membersIn(answer.body);
      if (processing === false) return;
      if (processing !== true) throw this.#noDashboard(path);
      const waitedMs = performance.now() - startedAt;
      if (waitedMs + wait > timeoutMs) {
        throw new DashboardError(
          'dashboard.processing_timeout',
          'the dashboard accepted the document and is still processing it',
          {
            checked: this.#address(path).href,
            found: `not finished after ${Math.round(waitedMs / 1000)} s`,
            expected: 'the end of processing within --timeout; the document is there and need not be sent again',
          },
        );
      }
      onPoll?.(waitedMs);
      await pause(wait, undefined, { signal: this.#options.signal });
    }
  }

  /** The id of a project, for versions that do not give it with the receipt. @throws DashboardError `dashboard.*` */
  async findProject({
    name,
    version,
  }: {
    readonly name: string;
    readonly version?: string | undefined;
  }): Promise<string> {
    const query = new URLSearchParams({ name, ...(version === undefined ? {} : { version }) });
    const path = `v1/project/lookup?${query}`;
    const answer = await this.#ask(path, {
      permission: 'VIEW_PORTFOLIO',
      whenNotFound: 'the project may have been deleted meanwhile',
    });
    const { uuid } = membersIn(answer.body);
    if (isUuidText(uuid)) return uuid;
    throw this.#noDashboard(path);
  }

  /** What is known about a project, without what was suppressed; the worst first. @throws DashboardError `dashboard.*` */
  async findings(projectUuid: string): Promise<DashboardFinding[]> {
    const all = new Map<string, DashboardFinding>();
    for (let page = 1, seen = 0; page <= MAX_PAGES; page++) {
      const path = `v1/finding/project/${encodeURIComponent(projectUuid)}?pageNumber=${page}&pageSize=${PAGE_SIZE}`;
      const { body, total } = await this.#ask(path, {
        permission: 'VIEW_VULNERABILITY',
        whenNotFound: 'the project may have been deleted meanwhile',
      });
      const list = jsonIn(body);
      if (!Array.isArray(list)) throw this.#noDashboard(path);
      for (const element of list) {
        const finding = readFinding(element);
        if (finding === undefined) throw this.#noDashboard(path);
        // Project, component and vulnerability, by which Dependency-Track itself tells findings apart.
        const { matrix } = element as { matrix?: unknown };
        all.set(typeof matrix === 'string' ? matrix : JSON.stringify(finding), finding);
      }
      seen += list.length;
      // Versions before 5 know no pages here and give everything each time.
      if (list.length === 0 || total === undefined || seen >= total) break;
    }
    return [...all.values()].sort(compareFindings);
  }

  async #upload(path: string, form: Blob, about: Omit<DashboardQuestion, 'checked'>): Promise<DashboardReceipt> {
    const checked = this.#address(path).href;
    const timeoutMs = (this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS) * UPLOADS_TAKE;
    const answer = await this.#send(path, { method: 'POST', body: form }, { timeoutMs }).catch((error: unknown) => {
      throw outcomeUnknown(error);
    });
    if (answer.status !== 200) {
      const refusal = refusalOf(answer, { checked, ...about }, this.#withoutKey);
      throw outcomeUnknown(refusal);
    }
    const { token, projectUuid } = membersIn(answer.body);
    if (!isUuidText(token)) throw this.#noDashboard(path);
    return { token, ...(isUuidText(projectUuid) && { projectUuid }) };
  }

  async #ask(path: string, about: Omit<DashboardQuestion, 'checked'>): Promise<DashboardAnswer> {
    const answer = await this.#send(path, {}, { retry: RETRY });
    if (answer.status === 200) return answer;
    throw refusalOf(answer, { checked: this.#address(path).href, ...about }, this.#withoutKey);
  }

  async #send(
    path: string,
    question: Question,
    { isAnonymous = false, ...limits }: Partial<AskOptions> & { readonly isAnonymous?: boolean } = {},
  ): Promise<DashboardAnswer> {
    const { fetch, apiKey, signal, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    // A blob brings its content type along.
    const headers = { ...(isAnonymous ? {} : { 'x-api-key': apiKey }), accept: 'application/json' };
    const options = { fetch, signal, timeoutMs, mostBytes: MAX_ANSWER_BYTES, ...limits };
    const answer = await askPeer(this.#address(path), { ...question, headers }, options).catch((error: unknown) => {
      throw error instanceof NoAnswer ? silence(error) : error;
    });
    const contentType = answer.headers.get('content-type') ?? '';
    const total = totalOf(answer.headers.get('x-total-count'));
    return { status: answer.status, contentType, total, body: answer.body };
  }

  #address(path: string): URL {
    return new URL(`api/${path}`, this.#base);
  }

  #noDashboard(path: string): DashboardError {
    return new DashboardError('dashboard.answer_invalid', 'the server is not a Dependency-Track', {
      checked: shownAddress(this.#address(path)),
      expected: 'the address of the API server, which is not always that of the web page',
    });
  }

  /** A peer that repeats what it was sent repeats it to a log or a screen. */
  readonly #withoutKey = (text: string): string => text.replaceAll(this.#options.apiKey, '<api key>');
}

/** The address with a slash at its end. */
function dashboardAddress({ url, allowHttp }: DashboardOptions): URL {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  const isWeb = base?.protocol === 'https:' || base?.protocol === 'http:';
  if (base === undefined || !isWeb || base.username !== '' || base.password !== '' || base.search || base.hash) {
    throw new DashboardError('dashboard.address_refused', 'the address of the dashboard is not usable', {
      expected: 'https://HOST, without login, query and fragment',
    });
  }
  if (base.protocol === 'http:' && !isLoopback(base) && allowHttp !== true) {
    throw new DashboardError('dashboard.address_refused', 'over plain http the key can be read on its way', {
      checked: base.href,
      expected: 'https://, this machine, or --allow-http',
    });
  }
  // People copy it with the path of the API.
  base.pathname = `${base.pathname.replace(/\/+$/, '').replace(/\/api(?:\/v1(?:\/bom)?)?$/, '')}/`;
  return base;
}

function silence({ kind, message, url }: NoAnswer): DashboardError {
  const checked = shownAddress(url);
  return kind === 'too-large'
    ? new DashboardError('dashboard.answer_invalid', message, { checked })
    : new DashboardError('dashboard.unreachable', 'the dashboard does not answer', { checked, found: message });
}

type Fields = Readonly<Record<string, string | undefined>>;

function projectFields(project: DashboardProject): Fields {
  return 'uuid' in project ? { project: project.uuid } : { projectName: project.name, projectVersion: project.version };
}

/** What the dashboard needs to know where the project has to be made. */
function creationFields(project: DashboardProject): Fields {
  if ('uuid' in project) return {};
  const { autoCreate = false, isLatest, parent } = project;
  return {
    autoCreate: String(autoCreate),
    isLatest: isLatest ? 'true' : undefined,
    ...(parent &&
      ('uuid' in parent ? { parentUUID: parent.uuid } : { parentName: parent.name, parentVersion: parent.version })),
  };
}

/** How a connection ends that something may have gone out on; all else (no such host, no trust in it) ends before. */
const BROKEN_OFF = new Set(['timeout', 'no connection', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET']);
const FAILED_AFTERWARDS = /^(?:HTTP 5|UND_ERR_(?:HEADERS|BODY)_TIMEOUT)/;

/** No answer to something that was sent, or one that says only that something broke: it may have arrived. */
function outcomeUnknown(error: unknown): unknown {
  if (!(error instanceof DashboardError) || error.code !== 'dashboard.unreachable') return error;
  const { checked, found = '' } = error.facts;
  if (!BROKEN_OFF.has(found) && !FAILED_AFTERWARDS.test(found)) return error;
  return new DashboardError('dashboard.outcome_unknown', 'it was sent, and whether it arrived is not known', {
    ...(checked !== undefined && { checked }),
    found,
    expected: "a look whether the project's last import is this document, before it is sent again",
  });
}

function totalOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

/** Kept as the server writes it, in either case. */
function isUuidText(value: unknown): value is string {
  return typeof value === 'string' && parseUuid(value) !== undefined;
}
