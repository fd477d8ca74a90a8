import { expect, test } from 'vitest';
import { seenBy } from './sighting.ts';

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
