import { isJsonObject } from '@colophon/json';
import { jsonIn } from '@colophon/peer';
import { DashboardError, type DashboardErrorCode } from '../dashboard-error/dashboard-error.ts';

/** What the dashboard said, whatever its status. */
export type DashboardAnswer = {
  readonly status: number;
  readonly contentType: string;
  /** The number in `X-Total-Count`, where there is one. */
  readonly total: number | undefined;
  readonly body: Uint8Array;
};

/** What was asked, for errors: the address, and the way on where it was refused. */
export type DashboardQuestion = {
  readonly checked: string;
  /** The permission that the request needs. */
  readonly permission: string;
  /** What to do about an answer of 404. */
  readonly whenNotFound: string;
};

const MAX_REASON_LENGTH = 300;
const MAX_ISSUES = 50;

/** The error that an answer other than 200 means; the peer's words are cut short and never hold the key. */
export function refusalOf(
  answer: DashboardAnswer,
  { checked, permission, whenNotFound }: DashboardQuestion,
  withoutKey: (text: string) => string,
): DashboardError {
  const { status } = answer;
  const { reason, errors } = reasonOf(answer, withoutKey);
  const found = reason === '' ? `HTTP ${status}` : `HTTP ${status}: ${reason}`;
  if (status === 401) {
    // Dependency-Track answers so, too, where a key may upload and not create projects.
    const expected = 'a key of a team with BOM_UPLOAD, and for --auto-create with PROJECT_CREATION_UPLOAD';
    const facts = { checked, expected, found };
    return new DashboardError('dashboard.unauthorized', 'the dashboard does not accept the key', facts);
  }
  if (status === 403) {
    const expected = `a key whose team has the permission ${permission}, and access to the project`;
    return new DashboardError('dashboard.forbidden', 'the key may not do this', { checked, expected, found });
  }
  if (status === 404) {
    const next = whenNotFound;
    return new DashboardError('dashboard.not_found', 'the dashboard has no such thing', { checked, found, next });
  }
  if (status >= 300 && status < 400) {
    return new DashboardError(
      'dashboard.redirect_refused',
      'the dashboard redirects: the key is for this address alone',
      {
        checked,
        found: `HTTP ${status}`,
        expected: 'the address that it redirects to as --dashboard, if it is yours',
      },
    );
  }
  if (!isFailing(status)) {
    const code: DashboardErrorCode = 'dashboard.refused';
    const issues = errors.map((message) => ({ code, message }));
    return new DashboardError(code, REFUSALS[status] ?? 'the dashboard refuses this', {
      checked,
      found,
      ...(issues.length > 0 ? { issues } : {}),
    });
  }
  return new DashboardError('dashboard.unreachable', 'the dashboard fails', { checked, found });
}

/** Whether a status that is no success says nothing about the request: the same one may do later. */
export function isFailing(status: number): boolean {
  return status !== 200 && !(status >= 300 && status < 500 && status !== 429);
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'the dashboard refuses the document',
  409: 'the dashboard has another project of this name and version',
  413: 'the document is larger than the dashboard takes',
};

/** RFC 9457 with the list of faults that Dependency-Track adds, or a line of text; a page of HTML says nothing to us. */
function reasonOf({ body, contentType }: DashboardAnswer, withoutKey: (text: string) => string) {
  const short = (part: unknown) =>
    typeof part === 'string' ? withoutKey(part).trim().slice(0, MAX_REASON_LENGTH) : '';
  const problem = jsonIn(body);
  if (isJsonObject(problem)) {
    const { title, detail, message, errors } = problem;
    const reason = [short(title), short(detail), short(message)].filter((part) => part !== '').join(': ');
    const listed = Array.isArray(errors) ? errors : [];
    return { reason, errors: listed.slice(0, MAX_ISSUES).map(short).filter(Boolean) };
  }
  const text = new TextDecoder().decode(body.subarray(0, 4096));
  const isText = /^(?:text\/plain\b|application\/json\b|$)/i.test(contentType) && !text.trimStart().startsWith('<');
  return { reason: isText ? short(text.split(/\r?\n/)[0]) : '', errors: [] };
}
