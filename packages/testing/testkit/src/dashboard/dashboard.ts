import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { Cleanup } from '../cleanup/cleanup.ts';
import { type MultipartForm, readMultipart } from './multipart-form.ts';

/** What a key may do, by Dependency-Track's own names. */
export type DashboardPermission =
  | 'BOM_UPLOAD'
  | 'PROJECT_CREATION_UPLOAD'
  | 'VIEW_PORTFOLIO'
  | 'VIEW_VULNERABILITY'
  | 'VULNERABILITY_ANALYSIS';

export type FakeProject = { readonly uuid: string; readonly name: string; readonly version?: string };

/** An answer instead of the right one; `never` leaves the caller waiting. */
export type WrongAnswer =
  | 'never'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export type DashboardOptions = {
  readonly keys: Readonly<Record<string, readonly DashboardPermission[]>>;
  readonly projects?: readonly FakeProject[];
  /** Faults of a document against its schema. */
  readonly validate: (bytes: Uint8Array) => readonly string[];
  /** So many questions are answered with `processing: true`. */
  readonly polls?: number;
  /** As `GET /api/v1/finding/project/{uuid}` gives them. */
  readonly findings?: readonly unknown[];
  /** What it says of itself; `5.1.0`. */
  readonly version?: string;
  /** Versions before 5 name no project in the receipt and give all findings at once. */
  readonly isBefore5?: boolean;
  readonly answer?: (method: string, path: string) => WrongAnswer | undefined;
};

/** One request that arrived. */
export type DashboardRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form?: MultipartForm;
};

export type Dashboard = {
  readonly url: string;
  /** All but the questions for its version, which stand in `probes`. */
  readonly requests: readonly DashboardRequest[];
  readonly probes: readonly DashboardRequest[];
  readonly projects: readonly FakeProject[];
};

type Answer = { status: number; body?: string | object; headers?: Record<string, string>; mediaType?: string };

const FIELDS: Readonly<Record<'bom' | 'vex', readonly string[]>> = {
  bom: [
    'project',
    'projectName',
    'projectVersion',
    'autoCreate',
    'projectTags',
    'parentName',
    'parentVersion',
    'parentUUID',
    'isLatest',
    'isActive',
  ],
  vex: ['project', 'projectName', 'projectVersion'],
};
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * A server that speaks the part of Dependency-Track 5's API that an upload needs, and its errors: on loopback, until
 * `cleanup`. Fields that the API does not have are refused, where the real one passes them over.
 * @see contract §4.4; https://docs.dependencytrack.org/
 */
export async function startDashboard(cleanup: Cleanup, options: DashboardOptions): Promise<Dashboard> {
  const requests: DashboardRequest[] = [];
  const probes: DashboardRequest[] = [];
  const { version = '5.1.0' } = options;
  const projects = [...(options.projects ?? [])];
  const tokens = new Map<string, number>();
  const server = createServer((request, response) => {
    answerOf(request)
      .then((answer) => answer && send(response, answer))
      .catch((error: unknown) => send(response, { status: 500, body: String(error) }));
  });

  async function answerOf(request: IncomingMessage): Promise<Answer | undefined> {
    const { method = 'GET' } = request;
    const url = new URL(request.url ?? '/', 'http://dashboard');
    const path = url.pathname;
    const form = method === 'POST' ? await readMultipart(request) : undefined;
    const isProbe = method === 'GET' && path === '/api/version';
    (isProbe ? probes : requests).push({ method, path, headers: request.headers, ...(form && { form }) });
    const wrong = options.answer?.(method, path);
    if (wrong !== undefined) return wrong === 'never' ? undefined : { mediaType: 'text/plain', ...wrong };
    // Answered to everybody, as in its VersionResource.
    if (isProbe) return { status: 200, body: aboutOf(version) };
    const key = request.headers['x-api-key'];
    const permissions = typeof key === 'string' ? options.keys[key] : undefined;
    if (permissions === undefined) return { status: 401 };
    const needs = (permission: DashboardPermission) => permissions.includes(permission);
    const [, kind, id] = /^\/api\/v1\/(event\/token|finding\/project)\/([^/]+)$/.exec(path) ?? [];
    if (method === 'POST' && path === '/api/v1/bom') {
      return needs('BOM_UPLOAD') ? takeBom(form, permissions) : { status: 403 };
    }
    if (method === 'POST' && path === '/api/v1/vex') {
      return needs('VULNERABILITY_ANALYSIS') ? takeVex(form) : { status: 403 };
    }
    if (method !== 'GET') return { status: 405 };
    if (path === '/api/v1/project/lookup') return needs('VIEW_PORTFOLIO') ? lookUp(url.searchParams) : { status: 403 };
    if (id === undefined) return { status: 404, body: '<html><body>404</body></html>', mediaType: 'text/html' };
    if (!UUID.test(id)) return { status: 400, body: [{ message: 'Invalid UUID' }] };
    if (kind === 'event/token') return { status: 200, body: { processing: isProcessing(id) } };
    return needs('VIEW_VULNERABILITY') ? listFindings(id, url.searchParams) : { status: 403 };
  }

  function takeBom(form: MultipartForm | undefined, permissions: readonly DashboardPermission[]): Answer {
    const refusal = refusedForm(form, 'bom');
    if (refusal !== undefined) return refusal;
    const { fields, files } = form as MultipartForm;
    let project = projectOf(fields);
    if (project === undefined && fields['project'] === undefined && fields['autoCreate'] === 'true') {
      if (!permissions.includes('PROJECT_CREATION_UPLOAD')) {
        return text(401, 'The principal does not have permission to create project.');
      }
      const { parentUUID, parentName, parentVersion, projectName, projectVersion } = fields;
      const hasParent = parentUUID !== undefined || parentName !== undefined;
      const parent = projects.find(
        ({ uuid, name, version }) => uuid === parentUUID || (name === parentName && version === parentVersion),
      );
      if (hasParent && parent === undefined) return text(404, 'The parent project could not be found.');
      project = { uuid: randomUUID(), name: projectName ?? '', ...(projectVersion && { version: projectVersion }) };
      projects.push(project);
    }
    if (project === undefined) return text(404, 'The project could not be found.');
    const { bytes, mediaType } = files['bom'] as MultipartForm['files'][string];
    const isGzip = mediaType === 'application/gzip' || mediaType === 'application/x-gzip';
    return receipt(isGzip ? gunzipSync(bytes) : bytes, project);
  }

  function takeVex(form: MultipartForm | undefined): Answer {
    const refusal = refusedForm(form, 'vex');
    if (refusal !== undefined) return refusal;
    const { fields, files } = form as MultipartForm;
    const project = projectOf(fields);
    if (project === undefined) return text(404, 'The project could not be found.');
    return receipt((files['vex'] as MultipartForm['files'][string]).bytes, project);
  }

  function receipt(bytes: Uint8Array, { uuid }: FakeProject): Answer {
    const specVersion = /"specVersion"\s*:\s*"([^"]*)"/.exec(Buffer.from(bytes).toString())?.[1] ?? '';
    if (specVersion > newestRead(version)) return invalidBom(`Unrecognized specVersion ${specVersion}`);
    const errors = options.validate(bytes);
    if (errors.length > 0) return invalidBom('Schema validation failed', errors);
    const token = randomUUID();
    tokens.set(token, options.polls ?? 0);
    return { status: 200, body: { token, ...(options.isBefore5 ? {} : { projectUuid: uuid }) } };
  }

  function projectOf(fields: Readonly<Record<string, string>>): FakeProject | undefined {
    const { project, projectName, projectVersion } = fields;
    return projects.find(({ uuid, name, version }) =>
      project === undefined ? name === projectName && version === projectVersion : uuid === project,
    );
  }

  /** False says that nothing is going on, also for a token that nobody gave. */
  function isProcessing(token: string): boolean {
    const left = tokens.get(token) ?? 0;
    tokens.set(token, left - 1);
    return left > 0;
  }

  function lookUp(query: URLSearchParams): Answer {
    const found = projects.find(
      ({ name, version }) => name === query.get('name') && (version ?? null) === query.get('version'),
    );
    return found === undefined ? text(404, 'The project could not be found.') : { status: 200, body: found };
  }

  function listFindings(id: string, query: URLSearchParams): Answer {
    if (!projects.some(({ uuid }) => uuid === id)) return text(404, 'The project could not be found.');
    const all = options.findings ?? [];
    const size = Number(query.get('pageSize') ?? 100);
    const start = (Number(query.get('pageNumber') ?? 1) - 1) * size;
    const body = options.isBefore5 ? all : all.slice(start, start + size);
    return { status: 200, body, headers: { 'x-total-count': String(all.length) } };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, probes, projects };
}

/** The newest version that its CycloneDxValidator knows, in the source of releases 4.11.0 to 5.0.4 and of 5.1's branch. */
function newestRead(version: string): string {
  if (/^4\.11\.[0-3]$/.test(version)) return '1.5';
  return /^(?:4\.1[1-4]|5\.0)\./.test(version) ? '1.6' : '1.7';
}

function aboutOf(version: string): object {
  const [timestamp, uuid] = ['2026-07-30T10:00:00Z', '3d2cf1c6-6b2f-4b9e-9a1d-6f6f3a3b2c10'];
  return { application: 'Dependency-Track', version, timestamp, uuid, framework: { name: 'Alpine', version: '3.2.0' } };
}

function invalidBom(detail: string, errors?: readonly string[]): Answer {
  const body = { status: 400, title: 'The uploaded BOM is invalid', detail, ...(errors && { errors }) };
  return { status: 400, mediaType: 'application/problem+json', body };
}

function refusedForm(form: MultipartForm | undefined, file: 'bom' | 'vex'): Answer | undefined {
  if (form === undefined) return { status: 415 };
  const unknown = Object.keys(form.fields).filter((name) => !FIELDS[file].includes(name));
  if (unknown.length > 0) return text(400, `the API has no field ${unknown.join(', ')}`);
  if (form.repeated.length > 0) return text(400, `twice: ${form.repeated.join(', ')}`);
  const { project, projectName, autoCreate = 'false', isLatest = 'false' } = form.fields;
  if (project === undefined && projectName === undefined) return text(400, 'neither project nor projectName');
  if (project !== undefined && !UUID.test(project)) return text(400, 'Invalid UUID');
  if ([autoCreate, isLatest].some((flag) => flag !== 'true' && flag !== 'false')) return text(400, 'no boolean');
  if (form.files[file] === undefined) return text(400, file === 'bom' ? 'No BOM file provided.' : 'No VEX file.');
  return undefined;
}

function text(status: number, body: string): Answer {
  return { status, body, mediaType: 'text/plain' };
}

function send(response: ServerResponse, { status, body = '', headers = {}, mediaType }: Answer): void {
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': mediaType ?? 'application/json', ...headers });
  response.end(content);
}
