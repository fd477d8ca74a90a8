import { startDashboard } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DashboardClient } from './dashboard-client.ts';

const KEY = 'odt_CanaryOfTheDashboard0123456789';
const PROJECT = { uuid: '11111111-2222-4333-8444-555555555555', name: 'webshop', version: '1' };
const BOM = new Blob(['{}'], { type: 'application/json' });

/** A fetch that fails as the real one does. */
function failingWith(code: string | undefined): typeof fetch {
  return async () => {
    throw new TypeError(`fetch failed with ${KEY}`, { cause: Object.assign(new Error(KEY), { code }) });
  };
}

describe('an address', () => {
  test.each([
    ['https://dtrack.example.com', 'https://dtrack.example.com/api/v1/bom'],
    ['https://dtrack.example.com/', 'https://dtrack.example.com/api/v1/bom'],
    ['https://example.com/dtrack', 'https://example.com/dtrack/api/v1/bom'],
    ['https://example.com/dtrack/api/', 'https://example.com/dtrack/api/v1/bom'],
    ['https://example.com/api/v1/bom', 'https://example.com/api/v1/bom'],
    ['http://127.0.0.1:8081', 'http://127.0.0.1:8081/api/v1/bom'],
    ['http://[::1]:8081', 'http://[::1]:8081/api/v1/bom'],
  ])('%s is asked at %s', async (url, asked) => {
    const seen: string[] = [];
    const fetch = async (input: unknown) => {
      seen.push(String(input));
      return new Response('', { status: 401 });
    };
    const client = new DashboardClient({ url, apiKey: KEY, fetch: fetch as typeof globalThis.fetch });
    await expect(client.uploadBom(BOM, PROJECT)).rejects.toMatchObject({ code: 'dashboard.unauthorized' });
    expect(seen).toEqual([asked]);
  });

  test.each([
    ['ftp://example.com'],
    ['example.com'],
    ['https://user:password@example.com'],
    ['https://example.com/?key=1'],
    ['http://example.com'],
    ['http://127.0.0.1.example.com'],
    ['http://localhost.example.com'],
    ['http://0x7f.1.example.com'],
  ])('%s is refused', (url) => {
    expect(() => new DashboardClient({ url, apiKey: KEY })).toThrow(
      expect.objectContaining({ code: 'dashboard.address_refused' }),
    );
  });
});

describe('an upload that fails on its way', () => {
  test.each([
    ['ECONNREFUSED', 'dashboard.unreachable'],
    ['ENOTFOUND', 'dashboard.unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', 'dashboard.unreachable'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'dashboard.unreachable'],
    ['ECONNRESET', 'dashboard.outcome_unknown'],
    ['UND_ERR_SOCKET', 'dashboard.outcome_unknown'],
    ['UND_ERR_HEADERS_TIMEOUT', 'dashboard.outcome_unknown'],
    [undefined, 'dashboard.outcome_unknown'],
  ])('with %s is %s, and the key stands nowhere', async (code, expected) => {
    const client = new DashboardClient({ url: 'https://example.com', apiKey: KEY, fetch: failingWith(code) });
    const error = await client.uploadBom(BOM, PROJECT).catch((caught) => caught);
    expect(error.code).toBe(expected);
    expect(JSON.stringify([error, error.message, error.stack, String(error.cause)])).not.toContain(KEY);
  });

  test('to a port that no HTTP is sent to was not sent', async () => {
    const client = new DashboardClient({ url: 'http://127.0.0.1:6000', apiKey: KEY });
    await expect(client.uploadBom(BOM, PROJECT)).rejects.toMatchObject({
      code: 'dashboard.unreachable',
      facts: { found: 'a port that HTTP is not sent to' },
    });
  });

  test('without an answer in time may have arrived', async () => {
    const { url } = await startDashboard(onTestFinished, { keys: {}, validate: () => [], answer: () => 'never' });
    const client = new DashboardClient({ url, apiKey: KEY, timeoutMs: 5 });
    await expect(client.uploadBom(BOM, PROJECT)).rejects.toMatchObject({ code: 'dashboard.outcome_unknown' });
  });

  test('because it was called off is no error of ours', async () => {
    const { url } = await startDashboard(onTestFinished, { keys: {}, validate: () => [], answer: () => 'never' });
    const signal = AbortSignal.abort();
    const client = new DashboardClient({ url, apiKey: KEY, signal });
    await expect(client.uploadBom(BOM, PROJECT)).rejects.toMatchObject({ name: 'AbortError' });
  });
});

test('a finding that is none is not passed over', async () => {
  const { url } = await startDashboard(onTestFinished, {
    keys: { [KEY]: ['VIEW_VULNERABILITY'] },
    projects: [PROJECT],
    validate: () => [],
    findings: [{ vulnerability: { vulnId: 7 } }],
  });
  const client = new DashboardClient({ url, apiKey: KEY });
  await expect(client.findings(PROJECT.uuid)).rejects.toMatchObject({ code: 'dashboard.answer_invalid' });
});
