import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadAdmission } from './admission-configuration.ts';
import { RulesInForce } from './rules-in-force.ts';

const ROOT = JSON.stringify(new LocalSigstore().trustedRootJson());
const POLICY =
  'version: 1\nname: shop\nimages: ["ghcr.io/acme/**"]\nagent: { issuer: https://i.example, subject: agent:a }\n';
const MINIMAL = `listen: { address: 127.0.0.1, port: 0 }
trust: { roots: [root.json] }
policies: [shop.yaml]
mode: enforce
namespaces: { exclude: [colophon-system] }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-admission-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  write('root.json', ROOT);
  write('shop.yaml', POLICY);
});
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const load = (text: string, ownNamespace?: string) => loadAdmission(write('admission.yaml', text), ownNamespace);
const issuesOf = (text: string) => {
  try {
    load(text);
    return [];
  } catch (error) {
    const { issues, message } = error as { issues?: ReadonlyArray<{ code: string; path: string }>; message: string };
    return issues === undefined || issues.length === 0 ? [message] : issues.map(({ code, path }) => `${code} ${path}`);
  }
};

/** As often as it takes until a change takes effect. */
function lookTwice(rules: RulesInForce): void {
  rules.look();
  rules.look();
}

describe('the configuration of a webhook', () => {
  it('is read with its policies and roots, relative to its folder', () => {
    const { fixed, rules } = load(`${MINIMAL}data: seen
registryCredentials: file:config.json
decisionLog: log.jsonl
timeoutSeconds: 5
pullSecrets: { namespaces: [shop] }
operations: { address: 127.0.0.1, port: 0 }
negatives: { from: "https://e.example/negatives", signer: { issuer: "https://i.example", subject: s }, maxAge: 10m }
`);
    expect(fixed).toEqual({
      listen: { address: '127.0.0.1', port: 0 },
      operations: { address: '127.0.0.1', port: 0 },
      dataDir: join(folder, 'seen'),
      registryCredentials: { file: join(folder, 'config.json') },
      pullSecretNamespaces: ['shop'],
      tellsCluster: false,
      decisionLogFile: join(folder, 'log.jsonl'),
      timeoutMs: 5000,
      drainMs: 5000,
    });
    expect(rules.policies.map(({ name }) => name)).toEqual(['shop']);
    expect([rules.mode, rules.defaultNegatives?.maxAgeSeconds, rules.trust.roots.length]).toEqual(['enforce', 600, 1]);
  });

  it('names the authority of who may call, relative to its folder', () => {
    const tls = 'clientCertificates: api.pem, tls: { certificate: tls.crt, key: "file:tls.key" }';
    expect(load(MINIMAL.replace('port: 0', `port: 0, ${tls}`)).fixed.listen.tls).toEqual({
      certificateFile: join(folder, 'tls.crt'),
      key: { file: join(folder, 'tls.key') },
      clientAuthorityFile: join(folder, 'api.pem'),
    });
  });

  it('leaves system namespaces and its own alone, whatever it says', () => {
    expect([...load(MINIMAL, 'guard').rules.excludedNamespaces].sort()).toEqual([
      'colophon-system',
      'guard',
      'kube-node-lease',
      'kube-system',
    ]);
  });

  it('takes every policy of a folder, and nothing hidden', () => {
    mkdirSync(join(folder, 'policies', '..data'), { recursive: true });
    write('policies/b.yaml', POLICY.replace('shop', 'b'));
    write('policies/a.yml', POLICY.replace('shop', 'a'));
    write('policies/.hidden.yaml', 'no policy');
    write('policies/README.md', 'no policy');
    expect(load(MINIMAL.replace('shop.yaml', 'policies')).rules.policies.map(({ name }) => name)).toEqual(['a', 'b']);
    mkdirSync(join(folder, 'empty'));
    expect(issuesOf(MINIMAL.replace('shop.yaml', 'empty'))).toEqual([
      expect.stringContaining('there is no .yaml or .yml file in empty'),
    ]);
  });

  it.each<[string, string, string]>([
    ['a port without TLS beyond loopback', MINIMAL.replace('127.0.0.1', '0.0.0.0'), 'configuration.exposed /listen'],
    [
      'certificates of clients and no TLS',
      MINIMAL.replace('port: 0', 'port: 0, clientCertificates: api.pem'),
      'configuration.exposed /listen/clientCertificates',
    ],
    ['no address', MINIMAL.replace('127.0.0.1', 'here'), 'configuration.address_invalid /listen/address'],
    ['no excluded namespace', MINIMAL.replace('[colophon-system]', '[]'), 'policy.value /namespaces/exclude'],
    [
      'a label in place of a name',
      MINIMAL.replace('[colophon-system]', '["env=prod"]'),
      'policy.value /namespaces/exclude/0',
    ],
    ['another mode', MINIMAL.replace('mode: enforce', 'mode: off'), 'policy.value /mode'],
    ['a key that is not known', `${MINIMAL}webhooks: []\n`, 'policy.unknown_key /webhooks'],
    [
      'a secret in the file',
      `${MINIMAL}registryCredentials: hunter2\n`,
      'configuration.reference_invalid /registryCredentials',
    ],
  ])('is refused with %s', (_title, text, issue) => {
    expect(issuesOf(text)).toEqual([issue]);
  });

  it('is refused with a policy or a root that cannot be used', () => {
    write('shop.yaml', 'version: 1\nimages: ["**"]\n');
    expect(issuesOf(MINIMAL)).toEqual(['policy.field_missing /agent']);
    write('shop.yaml', POLICY);
    write('root.json', '{}');
    expect(issuesOf(MINIMAL)[0]).toContain('root.json cannot be used');
    expect(issuesOf(MINIMAL.replace('shop.yaml', 'none.yaml'))[0]).toContain('none.yaml cannot be read');
  });

  it('is refused where a cold cluster would wait for itself', () => {
    const list = (host: string) =>
      `${MINIMAL}negatives: { from: "https://${host}/negatives", signer: { issuer: i, subject: s } }\n`;
    expect(issuesOf(list('evidence.colophon-system.svc'))).toEqual([]);
    expect(issuesOf(list('evidence.tools.svc'))).toEqual(['configuration.dependency_not_excluded /negatives/from']);
    expect(issuesOf(list('evidence.tools.svc.cluster.local:8443'))).toEqual([
      'configuration.dependency_not_excluded /negatives/from',
    ]);
    expect(issuesOf(list('evidence.tools.example'))).toEqual([]);
    write('shop.yaml', POLICY.replace('ghcr.io', 'registry.tools.svc:5000'));
    expect(issuesOf(MINIMAL)).toEqual(['configuration.dependency_not_excluded ']);
  });
});

describe('rules in force', () => {
  const open = (onChange = vi.fn()) => {
    const rules = new RulesInForce(write('admission.yaml', MINIMAL), { onChange, intervalMs: 60_000 });
    onTestFinished(() => rules.close());
    return { rules, onChange };
  };

  it('follow the files, as a whole or not at all', () => {
    const { rules, onChange } = open();
    const first = rules.rules;
    lookTwice(rules);
    expect([rules.rules === first, onChange.mock.calls.length]).toEqual([true, 0]);
    write('shop.yaml', POLICY.replace('agent:a', 'agent:b'));
    lookTwice(rules);
    expect(rules.rules.fingerprint).not.toBe(first.fingerprint);
    const second = rules.rules;
    write('shop.yaml', 'version: 1\n');
    lookTwice(rules);
    expect([rules.rules === second, rules.problem !== undefined, onChange.mock.calls.length]).toEqual([true, true, 2]);
    write('shop.yaml', POLICY.replace('agent:a', 'agent:b'));
    lookTwice(rules);
    expect([rules.problem, onChange.mock.calls.length]).toEqual([undefined, 3]);
  });

  it('do not take what needs a new start', () => {
    const { rules } = open();
    write('admission.yaml', `${MINIMAL}timeoutSeconds: 9\n`);
    lookTwice(rules);
    expect([String(rules.problem), rules.fixed.timeoutMs]).toEqual([expect.stringContaining('started again'), 2000]);
  });

  it('have roots that say for which issuers they are, but for one, and are other rules with other issuers', () => {
    write('other.json', JSON.stringify(new LocalSigstore().trustedRootJson()));
    const withRoots = (roots: string) => MINIMAL.replace('[root.json]', roots);
    expect(issuesOf(withRoots('[root.json, other.json]'))).toEqual([
      'configuration.root_without_issuers /trust/roots/1',
    ]);
    expect(issuesOf(withRoots('[root.json, { name: o, file: other.json, issuers: ["https://*"] }]'))).toEqual([
      'configuration.issuer_invalid /trust/roots/1/issuers/0',
    ]);
    const of = (issuer: string) =>
      load(withRoots(`[root.json, { name: o, file: other.json, issuers: ["${issuer}"] }]`));
    const { rules, trustFingerprint } = of('https://b.example');
    expect(rules.trust.roots.map(({ name, scope }) => [name, scope?.issuers])).toEqual([
      ['root', undefined],
      ['o', ['https://b.example']],
    ]);
    expect(of('https://b.example').trustFingerprint).toBe(trustFingerprint);
    expect(of('https://c.example').trustFingerprint).not.toBe(trustFingerprint);
  });

  it('have another fingerprint with every file and the mode', () => {
    const { rules } = open();
    const seen = new Set([rules.rules.fingerprint]);
    write('root.json', `${readFileSync(join(folder, 'root.json'), 'utf8')}\n`);
    lookTwice(rules);
    seen.add(rules.rules.fingerprint);
    write('admission.yaml', MINIMAL.replace('mode: enforce', 'mode: audit'));
    lookTwice(rules);
    seen.add(rules.rules.fingerprint);
    expect(seen.size).toBe(3);
  });
});
