import { FORGE_CLAIMS } from '@colophon/issuance';
import { describe, expect, it } from 'vitest';
import { CONFIGURATION_EXAMPLE } from './configuration-example.ts';
import {
  dataFolderIn,
  MAX_CONFIGURATION_LENGTH,
  type ParsedConfiguration,
  parseConfiguration,
  readClientConfiguration,
} from './read-configuration.ts';

const parse = (text: string) => parseConfiguration(text, { folder: '/etc/colophon' });

const configurationIn = (text: string) => {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues, null, 1));
  return parsed.value;
};

const issuesOf = (text: string) => issuesIn(parse(text));

const issuesIn = (parsed: ParsedConfiguration<unknown>) => {
  if (parsed.ok) return [];
  return parsed.issues.map(({ path, code, message, expected = 'nothing said' }) => {
    for (const words of [message, expected]) expect(words, code).toMatch(/\w/);
    return `${path} ${code}`;
  });
};

/** The example with one text in place of another, which must be there. */
const edited = (...edits: readonly (readonly [from: string, to: string])[]) =>
  edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example has no ${from}`);
    return text.replace(from, to);
  }, CONFIGURATION_EXAMPLE);

const SMALLEST = 'issuer: http://localhost:7080\nlisten: { address: localhost, port: 7080 }\ndata: data\n';
const filled = (length: number) => `${SMALLEST}#${'x'.repeat(length - SMALLEST.length - 1)}`;
const GITHUB = '/callers/0/oidc';

/** A list of policy packs, each a name and the digit that its hash consists of. */
const packs = (...named: readonly string[]) =>
  `policyPacks:\n${named.map((pack) => `  - { name: ${pack.slice(0, -2)}, hash: "sha256:${pack.slice(-1).repeat(64)}" }\n`).join('')}`;

describe('a configuration file', () => {
  it('is read as the example has it', () => {
    const { fixed, live } = configurationIn(CONFIGURATION_EXAMPLE);
    expect(fixed).toMatchObject({
      issuer: 'https://agents.example.com',
      listen: {
        isLoopback: false,
        tls: { certificateFile: '/etc/colophon/tls.crt', key: { file: '/etc/colophon/tls.key' } },
      },
      dataDir: '/var/lib/colophon',
      roles: ['issuer'],
      tokens: { algorithm: 'RS256', lifetimeSeconds: 600, audiences: ['sigstore'], keyCacheSeconds: 300 },
      limits: { requestsPerSecond: 20, burst: 200, bodyBytes: 65_536, apiKeyDays: 90 },
    });
    expect(live.callerList.map(({ name, apiKey }) => [name, apiKey])).toEqual([
      ['webshop-actions', false],
      ['webshop-gitlab', false],
      ['agent-pods', false],
      ['builder', true],
    ]);
    expect(live.callerList.map(({ token }) => token?.singleUse)).toEqual([true, false, false, undefined]);
    expect(live.callerIssuers.map(({ kind, maxAgeSeconds }) => `${kind} ${maxAgeSeconds}`)).toEqual(
      Array(3).fill('oidc 3600'),
    );
    expect(live.callerIssuers.map(({ keys }) => keys)).toEqual([
      { from: 'discovery' },
      { from: 'discovery' },
      { from: 'file', file: '/etc/colophon/cluster-jwks.json' },
    ]);
    expect(live.callerList[2]?.token?.where.map(({ path }) => path)).toEqual([
      ['sub'],
      ['kubernetes.io', 'serviceaccount', 'uid'],
    ]);
  });

  it('on loopback may leave out everything but issuer, address and folder', () => {
    const { fixed, live } = configurationIn(SMALLEST);
    expect(fixed.listen).toEqual({ address: 'localhost', port: 7080, isLoopback: true, drainSeconds: 0 });
    expect(live.callerList).toEqual([]);
    expect(live.registry.namesAgents).toBe(false);
  });

  it('that leaves out numbers has those of the reference, and the burst follows the rate', () => {
    const { fixed, live } = configurationIn(SMALLEST);
    expect(fixed).toStrictEqual({
      issuer: 'http://localhost:7080',
      listen: { address: 'localhost', port: 7080, isLoopback: true, drainSeconds: 0 },
      dataDir: '/etc/colophon/data',
      roles: ['issuer'],
      tokens: { lifetimeSeconds: 600, audiences: ['sigstore'], keyCacheSeconds: 300 },
      namespace: {},
      limits: {
        requestsPerSecond: 20,
        burst: 200,
        bodyBytes: 65_536,
        headerSeconds: 10,
        requestSeconds: 15,
        apiKeyDays: 90,
      },
    });
    expect([live.requiredClaims, live.requiredSources]).toEqual([[], {}]);
    const faster = configurationIn(`${SMALLEST}limits: { requestsPerSecond: 7 }\n`).fixed.limits;
    expect([faster.requestsPerSecond, faster.burst]).toEqual([7, 70]);
  });

  it('is followed in everything that it says', () => {
    const limits = {
      requestsPerSecond: 3,
      burst: 5,
      bodyBytes: 2_048,
      headerSeconds: 4,
      requestSeconds: 6,
      apiKeyDays: 8,
    };
    const text = `issuer: https://agents.example.com
listen: { address: 10.0.0.1, port: 8443, trustedProxies: [10.0.0.0/8], drainSeconds: 9 }
operations: { address: localhost, port: 9464 }
data: /data
pins: /pins
trust: { roots: [public-good.json], signingConfig: signing.json }
tokens: { algorithm: ES256, lifetimeSeconds: 300, audiences: [ours], key: "file:signing.pem", keyCacheSeconds: 60 }
predicateBase: https://acme.example/colophon
claimArc: 1.3.6.1.4.1.99999.1
callers: [{ name: builder, apiKey: true, may: { agents: [code-writer] } }]
agents: [{ name: code-writer }]
policyPacks: [{ name: default, hash: "sha256:${'0'.repeat(64)}" }]
claims: { required: [repo], sources: { repo: [caller-token] } }
limits: ${JSON.stringify(limits)}
reviews: { login: { issuer: https://sso.example.com, clientId: colophon } }
`;
    const { fixed, live } = configurationIn(text);
    expect(fixed).toStrictEqual({
      issuer: 'https://agents.example.com',
      listen: {
        address: '10.0.0.1',
        port: 8443,
        isLoopback: false,
        trustedProxies: ['10.0.0.0/8'],
        drainSeconds: 9,
      },
      operations: { address: 'localhost', port: 9464 },
      dataDir: '/data',
      pinsFolder: '/pins',
      roles: ['issuer'],
      tokens: {
        algorithm: 'ES256',
        lifetimeSeconds: 300,
        audiences: ['ours'],
        keyFile: '/etc/colophon/signing.pem',
        keyCacheSeconds: 60,
      },
      namespace: { predicateBase: 'https://acme.example/colophon', claimArc: '1.3.6.1.4.1.99999.1' },
      trust: {
        roots: [{ name: 'public-good', file: '/etc/colophon/public-good.json', insecureIgnoreSct: false }],
        signingConfigFile: '/etc/colophon/signing.json',
      },
      limits,
      reviews: { login: { issuer: 'https://sso.example.com', clientId: 'colophon' } },
    });
    expect(live.registry.policyPackOf(`sha256:${'0'.repeat(64)}`)).toBe('default');
    expect([live.requiredClaims, live.requiredSources]).toEqual([['repo'], { repo: ['caller-token'] }]);
  });

  it.each(['sso.example.com', 'http://sso.example.com', 'https://sso.example.com/?a', 'https://u:p@sso.example.com'])(
    'names no place to log in by %j',
    (issuer) => {
      const text = `${SMALLEST}reviews: { login: { issuer: "${issuer}", clientId: colophon } }\n`;
      expect(issuesOf(text)).toEqual(['/reviews/login/issuer configuration.issuer_invalid']);
    },
  );

  it('names another issuer than itself to log in at, and a client', () => {
    const { issuer } = configurationIn(SMALLEST).fixed;
    const own = `${SMALLEST}reviews: { login: { issuer: "${issuer}", clientId: colophon } }\n`;
    expect(issuesOf(own)).toEqual(['/reviews/login/issuer configuration.issuer_invalid']);
    expect(issuesOf(`${SMALLEST}reviews: { login: { issuer: "https://sso.example.com" } }\n`)).toHaveLength(1);
  });

  it('is read up to sixteen mebibytes', () => {
    expect(issuesOf(filled(MAX_CONFIGURATION_LENGTH))).toEqual([]);
    expect(issuesOf(filled(MAX_CONFIGURATION_LENGTH + 1))).toHaveLength(1);
  });

  it('with more problems than anybody reads says the first fifty', () => {
    const agents = Array.from({ length: 60 }, () => '  - { name: code-writer }\n').join('');
    expect(issuesOf(`${SMALLEST}agents:\n${agents}`)).toHaveLength(50);
  });

  it.each<[string, string | undefined]>([
    ['data: /var/lib/colophon', '/var/lib/colophon'],
    ['listen: {}\ndata:   "/a b"\nroles: x', '/a b'],
    ['data: a b # there', 'a b'],
    [' data: nested', undefined],
    ['x-data: other', undefined],
    ['data:', undefined],
    ['data: { a: b }', undefined],
    ["data: 'single'", undefined],
    ['data: [a]', undefined],
  ])('names its data folder, even where it is broken: %j', (text, folder) => {
    expect(dataFolderIn(text)).toBe(folder);
  });

  it('is told from another by the hash of its bytes', () => {
    const [one, other] = [SMALLEST, `${SMALLEST}# a comment\n`].map((text) => configurationIn(text).live.hash);
    expect(one).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(other).not.toBe(one);
  });

  it('reports every problem at once, each with line and column', () => {
    const parsed = parse(
      edited(
        ['algorithm: RS256', 'algorithm: HS256'],
        ['port: 8443', 'prot: 8443'],
        ['apiKey: true', 'apiKey: yes please'],
      ),
    );
    const places = parsed.ok ? [] : parsed.issues.map(({ code, line, column }) => `${code} ${line}:${column}`);
    expect(places.sort()).toEqual([
      'policy.field_missing 9:3',
      'policy.unknown_key 10:3',
      'policy.value 22:22',
      'policy.wrong_type 66:13',
    ]);
  });
});

describe('what would open the issuer to everybody', () => {
  it.each([
    ['no caller beyond loopback', edited([CONFIGURATION_EXAMPLE.slice(CONFIGURATION_EXAMPLE.indexOf('callers:')), ''])],
    ['an empty list of callers', `${SMALLEST.replace('localhost, port', '0.0.0.0, port')}callers: []\n`],
    ['an address of all families', `${SMALLEST.replace('localhost, port', '"::", port')}callers: []\n`],
    ['plain text beyond loopback', edited(['  tls: { certificate: tls.crt, key: "file:tls.key" }\n', ''])],
    [
      'an address of others on loopback, to which something must lead',
      SMALLEST.replace('http://localhost:7080', 'https://agents.example.com'),
    ],
    [
      'everybody as a proxy',
      edited(['  tls: { certificate: tls.crt, key: "file:tls.key" }', '  trustedProxies: [0.0.0.0/0]']),
    ],
    [
      'everybody as a proxy, by IPv6',
      edited(['  tls: { certificate: tls.crt, key: "file:tls.key" }', '  trustedProxies: ["::/0"]']),
    ],
    ['a proxy without callers', SMALLEST.replace('port: 7080 }', 'port: 7080, trustedProxies: [127.0.0.1] }')],
    ['TLS and a proxy that ends it', edited(['  tls: {', '  trustedProxies: [10.0.0.0/8]\n  tls: {'])],
  ])('%s is refused', (_what, text) => {
    expect(issuesOf(text).map((issue) => issue.split(' ')[1])).toContain('configuration.exposed');
  });

  it('is reported where the way in stands, or the callers would', () => {
    const tls = '  tls: { certificate: tls.crt, key: "file:tls.key" }\n';
    expect(issuesOf(edited([tls, '']))).toEqual(['/listen configuration.exposed']);
    expect(issuesOf(edited([tls, `${tls}  trustedProxies: [10.0.0.0/8]\n`]))).toEqual([
      '/listen configuration.exposed',
    ]);
    expect(issuesOf(edited([tls, '  trustedProxies: [10.0.0.0/8]\n']))).toEqual([]);
    const nobody = `${SMALLEST.replace('port: 7080 }', 'port: 7080, trustedProxies: [127.0.0.1] }')}callers: []\n`;
    expect(issuesOf(nobody)).toEqual(['/callers configuration.exposed']);
  });

  it.each(['authority', 'evidence', 'registry'])('%s is not served beyond loopback', (role) => {
    const text = edited([
      'data: /var',
      `roles: [issuer, authority, ${role === 'authority' ? 'sboms' : role}]\ndata: /var`,
    ]);
    expect(issuesOf(text)[0]).toBe('/roles/1 configuration.role_refused');
  });

  it.each([
    [
      'behind a proxy',
      'port: 7080 }',
      'port: 7080, trustedProxies: [127.0.0.1] }\ncallers: [{ name: a, apiKey: true, may: { agents: [a] } }]',
    ],
    ['under a name that others reach', 'http://localhost:7080', 'https://agents.example.com'],
  ])('%s on loopback, neither', (_what, from, to) => {
    const text = `${SMALLEST.replace(from, to)}roles: [issuer, sboms, authority, evidence, registry]\n`;
    expect(issuesOf(text).filter((issue) => issue.startsWith('/roles'))).toEqual(
      ['/roles/2', '/roles/3', '/roles/4'].map((path) => `${path} configuration.role_refused`),
    );
  });

  it.each([
    ['0.0.0.0/00', ['/listen/trustedProxies/0 configuration.exposed']],
    ['10.0.0.0/08', []],
  ])('a network of proxies is as large as the number after its slash: %s', (network, issues) => {
    const tls = '  tls: { certificate: tls.crt, key: "file:tls.key" }';
    expect(issuesOf(edited([tls, `  trustedProxies: [${network}]`]))).toEqual(issues);
  });

  it.each([
    ['neither', '', ['/roles configuration.role_refused']],
    ['roots alone', 'trust: { roots: [a.json] }', ['/roles configuration.role_refused']],
    ['a signing config alone', 'trust: { signingConfig: a.json }', ['/roles configuration.role_refused']],
    ['both', 'trust: { roots: [a.json], signingConfig: a.json }', []],
  ])(
    'evidence needs the authority whose certificates it keeps, or roots and a signing config: %s',
    (_what, trust, issues) => {
      expect(issuesOf(`${SMALLEST}roles: [issuer, evidence]\n${trust}\n`)).toEqual(issues);
      expect(issuesOf(`${SMALLEST}roles: [issuer, authority, evidence]\n${trust}\n`)).toEqual([]);
    },
  );
});

describe('an issuer’s own address', () => {
  it.each([
    'http://agents.example.com',
    'https://agents.example.com?x=1',
    'https://agents.example.com/#a',
    'https://user@agents.example.com',
    'https://AGENTS.example.com',
    'https://agents.example.com:443',
    'https://agents.example.com/a/../b',
    'ftp://agents.example.com',
    'agents.example.com',
    'https://agents.example.com\\evil',
  ])('is not %s', (issuer) => {
    const text = CONFIGURATION_EXAMPLE.replaceAll('https://agents.example.com', issuer);
    expect(issuesOf(text)).toContain('/issuer configuration.issuer_invalid');
  });

  it.each(['https://agents.example.com/colophon', 'https://agents.example.com:8443', 'https://agents.example.com/'])(
    'may be %s',
    (issuer) => {
      expect(issuesOf(CONFIGURATION_EXAMPLE.replaceAll('https://agents.example.com', issuer))).toEqual([]);
    },
  );
});

describe('a further issuer of the authority', () => {
  const further = (...issuers: readonly string[]) =>
    `${SMALLEST}roles: [issuer, authority]\nauthority: { issuers: [${issuers.map((issuer) => `{ issuer: "${issuer}", subject: uri }`)}] }\n`;
  const place = (index: number) => `/authority/issuers/${index}/issuer`;

  it('is read as it stands there', () => {
    const issuers = ['https://ci.example.com', 'https://ci.example.com//jobs', 'http://127.0.0.1:9'];
    expect(configurationIn(further(...issuers)).fixed.furtherIssuers).toEqual(
      issuers.map((issuer) => ({ issuer, subject: 'uri' })),
    );
  });

  it('may be missing', () => {
    const { fixed } = configurationIn(`${SMALLEST}roles: [issuer, authority]\nauthority: {}\n`);
    expect(fixed.furtherIssuers).toBeUndefined();
  });

  it('needs the authority among the roles', () => {
    const text = further('https://ci.example.com').replace('roles: [issuer, authority]', 'roles: [issuer]');
    expect(issuesOf(text)).toEqual(['/authority configuration.role_refused']);
  });

  it('has an address of its own', () => {
    expect(issuesOf(further('http://ci.example.com', 'https://ci.example.com/?a'))).toEqual([
      `${place(0)} configuration.issuer_invalid`,
      `${place(1)} configuration.issuer_invalid`,
    ]);
  });

  it('stands there once and is not this one, with slashes at the end or without', () => {
    const ours = ['http://localhost:7080', 'http://localhost:7080/'];
    const others = ['https://ci.example.com', 'https://ci.example.com/', 'https://ci.example.com//'];
    expect(issuesOf(further(...ours, ...others))).toEqual(
      [0, 1, 3, 4].map((index) => `${place(index)} configuration.name_repeated`),
    );
  });
});

describe('a trusted issuer', () => {
  const ISSUER = 'issuer: https://token.actions.githubusercontent.com';
  it.each([
    ['is named by an exact https address', ISSUER, 'issuer: http://ci.example.com'],
    ['has no query', ISSUER, 'issuer: https://ci.example.com/?a'],
    ['has no user', ISSUER, 'issuer: https://a@ci.example.com'],
    ['has no blank at its end', ISSUER, 'issuer: "https://ci.example.com "'],
    ['has its host in plain letters', ISSUER, 'issuer: https://tökens.example'],
    ['is written as a URL parser writes it', ISSUER, 'issuer: https://CI.example.com'],
    ['is not this issuer', ISSUER, 'issuer: https://agents.example.com'],
    ['is not this issuer with a slash', ISSUER, 'issuer: https://agents.example.com/'],
  ])('%s', (_what, from, to) => {
    expect(issuesOf(edited([from, to]))).toContain(`${GITHUB}/issuer configuration.caller_issuer_invalid`);
  });

  it.each(['sigstore', 'https://staging.example.com', 'https://agents.example.com/'])(
    'has this issuer as its audience, not %s',
    (audience) => {
      expect(issuesOf(edited(['audience: https://agents.example.com', `audience: ${audience}`]))).toEqual([
        `${GITHUB}/audience configuration.caller_audience`,
      ]);
    },
  );

  it('has one source of keys over all of its callers', () => {
    const second = edited([
      '  - name: builder',
      '  - name: other-pods\n    kind: kubernetes\n    oidc:\n      issuer: https://kubernetes.default.svc.cluster.local\n      audience: https://agents.example.com\n      where: { sub: "system:serviceaccount:a:b" }\n    may: { agents: [code-fixer] }\n  - name: builder',
    ]);
    expect(issuesOf(second)).toEqual(['/callers/3/oidc configuration.caller_keys']);
    const alike = second.replace(
      '"system:serviceaccount:a:b" }',
      '"system:serviceaccount:a:b" }\n      keys: { file: cluster-jwks.json }',
    );
    expect(issuesOf(alike)).toEqual([]);
    expect(configurationIn(alike).live.callerIssuers).toHaveLength(3);
  });

  it.each([
    ['{ file: a.json, url: "https://a.example" }'],
    ['{ file: a.json, bearer: "file:t" }'],
    ['{ file: a.json, ca: ca.pem }'],
    ['{ url: "http://a.example/keys" }'],
    ['{ url: "https://a.example/keys", bearer: secret }'],
    ['{ bearer: "file:t" }'],
  ])('has no keys from %s', (keys) => {
    expect(issuesOf(edited(['keys: { file: cluster-jwks.json }', `keys: ${keys}`]))).toEqual([
      '/callers/2/oidc/keys configuration.caller_keys',
    ]);
  });

  it('is not this issuer by a slash or another case of its path', () => {
    const us = 'https://agents.example.com/colophon';
    for (const same of [us, `${us}/`, us.replace('colophon', 'Colophon')]) {
      const text = edited([ISSUER, `issuer: ${same}`]).replaceAll(/https:\/\/agents\.example\.com$/gm, us);
      expect(issuesOf(text), same).toEqual([`${GITHUB}/issuer configuration.caller_issuer_invalid`]);
    }
    const other = edited([ISSUER, `issuer: ${us}-2`]).replaceAll(/https:\/\/agents\.example\.com$/gm, us);
    expect(issuesOf(other)).toEqual([]);
  });

  it('has as old tokens as its entry says', () => {
    const text = edited([ISSUER, `${ISSUER}\n      maxAgeSeconds: 120`]);
    expect(configurationIn(text).live.callerIssuers.map(({ maxAgeSeconds }) => maxAgeSeconds)).toEqual([
      120, 3_600, 3_600,
    ]);
  });

  it('may have its keys from a public address', () => {
    const keys = 'keys: { url: "https://keys.example.com/jwks" }';
    expect(configurationIn(edited(['keys: { file: cluster-jwks.json }', keys])).live.callerIssuers[2]?.keys).toEqual({
      from: 'url',
      url: 'https://keys.example.com/jwks',
    });
  });

  it('may have its keys from an address with a private CA and a bearer token', () => {
    const keys = 'keys: { url: "https://10.0.0.1:6443/openid/v1/jwks", ca: /ca.crt, bearer: "file:/token" }';
    expect(configurationIn(edited(['keys: { file: cluster-jwks.json }', keys])).live.callerIssuers[2]?.keys).toEqual({
      from: 'url',
      url: 'https://10.0.0.1:6443/openid/v1/jwks',
      caFile: '/ca.crt',
      bearerFile: '/token',
    });
  });

  it('of SPIFFE is a trust domain, with its bundle', () => {
    const spiffe = (issuer: string, keys = '\n      keys: { file: bundle.json }') =>
      `${SMALLEST}callers:\n  - name: svid\n    kind: spiffe\n    oidc:\n      issuer: ${issuer}\n      audience: http://localhost:7080\n      where: { sub: "spiffe://acme.example/agent" }${keys}\n    may: { agents: [a] }\n`;
    expect(configurationIn(spiffe('spiffe://acme.example')).live.callerIssuers).toMatchObject([{ kind: 'spiffe' }]);
    expect(issuesOf(spiffe('https://acme.example'))).toEqual([`${GITHUB}/issuer configuration.caller_issuer_invalid`]);
    expect(issuesOf(spiffe('spiffe://acme.example', ''))).toEqual([`${GITHUB}/keys configuration.caller_keys`]);
  });
});

describe('conditions that do not tell one agent’s jobs from others’', () => {
  const PINNED =
    '        repository_id: "123456789"\n        job_workflow_ref: acme/ci/.github/workflows/agent.yml@refs/heads/main\n';
  it.each([
    ['an owner alone', '        repository_owner_id: "1"\n'],
    ['a repository alone', '        repository_id: "1"\n'],
    ['a repository by name', '        repository: acme/shop\n'],
    ['a workflow in any repository', '        job_workflow_ref: acme/ci/.github/workflows/agent.yml@refs/heads/main\n'],
  ])('%s is refused for GitHub', (_what, where) => {
    expect(issuesOf(edited([PINNED, where]))).toContain(`${GITHUB}/where configuration.caller_unpinned`);
  });

  it('a pinned workflow in the repositories of an owner is not refused', () => {
    const where = PINNED.replace('repository_id', 'repository_owner_id');
    expect(issuesOf(edited([PINNED, where]))).toEqual([]);
  });

  it('a project’s branches that anybody pushes are refused for GitLab', () => {
    // Where a job runs says nothing of who could push what it runs.
    expect(issuesOf(edited(['ref_protected: "true"', 'job_project_id: "42"']))).toEqual([
      '/callers/1/oidc/where configuration.caller_unpinned',
    ]);
    expect(issuesOf(edited(['        ref_protected: "true"\n', '']))).toEqual([
      '/callers/1/oidc/where configuration.caller_unpinned',
    ]);
    for (const values of ['"false"', '["true", "false"]', '[]']) {
      expect(issuesOf(edited(['ref_protected: "true"', `ref_protected: ${values}`]))[0]).toMatch(
        /^\/callers\/1\/oidc\/where/,
      );
    }
  });

  it('any pod of a cluster is refused for Kubernetes', () => {
    const where = edited([
      '        sub: system:serviceaccount:agents:code-fixer\n        /kubernetes.io/serviceaccount/uid: 0e1d2c3b-4a59-4687-9786-a5b4c3d2e1f0\n',
      '        /kubernetes.io/namespace: agents\n',
    ]);
    expect(issuesOf(where)).toEqual(['/callers/2/oidc/where configuration.caller_unpinned']);
  });

  it('nobody in particular is refused for any issuer', () => {
    const text = edited([PINNED, ''], ['        event_name: [push, pull_request]\n', '        {}\n']);
    expect(issuesOf(text)[0]).toBe(`${GITHUB}/where policy.value`);
  });

  it('a member of a claim is named by a JSON Pointer, which is read as RFC 6901 has it', () => {
    const under = (name: string) => edited(['        repository_id:', `        ${name}: x\n        repository_id:`]);
    const [caller] = configurationIn(under('/a~1b~0c/~01')).live.callerList;
    expect(caller?.token?.where.map(({ path }) => path)).toContainEqual(['a/b~c', '~1']);
    for (const name of ['/a~2b', '/a~', '/~a/b']) {
      expect(issuesOf(under(name)), name).toEqual([
        `${GITHUB}/where/${name.replaceAll('~', '~0').replaceAll('/', '~1')} policy.value`,
      ]);
    }
  });

  it('an e-mail address that nobody verified is no reviewer', () => {
    const sso = (where: string) =>
      `${SMALLEST}callers:\n  - name: people\n    kind: oidc\n    oidc:\n      issuer: https://sso.example.com\n      audience: http://localhost:7080\n      where: ${where}\n      claims: { human_reviewer: email }\n    may: { agents: [], purposes: [review] }\n`;
    expect(issuesOf(sso('{ hd: example.com }'))).toEqual([
      `${GITHUB}/claims/human_reviewer configuration.caller_unpinned`,
    ]);
    expect(issuesOf(sso('{ hd: example.com, email_verified: "true" }'))).toEqual([]);
    expect(issuesOf(sso('{ hd: example.com, /email_verified: "true" }'))).toEqual([]);
    expect(issuesOf(sso('{ hd: example.com, email_verified: ["true", "false"] }'))).toHaveLength(1);
    expect(issuesOf(sso('{ hd: example.com }').replace('human_reviewer: email', 'human_reviewer: /email'))).toEqual([
      `${GITHUB}/claims/human_reviewer configuration.caller_unpinned`,
    ]);
  });
});

describe('what a caller’s token confirms', () => {
  const confirms = (text: string) => configurationIn(text).live.callerList.map(({ token }) => token?.confirms);
  const sso = (claims: string) =>
    `${SMALLEST}callers:\n  - name: people\n    kind: oidc\n    oidc:\n      issuer: https://sso.example.com\n      audience: http://localhost:7080\n      where: { hd: example.com }\n${claims}    may: { agents: [] }\n`;

  it('is what its forge says of a job, or what the entry names of that', () => {
    expect(confirms(CONFIGURATION_EXAMPLE)).toEqual([
      FORGE_CLAIMS.github,
      FORGE_CLAIMS.gitlab,
      FORGE_CLAIMS.kubernetes,
      undefined,
    ]);
    const named = (place: string) => edited([place, `      confirms: [repo, commit_sha]\n${place}`]);
    expect(confirms(named('      where:\n        repository_id'))[0]).toEqual({
      repo: ['repository'],
      commit_sha: ['sha'],
    });
    expect(confirms(named('      where:\n        project_id'))[1]).toEqual({
      repo: ['project_path'],
      commit_sha: ['sha'],
    });
  });

  it('of another issuer is what the entry says, by name or JSON Pointer, and nothing otherwise', () => {
    expect(confirms(sso(''))).toEqual([{}]);
    expect(confirms(sso('      claims: { repo: /ci/project, human_reviewer: login }\n'))).toEqual([
      { repo: ['ci', 'project'], human_reviewer: ['login'] },
    ]);
    expect(issuesOf(sso('      claims: { repo: /ci~project }\n'))).toEqual([`${GITHUB}/claims/repo policy.value`]);
  });
});

describe('entries that cannot be meant', () => {
  it.each([
    ['a credential of no kind', ['    apiKey: true\n', ''], '/callers/3 configuration.caller_invalid'],
    [
      'a kind without its issuer',
      ['    apiKey: true\n', '    kind: github\n    apiKey: true\n'],
      '/callers/3 configuration.caller_invalid',
    ],
    ['an issuer without its kind', ['    kind: kubernetes\n', ''], '/callers/2 configuration.caller_invalid'],
    [
      'a list of roles without the issuer',
      ['data: /var', 'roles: [sboms]\ndata: /var'],
      '/roles configuration.role_refused',
    ],
    [
      'a host name for operations',
      ['operations: { address: 127.0.0.1', 'operations: { address: ops.example.com'],
      '/operations/address configuration.address_invalid',
    ],
    [
      'a proxy by its name',
      ['  tls: { certificate: tls.crt, key: "file:tls.key" }', '  trustedProxies: [10.0.0.1, proxy.example.com]'],
      '/listen/trustedProxies/1 configuration.address_invalid',
    ],
    [
      'one identifier of two agents',
      ['name: code-writer, owner: platform@example.com }', 'name: code-writer, id: a }\n  - { name: other, id: a }'],
      '/agents/1/id configuration.name_repeated',
    ],
    [
      'one policy pack twice',
      ['data: /var', `${packs('default 0', 'default 1')}data: /var`],
      '/policyPacks/1/name configuration.name_repeated',
    ],
    [
      'one hash of two policy packs',
      ['data: /var', `${packs('default 0', 'strict 0')}data: /var`],
      '/policyPacks/1/hash configuration.name_repeated',
    ],
    [
      'a variable that none can be',
      ['"file:tls.key"', '"env:1-KEY"'],
      '/listen/tls/key configuration.reference_invalid',
    ],
    ['a variable with a hyphen', ['"file:tls.key"', '"env:KEY-1"'], '/listen/tls/key configuration.reference_invalid'],
    ['another place', ['"file:tls.key"', '"my-file:tls.key"'], '/listen/tls/key configuration.reference_invalid'],
    [
      'a signing key in this file',
      ['tokens: { ', 'tokens: { key: "MC4CAQAw", '],
      '/tokens/key configuration.reference_invalid',
    ],
    ['a file of no name', ['"file:tls.key"', '"file:"'], '/listen/tls/key configuration.reference_invalid'],
    [
      'GitHub’s tokens without GitHub’s rules',
      ['kind: github', 'kind: oidc'],
      '/callers/0/kind configuration.caller_invalid',
    ],
    [
      'GitLab’s tokens without GitLab’s rules',
      [
        'kind: gitlab\n    oidc:\n      issuer: https://gitlab.example.com',
        'kind: oidc\n    oidc:\n      issuer: https://gitlab.com',
      ],
      '/callers/1/kind configuration.caller_invalid',
    ],
    ['one caller twice', ['name: builder', 'name: agent-pods'], '/callers/3/name configuration.name_repeated'],
    [
      'one agent in two spellings',
      ['name: code-fixer, owner', 'name: Code-Writer, owner'],
      '/agents/1/name configuration.name_repeated',
    ],
    [
      'a right to an agent that is none',
      ['agents: [code-writer]\n', 'agents: [code-writter]\n'],
      '/callers/0/may/agents/0 configuration.name_unknown',
    ],
    [
      'a right to an audience that is none',
      ['purposes: [artifact]', 'audiences: [other]'],
      '/callers/3/may/audiences/0 configuration.name_unknown',
    ],
    [
      'a right to a policy pack that is none',
      ['purposes: [artifact]', 'policyPacks: [strict]'],
      '/callers/3/may/policyPacks/0 configuration.name_unknown',
    ],
    [
      'claims of a forge, said anew',
      ['      where:\n        project_id', '      claims: { repo: x }\n      where:\n        project_id'],
      '/callers/1/oidc/claims configuration.caller_invalid',
    ],
    [
      'what a pod’s token confirms',
      ['      keys: { file', '      confirms: [repo]\n      keys: { file'],
      '/callers/2/oidc/confirms configuration.caller_invalid',
    ],
    [
      'a secret in the file',
      ['"file:tls.key"', '"-----BEGIN PRIVATE KEY-----"'],
      '/listen/tls/key configuration.reference_invalid',
    ],
    [
      'a signing key in the environment',
      ['tokens: { ', 'tokens: { key: "env:KEY", '],
      '/tokens/key configuration.reference_invalid',
    ],
    [
      'an arc that belongs to others',
      ['data: /var', 'claimArc: 1.3.6.1.4.1.57264.1\ndata: /var'],
      '/claimArc configuration.namespace_invalid',
    ],
    [
      'a base that is no address',
      ['data: /var', 'predicateBase: acme\ndata: /var'],
      '/predicateBase configuration.namespace_invalid',
    ],
    [
      'an address that is a name',
      ['address: 0.0.0.0', 'address: agents.example.com'],
      '/listen/address configuration.address_invalid',
    ],
    [
      'a number where the forge writes text',
      ['"123456789"', '123456789'],
      `${GITHUB}/where/repository_id policy.wrong_type`,
    ],
  ] as const)('%s', (_what, edit, issue) => {
    expect(issuesOf(edited(edit))).toContain(issue);
  });

  it('a right by a pattern, and one to an agent where any name is an agent, are meant', () => {
    expect(issuesOf(edited(['agents: [code-writer]\n', 'agents: ["code-*"]\n']))).toEqual([]);
    const agents = CONFIGURATION_EXAMPLE.slice(CONFIGURATION_EXAMPLE.indexOf('agents:\n'));
    const open = edited([agents, ''], ['agents: [code-writer]\n', 'agents: [whoever]\n']);
    expect(issuesOf(open)).toEqual([]);
  });

  it('a right to what another list names is meant, and a mistyped one is told with that list', () => {
    const named = ['data: /var', `${packs('default 0')}data: /var`] as const;
    const right = (pack: string) => ['purposes: [artifact]', `audiences: [sigstore], policyPacks: [${pack}]`] as const;
    expect(issuesOf(edited(named, right('default')))).toEqual([]);
    expect(issuesOf(edited(named, right('strict')))).toEqual([
      '/callers/3/may/policyPacks/0 configuration.name_unknown',
    ]);
    const audience = parse(edited(['purposes: [artifact]', 'audiences: [other]']));
    expect(audience).toMatchObject({ issues: [{ message: expect.stringContaining('tokens.audiences') }] });
    const agent = parse(edited(['agents: [code-writer]\n', 'agents: [code-writter]\n']));
    expect(agent).toMatchObject({ issues: [{ message: expect.not.stringContaining('tokens') }] });
  });

  it('a hash of a policy pack is meant in any spelling', () => {
    const { registry } = configurationIn(
      `${SMALLEST}policyPacks: [{ name: default, hash: ${'AB'.repeat(32)} }]\n`,
    ).live;
    expect(registry.policyPackOf(`sha256:${'ab'.repeat(32)}`)).toBe('default');
  });

  it.each(['data', 'data/pins', '/etc/colophon/data/a/b'])('pins at %s lie in data', (pins) => {
    expect(issuesOf(`${SMALLEST}pins: ${pins}\n`)).toEqual(['/pins configuration.pins_in_data']);
  });

  it('an address is told from a network in what is expected', () => {
    const proxy = 'trustedProxies: [proxy.example.com]';
    expect(parse(edited(['tls: { certificate: tls.crt, key: "file:tls.key" }', proxy]))).toMatchObject({
      issues: [{ expected: expect.stringContaining('10.0.0.0/8') }],
    });
    expect(parse(edited(['address: 0.0.0.0', 'address: example.com']))).toMatchObject({
      issues: [{ expected: expect.stringContaining('localhost') }],
    });
  });

  it('a key may stand in the environment', () => {
    const { tls } = configurationIn(edited(['"file:tls.key"', '"env:TLS_KEY"'])).fixed.listen;
    expect(tls?.key).toEqual({ env: 'TLS_KEY' });
  });

  it('a secret that stands in the file is in no message', () => {
    const parsed = parse(edited(['"file:tls.key"', '"canary-secret"']));
    expect(JSON.stringify(parsed)).not.toContain('canary-secret');
  });
});

describe('a client of the services', () => {
  const read = (text: string) => readClientConfiguration(text, { folder: '/etc/colophon' });

  it('takes issuer, names, trust and login from a file', () => {
    const text = `issuer: https://agents.example.com
predicateBase: https://acme.example/colophon
claimArc: 1.3.6.1.4.1.99999.1
trust: { roots: [{ name: own, file: root.json }], signingConfig: /signing.json }
reviews: { login: { issuer: https://sso.example.com, clientId: colophon } }
`;
    expect(read(text)).toStrictEqual({
      ok: true,
      value: {
        issuer: 'https://agents.example.com',
        namespace: { predicateBase: 'https://acme.example/colophon', claimArc: '1.3.6.1.4.1.99999.1' },
        trust: {
          roots: [{ name: 'own', file: '/etc/colophon/root.json', insecureIgnoreSct: false }],
          signingConfigFile: '/signing.json',
        },
        reviewLogin: { issuer: 'https://sso.example.com', clientId: 'colophon' },
      },
    });
  });

  it.each(['{}\n', 'reviews: {}\n', 'data: data\nroles: [authority]\n'])('needs nothing of that: %j', (text) => {
    expect(read(text)).toStrictEqual({ ok: true, value: { namespace: {}, trust: {} } });
  });

  it('takes the file of an issuer', () => {
    const value = { issuer: 'https://agents.example.com', namespace: {}, trust: {} };
    expect(read(CONFIGURATION_EXAMPLE)).toStrictEqual({ ok: true, value });
    expect(read(filled(MAX_CONFIGURATION_LENGTH))).toMatchObject({ ok: true });
    expect(issuesIn(read(filled(MAX_CONFIGURATION_LENGTH + 1)))).toEqual([' policy.too_large']);
  });

  it('refuses what is of another form, and says so of all that it cannot go by', () => {
    expect(issuesIn(read('isuer: https://agents.example.com\n'))).toEqual(['/isuer policy.unknown_key']);
    const text = `issuer: http://agents.example.com
predicateBase: acme
trust: { roots: [a.json, a.json] }
reviews: { login: { issuer: http://agents.example.com, clientId: colophon } }
`;
    expect(issuesIn(read(text))).toEqual([
      '/issuer configuration.issuer_invalid',
      '/reviews/login/issuer configuration.issuer_invalid',
      '/predicateBase configuration.namespace_invalid',
      '/trust/roots/1 configuration.name_repeated',
    ]);
  });

  it('logs in at another issuer than its own', () => {
    const login = (issuer: string) =>
      `issuer: https://agents.example.com\nreviews: { login: { issuer: "${issuer}", clientId: colophon } }\n`;
    expect(issuesIn(read(login('https://sso.example.com')))).toEqual([]);
    expect(issuesIn(read(login('https://agents.example.com')))).toEqual([
      '/reviews/login/issuer configuration.issuer_invalid',
    ]);
  });
});
