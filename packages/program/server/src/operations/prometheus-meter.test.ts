import { expect, test } from 'vitest';
import { PrometheusMeter } from './prometheus-meter.ts';
import { Readiness } from './readiness.ts';

const seriesOf = async (meter: PrometheusMeter) =>
  (await meter.page()).split('\n').filter((line) => /^[a-z]/.test(line));

test('100,000 names from outside make no series', async () => {
  const meter = new PrometheusMeter(new Readiness(), '1');
  const tell = (text: string) => {
    meter.answered({ code: text, caller: text }, 1);
    meter.credential('token', text);
    meter.keysAsked(text);
  };
  tell('canary-first');
  const before = (await seriesOf(meter)).length;
  for (let n = 0; n < 100_000; n++) tell(`canary-${n}`);
  const series = await seriesOf(meter);
  expect(series).toHaveLength(before);
  expect(series.join('\n')).not.toContain('canary');
  expect(series).toContain('colophon_token_requests_total{result="other"} 100001');
});

test('what cannot be read now is left out, and leaves the other numbers alone', async () => {
  const meter = new PrometheusMeter(new Readiness(), '1');
  meter.gauge('token_key_rotation_seconds', () => undefined);
  meter.gauge('ledger_uncheckpointed_rows', () => Promise.reject(new Error('no disk')));
  meter.gauge('configuration_in_force', () => 1);
  const series = (await seriesOf(meter)).join('\n');
  expect(series).toContain('colophon_configuration_in_force 1');
  expect(series).not.toMatch(/rotation|uncheckpointed/);
});

test('requests that are limited are counted by what limited them', async () => {
  const meter = new PrometheusMeter(new Readiness(), '1');
  meter.answered({ code: 'issuer.rate_limited', caller: 'builder' }, 1);
  meter.answered({ code: 'issuer.rate_limited' }, 1);
  expect(await seriesOf(meter)).toEqual(
    expect.arrayContaining([
      'colophon_rate_limited_total{of="caller"} 1',
      'colophon_rate_limited_total{of="address"} 1',
      'colophon_token_requests_total{result="issuer.rate_limited"} 2',
    ]),
  );
});
