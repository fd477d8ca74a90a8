import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLAIM_SOURCES, formatClaimSources, parseClaimSources, parsePurpose, RESERVED_CLAIMS } from './claim.ts';
import { SOURCED_CLAIMS, TOKEN_PURPOSES } from './claim-table.ts';

describe('formatClaimSources', () => {
  it('writes the purpose first, then pairs in the order of SOURCED_CLAIMS, whatever order they come in', () => {
    const sources = { commit_sha: 'caller-token', agent_name: 'declared', repo: 'declared' } as const;
    expect(formatClaimSources('artifact', sources)).toBe(
      'purpose=artifact;agent_name=declared;repo=declared;commit_sha=caller-token',
    );
    expect(formatClaimSources('review', {})).toBe('purpose=review');
  });

  it('writes what parseClaimSources and parsePurpose read', () => {
    const sources = fc.dictionary(fc.constantFrom(...SOURCED_CLAIMS), fc.constantFrom(...CLAIM_SOURCES), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(fc.constantFrom(...TOKEN_PURPOSES), sources, (purpose, map) => {
        const text = formatClaimSources(purpose, map);
        expect(parseClaimSources(text)).toStrictEqual(map);
        expect(parsePurpose(text)).toBe(purpose);
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

describe('parsePurpose', () => {
  it.each(['', 'repo=declared', 'agent_name=declared;repo=declared', 'purposes=commit'])(
    'finds none in "%s"',
    (text) => {
      expect(parsePurpose(text)).toBeUndefined();
    },
  );

  it.each([
    'purpose=deploy',
    'purpose',
    'purpose=',
    'purpose=artifact=x',
    'purpose= artifact',
    ' purpose=artifact',
    'Purpose=artifact',
    'purpose=Artifact',
    'purpose=toString',
    'repo=declared;purpose=artifact',
    'purpose=artifact;purpose=artifact',
    'purpose=artifact;repo=declared;purpose=commit',
    'purpose=artifact; purpose=commit',
    'purpose=artifact;PURPOSE=commit',
  ])('never takes "%s" for one', (text) => {
    expect(parsePurpose(text)).toBe('unreadable');
  });
});

describe('RESERVED_CLAIMS', () => {
  it('shares no name with the claims that a request may set', () => {
    expect(SOURCED_CLAIMS.filter((claim) => (RESERVED_CLAIMS as readonly string[]).includes(claim))).toEqual([]);
  });
});
