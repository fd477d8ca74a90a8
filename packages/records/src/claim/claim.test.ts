import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLAIM_SOURCES, formatClaimSources, parseClaimSources, RESERVED_CLAIMS } from './claim.ts';
import { SOURCED_CLAIMS } from './claim-table.ts';

describe('formatClaimSources', () => {
  it('writes pairs in the order of SOURCED_CLAIMS, whatever order they come in', () => {
    expect(formatClaimSources({ commit_sha: 'caller-token', agent_name: 'declared', repo: 'declared' })).toBe(
      'agent_name=declared;repo=declared;commit_sha=caller-token',
    );
    expect(formatClaimSources({})).toBe('');
  });

  it('writes what parseClaimSources reads', () => {
    const sources = fc.dictionary(fc.constantFrom(...SOURCED_CLAIMS), fc.constantFrom(...CLAIM_SOURCES), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(sources, (map) => {
        expect(parseClaimSources(formatClaimSources(map))).toStrictEqual(map);
      }),
    );
  });
});

describe('parseClaimSources', () => {
  it.each([
    ['nothing', ''],
    ['an unknown claim', 'colour=declared'],
    ['an unknown source', 'repo=oracle'],
    ['a claim without a source', 'repo'],
    ['a pair with a third part', 'repo=declared=registry'],
    ['an inherited name', '__proto__=declared;toString=declared'],
    ['spaces', ' repo = declared '],
  ])('leaves out %s', (_title, text) => {
    expect(parseClaimSources(text)).toStrictEqual({});
  });

  it('reads on after what it leaves out', () => {
    expect(parseClaimSources('x=y;repo=registry')).toStrictEqual({ repo: 'registry' });
  });
});

describe('RESERVED_CLAIMS', () => {
  it('shares no name with the claims that a request may set', () => {
    expect(SOURCED_CLAIMS.filter((claim) => (RESERVED_CLAIMS as readonly string[]).includes(claim))).toEqual([]);
  });
});
