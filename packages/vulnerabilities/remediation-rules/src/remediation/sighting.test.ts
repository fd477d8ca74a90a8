import type { Sighting } from '@colophon/records';
import { expect, test } from 'vitest';
import { addSightings, seenBy } from './sighting.ts';

test('what more sightings say together than fit into a call is said', () => {
  const sighting = {
    scanner: 'grype',
    scanner_version: null,
    scan: `sha256:${'a'.repeat(64)}`,
    sbom: null,
    scanned_at: null,
    database_built_at: null,
    versions: ['1'],
    severity: 'high' as const,
    cvss_score: 7.5,
  };
  const many = Array.from({ length: 200_000 }, () => sighting) as unknown as Parameters<typeof seenBy>[0];
  expect(seenBy(many, null)).toEqual({ current_version: '1', severity: 'high', cvss_score: 7.5 });
});

test('of two parts of one run each claim of exploitation is kept, in either order; a newer run says what counts', () => {
  const part = (exploited: string | undefined, scanned_at = '2026-11-01T00:00:00Z'): Sighting => ({
    ...{ scanner: 'grype', scanner_version: null, scan: `sha256:${'a'.repeat(64)}`, sbom: null, scanned_at },
    ...{ database_built_at: null, versions: ['1'], severity: 'high', cvss_score: null },
    ...(exploited === undefined ? {} : { exploited }),
  });
  const added = (...parts: readonly Sighting[]) =>
    parts.reduce<readonly Sighting[]>((known, one) => addSightings(known, [one]) ?? known, [])[0]?.exploited;
  expect(added(part('b'), part('a; c'))).toBe('a; b; c');
  expect(added(part('a; c'), part('b'), part('a'))).toBe('a; b; c');
  expect(added(part('a'), part(undefined))).toBe('a');
  expect(added(part(undefined), part('a'))).toBe('a');
  expect(added(part('a'), part('b', '2026-11-02T00:00:00Z'))).toBe('b');
  expect(added(part('a'), part(undefined, '2026-11-02T00:00:00Z'))).toBeUndefined();
  expect(addSightings([part('a; b')], [part('b')])).toBeUndefined();
  expect(addSightings([part('a')], [part('a', '2026-11-02T00:00:00Z')])).toBeUndefined();
});
