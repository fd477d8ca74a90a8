import type { RequestListener, ServerResponse } from 'node:http';
import { LIVE_PATH, NOT_READY_STATUS, READY_PATH } from './health-endpoints.ts';
import type { Readiness } from './readiness.ts';

export const METRICS_PATH = '/metrics';

/** What an operator's listener answers: probes with their reasons, and numbers. Nothing of a request is repeated. */
export function operationsHandler({
  readiness,
  metrics,
}: {
  readonly readiness: Readiness;
  readonly metrics: { readonly type: string; page(): Promise<string> };
}): RequestListener {
  return (request, response) => {
    const { method = '', url = '' } = request;
    request.resume();
    if (method !== 'GET' && method !== 'HEAD') return answer(response, 405, {}, { allow: 'GET, HEAD' });
    const [path] = url.split('?');
    if (path === LIVE_PATH) return answer(response, 200, { ok: true });
    if (path === READY_PATH) {
      const checks = readiness.report();
      const ok = checks.every((check) => check.ok);
      return answer(response, ok ? 200 : NOT_READY_STATUS, { ok, checks });
    }
    if (path !== METRICS_PATH) return answer(response, 404, {});
    metrics.page().then(
      (page) => response.writeHead(200, { 'content-type': metrics.type, 'cache-control': 'no-store' }).end(page),
      () => answer(response, 500, {}),
    );
  };
}

function answer(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers });
  response.end(JSON.stringify(body));
}
