import { isUpstreamAddress } from '@colophon/records';
import { describe, expect, it } from 'vitest';
import { parseConfiguration } from './read-configuration.ts';

const SMALLEST = 'issuer: http://localhost:7080\nlisten: { address: localhost, port: 7080 }\ndata: data\n';
const ASKING = `${SMALLEST}callers:
  - { name: ci, apiKey: true, may: { agents: [code-writer] } }
  - { name: cd, apiKey: true, may: { agents: [code-writer] } }
`;

type Entry = Readonly<Record<string, unknown>>;
const ISOLATED: Entry = {
  name: 'ci-witness',
  key: 'file:witness.pub',
  place: 'isolated',
  callers: ['ci'],
  upstreams: { anthropic: 'https://api.anthropic.com' },
};
const SAME_HOST: Entry = { name: 'laptop', key: 'file:/etc/witness.pub', place: 'same-host' };

const parse = (entries: readonly Entry[], before: string) =>
  parseConfiguration(`${before}witnesses: ${JSON.stringify(entries)}\n`, { folder: '/etc/colophon' });

function witnessesIn(entries: readonly Entry[], before = ASKING) {
  const parsed = parse(entries, before);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues, null, 1));
  return parsed.value.live.witnesses;
}

/** Path and code of every issue; each says something, and nothing of what stands at a key's place. */
function issuesOf(entries: readonly Entry[], before = ASKING): readonly string[] {
  const parsed = parse(entries, before);
  if (parsed.ok) return [];
  return parsed.issues.map(({ path, code, message, expected = 'nothing said', line }) => {
    for (const words of [message, expected]) expect(words, code).toMatch(/\w/);
    expect(line, path).toBeGreaterThan(3);
    return `${path} ${code}`;
  });
}

describe('an entry of witnesses', () => {
  it('is read as it stands there, its key beside the file', () => {
    expect(witnessesIn([ISOLATED])).toEqual([
      {
        name: 'ci-witness',
        keyFile: '/etc/colophon/witness.pub',
        place: 'isolated',
        callers: ['ci'],
        upstreams: { anthropic: 'https://api.anthropic.com' },
      },
    ]);
  });

  it('may leave out callers and upstreams of a witness on the agent’s host, where nobody is asked who they are', () => {
    expect(witnessesIn([SAME_HOST], SMALLEST)).toEqual([
      { name: 'laptop', keyFile: '/etc/witness.pub', place: 'same-host' },
    ]);
  });

  it('may be missing: then no receipt counts', () => {
    const parsed = parseConfiguration(SMALLEST, { folder: '/' });
    expect(parsed).toMatchObject({ ok: true, value: { live: { witnesses: [] } } });
    expect(witnessesIn([])).toEqual([]);
  });

  it('stands beside others, each with its own name', () => {
    const both = [ISOLATED, { ...SAME_HOST, callers: ['ci', 'cd'] }];
    expect(witnessesIn(both).map(({ name, callers }) => [name, callers])).toEqual([
      ['ci-witness', ['ci']],
      ['laptop', ['ci', 'cd']],
    ]);
    expect(issuesOf([ISOLATED, { ...ISOLATED, key: 'file:other.pub' }])).toEqual([
      '/witnesses/1/name configuration.name_repeated',
    ]);
  });

  it.each(['name', 'key', 'place'])('needs its %s', (member) => {
    const { [member]: _, ...rest } = ISOLATED;
    expect(issuesOf([rest])).toEqual([`/witnesses/0/${member} policy.field_missing`]);
  });

  it.each<[string, Entry, string]>([
    ['a place of its own', { place: 'elsewhere' }, '/witnesses/0/place policy.value'],
    ['a name in capitals', { name: 'CI' }, '/witnesses/0/name policy.value'],
    ['an empty list of callers', { callers: [] }, '/witnesses/0/callers policy.value'],
    ['an empty map of upstreams', { upstreams: {} }, '/witnesses/0/upstreams policy.value'],
    ['a list of upstreams', { upstreams: ['https://a.example'] }, '/witnesses/0/upstreams policy.wrong_type'],
    ['a member that nobody knows', { credential: 'file:x' }, '/witnesses/0/credential policy.unknown_key'],
  ])('is refused with %s', (_what, changes, issue) => {
    expect(issuesOf([{ ...ISOLATED, ...changes }])).toEqual([issue]);
  });

  it('has every problem told at once, each at its place', () => {
    const entries = [
      { ...ISOLATED, key: 'witness.pub', callers: ['ci', 'nobody'], upstreams: { Anthropic: 'api.anthropic.com' } },
      { ...ISOLATED, callers: undefined, upstreams: undefined },
    ];
    expect(issuesOf(entries)).toEqual([
      '/witnesses/0/callers/1 configuration.name_unknown',
      '/witnesses/0/upstreams/Anthropic configuration.witness_invalid',
      '/witnesses/0/upstreams/Anthropic configuration.witness_invalid',
      '/witnesses/0/key configuration.reference_invalid',
      '/witnesses/1/name configuration.name_repeated',
      '/witnesses/1 configuration.witness_invalid',
      '/witnesses/1 configuration.witness_invalid',
    ]);
  });
});

describe('the key of a witness', () => {
  it.each(['witness.pub', 'env:WITNESS_KEY', 'file:', 'FILE:witness.pub', 'https://a.example/witness.pub', ' file:a'])(
    'is in a file, and not %j',
    (key) => {
      expect(issuesOf([{ ...ISOLATED, key }])).toEqual(['/witnesses/0/key configuration.reference_invalid']);
    },
  );

  it('that stands in its place is in no message: it may be a private one', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nCANARY\n-----END PRIVATE KEY-----';
    const parsed = parse([{ ...ISOLATED, key }], ASKING);
    expect(parsed).toMatchObject({ ok: false, issues: [{ path: '/witnesses/0/key' }] });
    expect(JSON.stringify(parsed)).not.toContain('CANARY');
  });
});

describe('whose receipts a witness vouches for', () => {
  it.each<[string, Entry, string, readonly string[]]>([
    [
      'has to be said where callers are asked',
      { callers: undefined },
      ASKING,
      ['/witnesses/0 configuration.witness_invalid'],
    ],
    ['need not be said where nobody is', { callers: undefined }, SMALLEST, []],
    ['need not be said where the list of callers is empty', { callers: undefined }, `${SMALLEST}callers: []\n`, []],
    ['are callers by their names', { callers: ['cd', 'ci'] }, ASKING, []],
    [
      'are no callers of another spelling',
      { callers: ['CI'] },
      ASKING,
      ['/witnesses/0/callers/0 configuration.name_unknown'],
    ],
    ['are no patterns of names', { callers: ['*'] }, ASKING, ['/witnesses/0/callers/0 configuration.name_unknown']],
    [
      'are nobody where there are no callers',
      { callers: ['ci'] },
      SMALLEST,
      ['/witnesses/0/callers/0 configuration.name_unknown'],
    ],
  ])('%s', (_title, changes, before, issues) => {
    expect(issuesOf([{ ...ISOLATED, ...changes }], before)).toEqual(issues);
  });
});

describe('the upstreams of a witness', () => {
  it('have to be said of an isolated one alone', () => {
    const without = { upstreams: undefined };
    expect(issuesOf([{ ...ISOLATED, ...without }])).toEqual(['/witnesses/0 configuration.witness_invalid']);
    expect(issuesOf([{ ...ISOLATED, ...without, place: 'same-host' }])).toEqual([]);
  });

  it.each(['anthropic', 'a', '0', 'gw.eu-1_x', 'a'.repeat(64)])('may be called %j', (name) => {
    expect(issuesOf([{ ...ISOLATED, upstreams: { [name]: 'https://a.example' } }])).toEqual([]);
  });

  it.each(['Anthropic', '-a', '.a', 'a b', 'a/b', 'a'.repeat(65), 'é'])('are not called %j', (name) => {
    expect(issuesOf([{ ...ISOLATED, upstreams: { [name]: 'https://a.example' } }])).toEqual([
      expect.stringMatching(/^\/witnesses\/0\/upstreams\/[^/]+ configuration\.witness_invalid$/),
    ]);
  });

  it.each([
    'api.anthropic.com',
    'ftp://a.example',
    'file:///etc/passwd',
    'https://user@a.example',
    'https://:secret@a.example',
    'https://a.example/?key=secret',
    'https://a.example/#x',
    'https://',
    'a',
  ])('are not at %j', (address) => {
    expect(isUpstreamAddress(address)).toBe(false);
    const issues = issuesOf([{ ...ISOLATED, upstreams: { gw: address } }]);
    expect(issues).toEqual(['/witnesses/0/upstreams/gw configuration.witness_invalid']);
    const parsed = parse([{ ...ISOLATED, upstreams: { gw: address } }], ASKING);
    expect(JSON.stringify(parsed)).not.toContain('secret');
  });

  it.each([
    ['https://a.example', 'https://a.example'],
    ['http://10.0.0.1:8080/v1', 'http://10.0.0.1:8080/v1'],
    // As a receipt writes it, whatever a person writes.
    ['https://a.example/', 'https://a.example'],
    ['https://a.example/v1//', 'https://a.example/v1'],
    ['HTTPS://A.Example', 'https://a.example'],
    ['https://a.example:443/v1', 'https://a.example/v1'],
    ['https://a.example/x/../v1', 'https://a.example/v1'],
  ])('may be at %j, which a receipt calls %s', (address, written) => {
    expect(witnessesIn([{ ...ISOLATED, upstreams: { gw: address } }])[0]?.upstreams).toEqual({ gw: written });
  });
});
