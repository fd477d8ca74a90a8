import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadAdmission } from './admission-configuration.ts';
import { RulesInForce } from './rules-in-force.ts';

const ROOT = JSON.stringify(new LocalSigstore().trustedRootJson());
const CONFIGURATION = `listen: { address: 127.0.0.1, port: 0 }
trust: { roots: [root.json] }
policies: [policies]
mode: enforce
namespaces: { exclude: [colophon-system] }
`;
const policy = (name: string) =>
  `version: 1\nname: ${name}\nimages: ["ghcr.io/acme/**"]\nagent: { issuer: https://i.example, subject: agent:a }\n`;

/** As often as it takes until a change takes effect. */
function lookTwice(rules: RulesInForce): void {
  rules.look();
  rules.look();
}

/** Rules of the policies in a folder `policies`, which `make` fills. */
function open(make: (folder: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-rules-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  make(folder);
  writeFileSync(join(folder, 'root.json'), ROOT);
  writeFileSync(join(folder, 'admission.yaml'), CONFIGURATION);
  const load = vi.fn(loadAdmission);
  const rules = new RulesInForce(join(folder, 'admission.yaml'), { onChange: () => {}, intervalMs: 60_000, load });
  onTestFinished(() => rules.close());
  // What was changed a moment ago may be changed again without its times telling.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  lookTwice(rules);
  return { folder, rules, load, names: () => rules.rules.policies.map(({ name }) => name) };
}

test('rules are read again only when somebody touched a file or a folder that they come from', () => {
  const { folder, rules, load, names } = open((at) => {
    mkdirSync(join(at, 'policies'));
    writeFileSync(join(at, 'policies', 'shop.yaml'), policy('shop'));
  });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const loaded = load.mock.calls.length;
  for (let look = 0; look < 5; look += 1) rules.look();
  expect(load.mock.calls.length).toBe(loaded);

  // Of another size: by the fake time the file was left alone for long, and its real one may be of the same tick.
  write('policies/shop.yaml', policy('basket'));
  lookTwice(rules);
  expect(names()).toEqual(['basket']);
  write('policies/new.yaml', policy('new'));
  lookTwice(rules);
  expect(names()).toEqual(['new', 'basket']);
  write('other.yaml', policy('other'));
  renameSync(join(folder, 'other.yaml'), join(folder, 'policies', 'new.yaml'));
  lookTwice(rules);
  expect(names()).toEqual(['other', 'basket']);

  // What cannot be used is tried again at each look.
  write('policies/new.yaml', 'version: 1\n');
  lookTwice(rules);
  const failed = load.mock.calls.length;
  rules.look();
  expect([rules.problem !== undefined, load.mock.calls.length]).toEqual([true, failed + 1]);
  rmSync(join(folder, 'policies', 'new.yaml'));
  lookTwice(rules);
  expect([rules.problem, names()]).toEqual([undefined, ['basket']]);
});

test('a folder that was exchanged for a bad one and back is as good as before', () => {
  const link = (folder: string, to: string) => {
    rmSync(join(folder, 'policies'), { force: true });
    symlinkSync(to, join(folder, 'policies'));
  };
  const { folder, rules, names } = open((at) => {
    for (const [name, text] of [
      ['good', policy('shop')],
      ['bad', 'version: 1\n'],
    ] as const) {
      mkdirSync(join(at, name));
      writeFileSync(join(at, name, 'shop.yaml'), text);
    }
    link(at, 'good');
  });
  link(folder, 'bad');
  lookTwice(rules);
  expect([rules.problem !== undefined, names()]).toEqual([true, ['shop']]);
  link(folder, 'good');
  lookTwice(rules);
  expect([rules.problem, names()]).toEqual([undefined, ['shop']]);
});

test.each(['policies/shop.yaml', 'root.json', 'admission.yaml'])(
  'a pipe or a device in the place of %s leaves the rules in force, and nobody waits for it',
  (name) => {
    const { folder, rules, names } = open((at) => {
      mkdirSync(join(at, 'policies'));
      writeFileSync(join(at, 'policies', 'shop.yaml'), policy('shop'));
    });
    const path = join(folder, name);
    const text = readFileSync(path);
    for (const become of [() => execFileSync('mkfifo', [path]), () => symlinkSync('/dev/zero', path)]) {
      rmSync(path);
      become();
      lookTwice(rules);
      expect([rules.problem, names()]).toEqual([
        expect.objectContaining({ code: 'server.configuration_invalid' }),
        ['shop'],
      ]);
    }
    rmSync(path);
    writeFileSync(path, text);
    lookTwice(rules);
    expect([rules.problem, names()]).toEqual([undefined, ['shop']]);
  },
);

/** Has the link at `path` lead to one and the other of `targets`, as fast as it can, until it is ended. */
const EXCHANGE = `const { renameSync, symlinkSync } = require('node:fs');
const [path, ...targets] = process.argv.slice(1);
for (let turn = 0; ; turn += 1) {
  symlinkSync(targets[turn % targets.length], path + '.next');
  renameSync(path + '.next', path);
  if (turn === 0) process.stdout.write('exchanging');
}`;

test.each([
  ['policies', (_folder: string) => {}],
  [
    'the configuration with its policies',
    (folder: string) => {
      for (const version of ['old', 'new']) {
        const text = CONFIGURATION.replace('[policies]', `[policies, ${version}.yaml]`);
        writeFileSync(join(folder, `..${version}`, 'configuration'), text);
        writeFileSync(join(folder, `${version}.yaml`), policy(`beside-${version}`));
      }
      rmSync(join(folder, 'admission.yaml'));
      symlinkSync('..data/configuration', join(folder, 'admission.yaml'));
    },
  ],
])('of %s that are exchanged while they are read, all or none are in force', async (_what, arrange) => {
  // As a ConfigMap is mounted: each name is a link through one that is exchanged.
  const { folder, rules, names } = open((at) => {
    for (const version of ['old', 'new']) {
      mkdirSync(join(at, `..${version}`));
      for (let i = 10; i < 40; i += 1) {
        writeFileSync(join(at, `..${version}`, `p${i}.yaml`), policy(`p${i}-${version}`));
      }
      writeFileSync(join(at, `..${version}`, `q-${version}.yaml`), policy(`q-${version}`));
    }
    symlinkSync('..old', join(at, '..data'));
    symlinkSync('..data', join(at, 'policies'));
  });
  arrange(folder);
  lookTwice(rules);
  const child = spawn(process.execPath, ['-e', EXCHANGE, join(folder, '..data'), '..new', '..old'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const versionsOf = () => [...new Set(names().map((name) => name.split('-').at(-1)!))];
  const seen = Array.from({ length: 40 }, () => {
    lookTwice(rules);
    return versionsOf();
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(seen.filter((versions) => versions.length !== 1)).toEqual([]);
  for (const version of ['new', 'old']) {
    rmSync(join(folder, '..data'));
    symlinkSync(`..${version}`, join(folder, '..data'));
    lookTwice(rules);
    expect([rules.problem, versionsOf()]).toEqual([undefined, [version]]);
  }
});

test('roots that nobody changed stay the same object, whatever else is read again', () => {
  const { folder, rules } = open((at) => {
    mkdirSync(join(at, 'policies'));
    writeFileSync(join(at, 'policies', 'shop.yaml'), policy('shop'));
  });
  const change = (name: string, text: string) => {
    const before = rules.rules;
    writeFileSync(join(folder, name), text);
    lookTwice(rules);
    expect(rules.rules).not.toBe(before);
    return rules.rules.trust === before.trust;
  };
  const configuration = readFileSync(join(folder, 'admission.yaml'), 'utf8');
  expect(change('policies/shop.yaml', policy('basket'))).toBe(true);
  expect(change('admission.yaml', configuration.replace('enforce', 'audit'))).toBe(true);
  expect(change('root.json', `${ROOT} `)).toBe(false);
  expect(change('admission.yaml', configuration.replace('[root.json]', '[{ name: other, file: root.json }]'))).toBe(
    false,
  );
  const ignoring = '[{ name: other, file: root.json, insecureIgnoreSct: true }]';
  expect(change('admission.yaml', configuration.replace('[root.json]', ignoring))).toBe(false);
  expect(change('admission.yaml', `${configuration}claimArc: 1.3.6.1.4.1.99999.1\n`)).toBe(false);
  expect(change('policies/shop.yaml', policy('shop'))).toBe(true);
});

test.each([
  ['listen: { address: 127.0.0.1, port: 1 }', 'listen'],
  [
    'listen: { address: 127.0.0.1, port: 0, drainSeconds: 1 }\ntimeoutSeconds: 3\ndata: state',
    'data, timeoutSeconds, listen.drainSeconds',
  ],
  ['listen: { address: 127.0.0.1, port: 0 }\ncluster: { server: "http://127.0.0.1:1" }', 'cluster'],
])('what takes effect at a start is told by its key: %j', (lines, keys) => {
  const { folder, rules } = open((at) => {
    mkdirSync(join(at, 'policies'));
    writeFileSync(join(at, 'policies', 'shop.yaml'), policy('shop'));
  });
  const changed = `${lines}\n${CONFIGURATION.split('\n').slice(1).join('\n')}`;
  writeFileSync(join(folder, 'admission.yaml'), changed.replace('mode: enforce', 'mode: audit'));
  lookTwice(rules);
  expect(rules.problem).toMatchObject({
    code: 'server.configuration_invalid',
    message: `${join(folder, 'admission.yaml')} changes ${keys}, which takes effect when the webhook is started again`,
  });
  expect(rules.rules.mode).toBe('enforce');
});

test('policies between two writes, which are whole so far, are not in force', () => {
  const { folder, rules, names } = open((at) => {
    mkdirSync(join(at, 'policies'));
    writeFileSync(join(at, 'policies', 'shop.yaml'), policy('shop'));
  });
  const path = join(folder, 'policies', 'shop.yaml');
  for (const text of [policy('half'), `${policy('half')}mode: enforce\n`, 'version: 1\n', policy('half')]) {
    writeFileSync(path, text);
    rules.look();
    expect([rules.problem, names()]).toEqual([undefined, ['shop']]);
  }
  rules.look();
  expect([rules.problem, names()]).toEqual([undefined, ['half']]);
});
