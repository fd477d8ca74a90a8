import { describe, expect, it } from 'vitest';
import { SigningError } from '../sign/signing-error.ts';
import {
  createSigningConfig,
  loadSigningConfig,
  SIGNING_CONFIG_MEDIA_TYPE,
  type SigningServices,
} from './signing-config.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const SERVICES: SigningServices = {
  fulcioUrl: 'https://ca.example',
  oidcUrl: 'https://issuer.example',
  rekorUrl: 'https://log.example',
  rekorMajorVersion: 1,
};
const config = createSigningConfig(SERVICES, new Date('2026-01-01T00:00:00Z'), 'local');
const load = (json: unknown) => loadSigningConfig(typeof json === 'string' ? json : JSON.stringify(json), NOW);
const service = (url: string, start: string, end?: string, majorApiVersion = 1) => ({
  url,
  majorApiVersion,
  validFor: { start, ...(end && { end }) },
});

describe('a signing config', () => {
  it('is written as cosign reads it', () => {
    expect(config).toEqual({
      mediaType: SIGNING_CONFIG_MEDIA_TYPE,
      caUrls: [
        {
          url: 'https://ca.example',
          majorApiVersion: 1,
          validFor: { start: '2026-01-01T00:00:00.000Z' },
          operator: 'local',
        },
      ],
      oidcUrls: [expect.objectContaining({ url: 'https://issuer.example' })],
      rekorTlogUrls: [expect.objectContaining({ url: 'https://log.example', majorApiVersion: 1 })],
      rekorTlogConfig: { selector: 'ANY' },
    });
  });

  it.each<[title: string, services: SigningServices]>([
    ['with an issuer', SERVICES],
    ['with version 2 and timestamps', { ...SERVICES, rekorMajorVersion: 2, tsaUrl: 'https://tsa.example' }],
    ['with the least', { fulcioUrl: 'https://a', rekorUrl: 'https://b', rekorMajorVersion: 1 }],
  ])('%s is read back as it was written', (_title, services) => {
    expect(load(createSigningConfig(services, new Date(0), 'local'))).toEqual(services);
    const bytes = Buffer.from(JSON.stringify(createSigningConfig(services, new Date(0), 'local')));
    expect(loadSigningConfig(bytes, NOW)).toEqual(services);
  });

  it('gives the newest service that is in force, both ends included, and that we can speak to', () => {
    const caUrls = [
      service('https://old', '2020-01-01T00:00:00Z'),
      service('https://newest', NOW.toISOString(), NOW.toISOString()),
      service('https://ended', '2026-02-01T00:00:00Z', '2026-11-21T09:59:59Z'),
      service('https://coming', '2026-11-21T10:00:01Z'),
      service('https://other-version', '2026-11-01T00:00:00Z', undefined, 2),
      service('https://no-version', '2026-11-01T00:00:00Z', undefined, 0),
    ];
    expect(load({ ...config, caUrls }).fulcioUrl).toBe('https://newest');
    const rekorTlogUrls = [
      service('https://v1', '2026-01-01T00:00:00Z'),
      service('https://v2', '2026-02-01T00:00:00Z', undefined, 2),
      service('https://v3', '2026-03-01T00:00:00Z', undefined, 3),
    ];
    expect(load({ ...config, rekorTlogUrls })).toMatchObject({ rekorUrl: 'https://v2', rekorMajorVersion: 2 });
    const timeless = [
      { url: 'https://timeless', majorApiVersion: 1 },
      service('https://dated', '2026-01-01T00:00:00Z'),
    ];
    expect(load({ ...config, caUrls: timeless }).fulcioUrl).toBe('https://dated');
  });

  it('may ask for exactly one of each, as cosign’s own example does', () => {
    const exactlyOne = { selector: 'EXACT', count: 1 };
    const tsaUrls = [service('https://tsa.example', '2026-01-01T00:00:00Z')];
    const timed = { ...SERVICES, tsaUrl: 'https://tsa.example' };
    expect(load({ ...config, rekorTlogConfig: exactlyOne, tsaUrls, tsaConfig: exactlyOne })).toEqual(timed);
    // As protobuf writes a selection that nobody made.
    expect(load({ ...config, tsaUrls: [], tsaConfig: {} })).toEqual(SERVICES);
  });

  it.each<[title: string, json: unknown]>([
    ['no JSON', '{'],
    ['another media type', { ...config, mediaType: 'application/vnd.dev.sigstore.signingconfig.v0.1+json' }],
    ['null', 'null'],
    ['no authority', { ...config, caUrls: [] }],
    ['no log', { ...config, rekorTlogUrls: [] }],
    ['several logs', { ...config, rekorTlogConfig: { selector: 'ALL' } }],
    ['an exact number of logs', { ...config, rekorTlogConfig: { selector: 'EXACT', count: 2 } }],
    ['several timestamps', { ...config, tsaConfig: { selector: 'ALL' } }],
    ['an exact number of timestamps and no authority', { ...config, tsaConfig: { selector: 'EXACT', count: 1 } }],
    ['a timestamp authority that is not yet', { ...config, tsaUrls: [service('https://t', '2026-11-21T10:00:01Z')] }],
    ['a selector that nobody knows', { ...config, rekorTlogConfig: { selector: 'SOME' } }],
  ])('with %s is refused', (_title, json) => {
    expect(() => load(json)).toThrow(SigningError);
    expect(() => load(json)).toThrow(expect.objectContaining({ code: 'signing.config_invalid' }));
  });
});
