import { SIX_FIELDS } from '@colophon/testkit';

/** The names of a token request's members, which the contenders ask for. */
export const FIELDS = Object.keys(SIX_FIELDS);

const CLIENT_CREDENTIALS = { grant_type: 'client_credentials', client_id: 'bench', client_secret: 'bench-secret' };

/** One whole HTTP request, ready to be written to a socket again and again. */
export function tokenRequest({ isForm, bearer }: { readonly isForm: boolean; readonly bearer?: string }): Buffer {
  const body = isForm
    ? new URLSearchParams({ ...CLIENT_CREDENTIALS, ...SIX_FIELDS }).toString()
    : JSON.stringify(SIX_FIELDS);
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return Buffer.from(
    [
      `POST ${isForm ? '/token' : '/oauth/token'} HTTP/1.1`,
      'Host: localhost',
      ...(bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`]),
      `Content-Type: ${type}`,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
}
