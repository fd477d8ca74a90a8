import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_PREDICATE_BASE } from '@colophon/records';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigurationRefused } from '../configuration/configuration-file.ts';
import { CONFIGURATION_ISSUE_CODES } from '../configuration/configuration-issue.ts';
import { loadWitnessConfiguration } from './witness-configuration.ts';

// biome-ignore lint/suspicious/noExplicitAny: a configuration is wrong in every way that a test wants
type File = Record<string, any>;

const FILE: File = {
  listen: { address: '127.0.0.1', port: 7300 },
  control: { socket: 'control.sock' },
  key: 'file:witness.pem',
  data: 'data',
  issuer: 'https://agents.example.com',
  agent: { user: 'nobody' },
  upstreams: { anthropic: { address: 'https://api.anthropic.com', credential: 'file:anthropic.key' } },
  callers: [{ name: 'ci', secret: 'env:CI_SECRET' }],
};
const TLS = { certificate: 'tls.crt', key: 'file:tls.key' };
const CANARY = 'sk-canary-c0ffee';

function load(text: string) {
  const folder = temporaryFolder(onTestFinished);
  const file = join(folder, 'witness.yaml');
  writeFileSync(file, text);
  const at = (path: string) => join(folder, path);
  try {
    return { ok: true as const, value: loadWitnessConfiguration(file), at };
  } catch (refused) {
    expect(refused).toBeInstanceOf(ConfigurationRefused);
    return { ok: false as const, refused: refused as ConfigurationRefused, file };
  }
}

/** One line a member, so that every problem has a place of its own. */
const textOf = (file: File) =>
  Object.entries(file)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
    .join('');

function configurationIn(changes: File = {}) {
  const loaded = load(textOf({ ...FILE, ...changes }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.refused.issues, null, 1));
  return loaded;
}

/** Path and code of every problem; each says something, and stands on its line. */
function issuesIn(text: string): readonly string[] {
  const loaded = load(text);
  if (loaded.ok) return [];
  const { refused } = loaded;
  expect(refused.code).toBe('server.configuration_invalid');
  expect(refused.message).toContain(loaded.file);
  return refused.issues.map(({ path, code, message, expected = 'nothing said', line }) => {
    for (const words of [message, expected]) expect(words, code).toMatch(/\w/);
    expect(CONFIGURATION_ISSUE_CODES).toContain(code);
    expect(line, path).toBeGreaterThan(0);
    return `${path} ${code}`;
  });
}
const issuesOf = (changes: File) => issuesIn(textOf({ ...FILE, ...changes }));

const upstream = (changes: File, name = 'anthropic') => ({
  upstreams: { [name]: { ...FILE['upstreams'].anthropic, ...changes } },
});

describe('the configuration of a witness', () => {
  it('is read as it stands there, with its files beside it', () => {
    const { value, at } = configurationIn();
    expect(value).toEqual({
      listen: { address: '127.0.0.1', port: 7300 },
      control: { socket: at('control.sock') },
      key: { file: at('witness.pem') },
      dataDir: at('data'),
      issuer: 'https://agents.example.com',
      predicateBase: DEFAULT_PREDICATE_BASE,
      agentUser: 'nobody',
      upstreams: [
        {
          name: 'anthropic',
          address: 'https://api.anthropic.com',
          api: 'anthropic',
          credential: { file: at('anthropic.key') },
          header: 'x-api-key',
        },
      ],
      callers: [{ name: 'ci', secret: { env: 'CI_SECRET' } }],
    });
  });

  it('is followed in everything that it says', () => {
    const { value, at } = configurationIn({
      listen: { address: '10.0.0.1', port: 1, tls: TLS, url: 'https://witness.example' },
      control: { address: '10.0.0.1', port: 2, tls: { certificate: '/etc/tls.crt', key: 'file:/etc/tls.key' } },
      key: 'env:WITNESS_KEY',
      predicateBase: 'https://acme.example/p',
      agent: { elsewhere: true },
      upstreams: {
        gateway: {
          address: 'http://10.0.0.2/v1',
          credential: 'env:GW',
          api: 'anthropic',
          header: 'authorization',
          ca: 'ca.pem',
        },
        openai: { address: 'https://api.openai.com/v1', credential: 'env:OPENAI' },
      },
      callers: [
        { name: 'ci', secret: 'file:/run/ci' },
        { name: 'cd', secret: 'env:CD' },
      ],
    });
    expect(value).toEqual({
      listen: {
        address: '10.0.0.1',
        port: 1,
        tls: { certificateFile: at('tls.crt'), keyFile: at('tls.key') },
        url: 'https://witness.example',
      },
      control: { address: '10.0.0.1', port: 2, tls: { certificateFile: '/etc/tls.crt', keyFile: '/etc/tls.key' } },
      key: { env: 'WITNESS_KEY' },
      dataDir: at('data'),
      issuer: 'https://agents.example.com',
      predicateBase: 'https://acme.example/p',
      upstreams: [
        {
          name: 'gateway',
          address: 'http://10.0.0.2/v1',
          api: 'anthropic',
          credential: { env: 'GW' },
          header: 'authorization',
          caFile: at('ca.pem'),
        },
        {
          name: 'openai',
          address: 'https://api.openai.com/v1',
          api: 'openai',
          credential: { env: 'OPENAI' },
          header: 'authorization',
        },
      ],
      callers: [
        { name: 'ci', secret: { file: '/run/ci' } },
        { name: 'cd', secret: { env: 'CD' } },
      ],
    });
  });

  it('that cannot be read is refused by its name', () => {
    const file = join(temporaryFolder(onTestFinished), 'witness.yaml');
    expect(() => loadWitnessConfiguration(file)).toThrow(
      expect.objectContaining({
        code: 'server.configuration_invalid',
        issues: [],
        message: expect.stringContaining(file),
      }),
    );
    writeFileSync(file, Buffer.from([0x61, 0x3a, 0x20, 0xff]));
    expect(() => loadWitnessConfiguration(file)).toThrow(
      expect.objectContaining({ code: 'server.configuration_invalid' }),
    );
  });

  it.each([
    ['empty', '', ['policy.syntax']],
    ['no YAML', 'listen: {', ['policy.syntax']],
    ['a list', '- listen\n', ['policy.wrong_type']],
    ['one with a key twice', `${textOf(FILE)}key: file:other.pem\n`, ['policy.duplicate_key']],
    ['two documents', `${textOf(FILE)}---\n${textOf(FILE)}`, ['policy.several_documents']],
  ])('that is %s is none', (_what, text, codes) => {
    expect([...new Set(issuesIn(text).map((issue) => issue.split(' ')[1]))]).toEqual(codes);
  });

  it.each(Object.keys(FILE))('needs %s', (member) => {
    expect(issuesOf({ [member]: undefined })).toEqual([`/${member} policy.field_missing`]);
  });

  it.each<[string, File, string]>([
    ['a key that nobody knows', { keys: 'file:x' }, '/keys policy.unknown_key'],
    ['no upstream', { upstreams: {} }, '/upstreams policy.value'],
    [
      'an upstream without a credential',
      upstream({ credential: undefined }),
      '/upstreams/anthropic/credential policy.field_missing',
    ],
    [
      'an upstream without an address',
      upstream({ address: undefined }),
      '/upstreams/anthropic/address policy.field_missing',
    ],
    ['a header of its own', upstream({ header: 'api-key' }), '/upstreams/anthropic/header policy.value'],
    ['no caller', { callers: [] }, '/callers policy.value'],
    ['a caller without a secret', { callers: [{ name: 'ci' }] }, '/callers/0/secret policy.field_missing'],
    ['a caller in capitals', { callers: [{ name: 'CI', secret: 'env:X' }] }, '/callers/0/name policy.value'],
    ['an agent that is not elsewhere', { agent: { elsewhere: false } }, '/agent/elsewhere policy.value'],
    ['a port that is none', { listen: { address: '127.0.0.1', port: 65_536 } }, '/listen/port policy.value'],
  ])('is refused with %s', (_what, changes, issue) => {
    expect(issuesOf(changes)).toEqual([issue]);
  });

  it('has every problem told at once, each with its place', () => {
    const loaded = load(
      textOf({
        listen: { address: 'witness.example', port: 1, url: 'witness.example' },
        control: { socket: 'control.sock', port: 2 },
        key: 'witness.pem',
        data: 'data',
        issuer: 'http://agents.example.com',
        predicateBase: 'acme',
        agent: {},
        upstreams: { Gateway: { address: 'api', credential: 'none' } },
        callers: [
          { name: 'ci', secret: 'env:A' },
          { name: 'ci', secret: 'env:0' },
        ],
      }),
    );
    const issues = loaded.ok ? [] : loaded.refused.issues.map(({ path, code, line }) => `${line} ${path} ${code}`);
    expect([...issues].sort()).toEqual([
      '1 /listen/address configuration.address_invalid',
      '1 /listen/url configuration.address_invalid',
      '2 /control configuration.witness_invalid',
      '3 /key configuration.reference_invalid',
      '5 /issuer configuration.issuer_invalid',
      '6 /predicateBase configuration.namespace_invalid',
      '7 /agent configuration.witness_invalid',
      '8 /upstreams/Gateway configuration.witness_invalid',
      '8 /upstreams/Gateway configuration.witness_invalid',
      '8 /upstreams/Gateway/address configuration.witness_invalid',
      '8 /upstreams/Gateway/credential configuration.reference_invalid',
      '9 /callers/1/name configuration.name_repeated',
      '9 /callers/1/secret configuration.reference_invalid',
    ]);
  });
});

describe('where a witness listens', () => {
  const elsewhere = { agent: { elsewhere: true } };

  it.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])('needs no TLS on loopback: %s', (address) => {
    expect(issuesOf({ listen: { address, port: 1 } })).toEqual([]);
    expect(issuesOf({ ...elsewhere, control: { address, port: 1 } })).toEqual([]);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', '192.0.2.1', 'fe80::1'])('needs TLS beyond loopback: %s', (address) => {
    expect(issuesOf({ listen: { address, port: 1 } })).toEqual(['/listen configuration.exposed']);
    expect(issuesOf({ listen: { address, port: 1, tls: TLS } })).toEqual([]);
    expect(issuesOf({ ...elsewhere, control: { address, port: 1 } })).toEqual(['/control configuration.exposed']);
    expect(issuesOf({ ...elsewhere, control: { address, port: 1, tls: TLS } })).toEqual([]);
  });

  it.each(['witness.example', '127.0.0.1:80', '', '*'])('is an address of this machine, and not %j', (address) => {
    const [issue] = issuesOf({ listen: { address, port: 1 } });
    expect(issue).toBe(`/listen/address ${address === '' ? 'policy.value' : 'configuration.address_invalid'}`);
  });

  it.each(['witness.example', 'ftp://witness.example', 'https://u:p@witness.example', 'https://witness.example/?a=b'])(
    'is reached at no %j',
    (url) => {
      expect(issuesOf({ listen: { ...FILE['listen'], url } })).toEqual(['/listen/url configuration.address_invalid']);
    },
  );

  it.each(['tls.key', 'env:TLS_KEY', 'file:'])('has the key of its certificate in a file, and not as %j', (key) => {
    const tls = { ...TLS, key };
    expect(issuesOf({ listen: { ...FILE['listen'], tls } })).toEqual([
      '/listen/tls/key configuration.reference_invalid',
    ]);
  });
});

describe('where runs are opened', () => {
  it.each<[string, File]>([
    ['nowhere', {}],
    ['at a socket and an address', { socket: 'a.sock', address: '127.0.0.1', port: 1 }],
    ['at a socket with TLS', { socket: 'a.sock', tls: TLS }],
    ['at an address without a port', { address: '127.0.0.1' }],
    ['at a port without an address', { port: 1 }],
  ])('is not clear: %s', (_where, control) => {
    expect(issuesOf({ control, agent: { elsewhere: true } })).toEqual(['/control configuration.witness_invalid']);
  });

  it('is a socket where agents have a user of this machine: an address is open to every user', () => {
    const control = { address: '127.0.0.1', port: 1 };
    expect(issuesOf({ control })).toEqual(['/control configuration.witness_invalid']);
    expect(issuesOf({ control, agent: { elsewhere: true } })).toEqual([]);
    expect(issuesOf({ agent: { elsewhere: true } })).toEqual([]);
  });
});

describe('where agents run', () => {
  it.each<[string, File, readonly string[]]>([
    ['as a user', { user: 'nobody' }, []],
    ['elsewhere', { elsewhere: true }, []],
    ['nowhere', {}, ['/agent configuration.witness_invalid']],
    ['as a user and elsewhere', { user: 'nobody', elsewhere: true }, ['/agent configuration.witness_invalid']],
  ])('is said once: %s', (_where, agent, issues) => {
    expect(issuesOf({ agent })).toEqual(issues);
  });
});

describe('an upstream of a witness', () => {
  it.each([
    ['anthropic', {}, 'anthropic', 'x-api-key'],
    ['openai', {}, 'openai', 'authorization'],
    ['gateway', { api: 'anthropic' }, 'anthropic', 'x-api-key'],
    ['gateway', { api: 'openai' }, 'openai', 'authorization'],
    ['anthropic', { api: 'openai' }, 'openai', 'authorization'],
    ['anthropic', { header: 'authorization' }, 'anthropic', 'authorization'],
  ] as const)('called %s with %j is for clients of %s, and has its credential in %s', (name, more, api, header) => {
    const { value } = configurationIn(upstream(more, name));
    expect(value.upstreams).toMatchObject([{ name, api, header }]);
  });

  it.each(['gateway', 'constructor', 'anthropic2'])('called %s has to say whose clients it is for', (name) => {
    expect(issuesOf(upstream({}, name))).toEqual([`/upstreams/${name} configuration.witness_invalid`]);
  });

  it.each(['Anthropic', 'a/b', '-a', 'a'.repeat(65)])('is not called %j', (name) => {
    expect(issuesOf(upstream({ api: 'anthropic' }, name))).toEqual([
      expect.stringMatching(/^\/upstreams\/[^/]+ configuration\.witness_invalid$/),
    ]);
  });

  it.each(['api.anthropic.com', 'ftp://a.example', 'https://u:p@a.example', 'https://a.example?key=x'])(
    'is not at %j',
    (address) => {
      expect(issuesOf(upstream({ address }))).toEqual(['/upstreams/anthropic/address configuration.witness_invalid']);
    },
  );
});

describe('the issuer that takes the receipts', () => {
  it.each([
    'agents.example.com',
    'http://agents.example.com',
    'https://agents.example.com?a',
    'HTTPS://agents.example.com',
  ])('is not %j', (issuer) => {
    expect(issuesOf({ issuer })).toEqual(['/issuer configuration.issuer_invalid']);
  });

  it.each(['https://agents.example.com', 'https://agents.example.com/colophon', 'http://localhost:7080'])(
    'may be %s, byte for byte',
    (issuer) => {
      expect(configurationIn({ issuer }).value.issuer).toBe(issuer);
    },
  );
});

describe('a secret', () => {
  const places: ReadonlyArray<[string, (secret: unknown) => File]> = [
    ['/key', (key) => ({ key })],
    ['/upstreams/anthropic/credential', (credential) => upstream({ credential })],
    ['/callers/0/secret', (secret) => ({ callers: [{ name: 'ci', secret }] })],
  ];

  it.each(places)('is in a file or a variable: %s', (path, put) => {
    for (const secret of ['file:/run/x', 'env:X', 'env:_x9', 'file:a b']) expect(issuesOf(put(secret))).toEqual([]);
    for (const secret of ['x', 'file:', 'env:', 'env:A-B', 'env:9A', 'env:A B', 'ENV:A', ' env:A', 'https://a.example'])
      expect(issuesOf(put(secret)), secret).toEqual([`${path} configuration.reference_invalid`]);
  });

  it.each([
    ...places,
    ['/listen/tls/key', (key: unknown) => ({ listen: { ...FILE['listen'], tls: { ...TLS, key } } })] as const,
  ])('that stands in the file itself is in no message: %s', (path, put) => {
    const wrong = [
      CANARY,
      `env:${CANARY}`,
      `https://${CANARY}`,
      [CANARY],
      { [CANARY.slice(0, 2)]: CANARY },
      `\n${CANARY}\n`,
    ];
    for (const secret of wrong) {
      const loaded = load(textOf({ ...FILE, ...put(secret) }));
      if (loaded.ok) throw new Error(`${path} was taken`);
      const { refused } = loaded;
      expect(refused.issues.map((issue) => issue.path)).toEqual([path]);
      expect(`${refused.message} ${refused.stack} ${JSON.stringify(refused)}`).not.toContain(CANARY);
    }
  });

  it.each<[string, File]>([
    ['in the address of an upstream', upstream({ address: `https://user:${CANARY}@a.example` })],
    ['in a query of it', upstream({ address: `https://a.example/?key=${CANARY}` })],
    ['in the place of a header', upstream({ header: CANARY })],
    ['in the place of an API', upstream({ api: CANARY })],
    ['as the URL of the witness', { listen: { ...FILE['listen'], url: `https://user:${CANARY}@a.example` } }],
    ['as the issuer', { issuer: `https://user:${CANARY}@a.example` }],
    ['as the name of a caller', { callers: [{ name: `${CANARY}/`, secret: 'env:A' }] }],
    ['in a member that nobody knows', { token: CANARY }],
  ])('is in no message where somebody writes it %s', (_where, changes) => {
    const loaded = load(textOf({ ...FILE, ...changes }));
    if (loaded.ok) throw new Error('it was taken');
    expect(loaded.refused.issues).toHaveLength(1);
    expect(`${loaded.refused.message} ${JSON.stringify(loaded.refused)}`).not.toContain(CANARY);
  });
});
