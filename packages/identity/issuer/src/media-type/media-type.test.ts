import { SIX_FIELDS } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { issuerFixture, ledgerSize } from '../../test/issuer-fixture.ts';
import { requestKind } from './media-type.ts';

const ACCEPTED = [
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json; charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json ; charset="utf-8"',
  'application/json\t;\tCharset=utf-8 ',
];

test.each(ACCEPTED)('%j announces a JSON request', (contentType) => {
  expect(requestKind(contentType)).toBe('json');
});

const REFUSED = [
  '',
  ' ',
  'application',
  'application/',
  '/json',
  'json',
  'text/json',
  'text/plain',
  'text/plain; application/json',
  'text/html',
  'application/jsonp',
  'application/json5',
  'application/x-json',
  'application/ld+json',
  'application/problem+json',
  'application/json+x',
  'application/json, application/json',
  'application/json, text/plain',
  'application/json application/json',
  'application/json;',
  'application/json; ',
  'application/json;;charset=utf-8',
  'application/json; charset',
  'application/json; charset=',
  'application/json; charset=utf-16',
  'application/json; charset=utf-7',
  'application/json; charset=iso-8859-1',
  'application/json; charset=utf-8; charset=utf-16',
  'application/json; charset=utf-8;',
  'application/json; charset="utf-8',
  "application/json; charset='utf-8'",
  'application/json; charset=utf-8, text/plain',
  'application/json; boundary=x',
  'application/json; profile="https://x.example"',
  'application/json\t; charset=utf-8; q=1',
  '\tapplication/json; q',
  'application /json',
  'application/ json',
  'application\\json',
  'application/json%20',
  'application/json\u00a0',
  'application/jso\u017f',
  '*/*',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/x-www-form-urlencoded; charset=utf-16',
  'application/x-www-form-urlencoded, application/json',
  'application/jwt',
];

test.each(REFUSED)('%j is refused before the body is read', async (contentType) => {
  const { post, db } = await issuerFixture(onTestFinished);
  expect(requestKind(contentType)).toBeUndefined();
  const { status, headers, body } = await post(SIX_FIELDS, { 'content-type': contentType });
  expect([status, JSON.parse(body).code, headers['connection']]).toEqual([
    415,
    'issuer.content_type_unsupported',
    'close',
  ]);
  expect(ledgerSize(db)).toBe(0);
});

test('a request without a content type is refused', () => {
  expect(requestKind(undefined)).toBeUndefined();
});
