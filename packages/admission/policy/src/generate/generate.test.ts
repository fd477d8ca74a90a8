import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { parsePolicy } from '../policy/policy.ts';
import { clusterImagePolicy } from './cluster-image-policy.ts';
import { cosignLines } from './cosign-lines.ts';
import { gapsOf } from './gaps.ts';
import type { GeneratedPolicy } from './generated-file.ts';

const ISSUER = 'https://issuer.example';
const BASE64 = 'MAA=';
const ROOT = {
  certificateAuthorities: [
    {
      subject: { organization: 'acme', commonName: 'root' },
      uri: 'https://ca.example',
      certChain: { certificates: [{ rawBytes: BASE64 }, { rawBytes: 'MAE=' }] },
    },
  ],
  tlogs: [{ baseUrl: 'https://log.example', publicKey: { rawBytes: BASE64 } }],
  ctlogs: [{ baseUrl: 'https://ct.example', publicKey: { rawBytes: BASE64 } }],
};
const OPTIONS = { trustedRoot: ROOT };
const AGENT = `agent: { issuer: ${ISSUER}, subject: agent:writer }`;

function policyOf(text: string) {
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}
const policyWith = (more = '', agent = 'subjectRegExp: "agent:(writer|fixer)"') =>
  policyOf(`version: 1\nname: Web shop\nimages: [ghcr.io/acme/app]\nagent: { issuer: ${ISSUER}, ${agent} }\n${more}`);
const policyOfMaker = (maker: string) => policyOf(`version: 1\nimages: [ghcr.io/acme/app]\n${maker}\n`);
const newKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }).toString();
const [KEY, OTHER_KEY] = [newKey(), newKey()];
const SEVERAL = `{ identities: [
  { issuer: ${ISSUER}, subject: agent:writer },
  { issuer: ${ISSUER}, subject: agent:fixer },
  { issuer: https://other.example, subjectRegExp: "agent:.*" },
  { key: ${JSON.stringify(KEY)} }, { key: ${JSON.stringify(OTHER_KEY.replaceAll('\n', '\r\n'))} } ] }`;
const LEGACY = `legacy: { digests: ["sha256:${'a'.repeat(64)}"], owner: ops, reason: vendor }`;
const contentOf = ({ files }: GeneratedPolicy, name: string) => files.find((one) => one.name === name)!.content;
const cip = (more?: string, options: Parameters<typeof clusterImagePolicy>[1] = OPTIONS) =>
  parse(contentOf(clusterImagePolicy(policyWith(more), options), 'cluster-image-policy.yaml'));

describe('for policy-controller', () => {
  it('a policy has two authorities, and both have to match', () => {
    const { metadata, spec } = cip();
    expect(metadata).toEqual({ name: 'web-shop-d1100b79ad09' });
    expect(spec.mode).toBe('enforce');
    expect(spec.images).toContainEqual({ glob: 'ghcr.io/acme/app@*' });
    const [agent, reviewer] = spec.authorities;
    expect(agent).toEqual({
      name: 'agent',
      signatureFormat: 'legacy',
      keyless: {
        url: 'https://ca.example',
        trustRootRef: 'web-shop-d1100b79ad09',
        identities: [{ issuer: ISSUER, subjectRegExp: '^(?:agent:(writer|fixer))$' }],
      },
      ctlog: { url: 'https://log.example', trustRootRef: 'web-shop-d1100b79ad09' },
    });
    expect(reviewer.keyless.identities).toEqual([{ issuer: ISSUER, subjectRegExp: '^(?:^reviewer:.*)$' }]);
    expect(reviewer.attestations).toHaveLength(1);
    expect(reviewer.attestations[0]).toMatchObject({
      predicateType: 'https://colophon.example/predicates/agent-review/v1',
      policy: { type: 'rego', data: expect.stringContaining('package sigstore\n') },
    });
    expect(spec.policy.data).toContain(`certified(input.authorityMatches["agent"].signatures, "${ISSUER}")\n`);
    expect(spec.policy.data).toContain(
      `certified(input.authorityMatches["reviewer"].attestations["review"], "${ISSUER}")\n`,
    );
  });

  it('no two policies have one name, since the second would replace the first', () => {
    const nameOf = (name: string) => {
      const policy = policyOf(`version: 1\nname: ${JSON.stringify(name)}\nimages: [ghcr.io/acme/app]\n${AGENT}\n`);
      return parse(contentOf(clusterImagePolicy(policy, OPTIONS), 'cluster-image-policy.yaml')).metadata.name;
    };
    // A name that Kubernetes takes stays as it is.
    expect(nameOf('team-a-production')).toBe('team-a-production');
    expect(nameOf('Team A: production')).toMatch(/^team-a-production-[0-9a-f]{12}$/);
    const names = ['team-a-production', 'team-a production', 'Team A: production', 'команда А', '生産', 'colophon'];
    const long = 'x'.repeat(70);
    const made = [...names, long, `${long}y`, 'x'.repeat(63), 'x'.repeat(64)].map(nameOf);
    expect(new Set(made).size).toBe(made.length);
    for (const one of made) expect(one).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    // Nor does one whose name has the form of another's.
    expect(nameOf(nameOf('Team A'))).not.toBe(nameOf('Team A'));
  });

  it('every key that it can express is there', () => {
    const { spec } = cip(`mode: audit
signatureFormat: bundle
review: { issuer: https://people.example, subject: reviewer:dana@example.com, minDurationSeconds: 60 }
require:
  - { issuer: https://ci.example, subject: builder }
  - { issuer: https://ci.example, subject: scanner, predicateType: https://scan.example/v1 }
  - { issuer: https://ci.example, subject: reviewer:eve@example.com, predicateType: https://colophon.example/predicates/agent-review/v1 }
`);
    expect(spec.mode).toBe('warn');
    expect(spec.authorities.map(({ signatureFormat }: { signatureFormat: string }) => signatureFormat)).toEqual(
      Array(5).fill('bundle'),
    );
    const [, reviewer, builder, scanner, second] = spec.authorities;
    expect(reviewer.keyless.identities).toEqual([
      { issuer: 'https://people.example', subject: 'reviewer:dana@example.com' },
    ]);
    expect(reviewer.attestations[0].policy.data).toContain('input.predicate.review_duration_seconds >= 60\n');
    expect(builder).not.toHaveProperty('attestations');
    expect(scanner.attestations).toEqual([{ name: 'statement', predicateType: 'https://scan.example/v1' }]);
    expect(second.attestations[0].policy.data).toBe(reviewer.attestations[0].policy.data);
    for (const name of ['required-1"].signatures', 'required-2"].attestations', 'required-3"].attestations']) {
      expect(spec.policy.data).toContain(name);
    }
  });

  it('profile spec has one authority', () => {
    const { spec } = cip('profile: spec\n');
    expect(spec.authorities).toHaveLength(1);
    expect(spec.authorities[0].attestations[0].policy.data).toContain('trim_space');
    expect(spec.policy.data).toContain('authorityMatches["agent"].attestations["review"]');
  });

  it('several identities are one authority, and each key is one', () => {
    const policy = policyOfMaker(`agent: ${SEVERAL}\nreview: { issuer: ${ISSUER} }`);
    const { spec } = parse(contentOf(clusterImagePolicy(policy, OPTIONS), 'cluster-image-policy.yaml'));
    const [agent, first, second, reviewer] = spec.authorities;
    expect(agent.keyless.identities).toEqual([
      { issuer: ISSUER, subject: 'agent:writer' },
      { issuer: ISSUER, subject: 'agent:fixer' },
      { issuer: 'https://other.example', subjectRegExp: '^(?:agent:.*)$' },
    ]);
    expect(first).toEqual({
      name: 'agent-key-1',
      signatureFormat: 'legacy',
      key: { data: KEY },
      ctlog: { url: 'https://log.example', trustRootRef: 'ghcr-io-acme-app-5aaba65fadaf' },
    });
    expect([second.name, second.key.data, reviewer.name]).toEqual(['agent-key-2', OTHER_KEY, 'reviewer']);
    expect(spec.policy.data).toContain(`isCompliant if {
	signed_by_agent
	certified(input.authorityMatches["reviewer"].attestations["review"], "${ISSUER}")
}
`);
    expect(spec.policy.data.match(/^signed_by_agent if .*$/gm)).toEqual([
      `signed_by_agent if certified(input.authorityMatches["agent"].signatures, "${ISSUER}")`,
      'signed_by_agent if certified(input.authorityMatches["agent"].signatures, "https://other.example")',
      'signed_by_agent if keyed(input.authorityMatches["agent-key-1"].signatures)',
      'signed_by_agent if keyed(input.authorityMatches["agent-key-2"].signatures)',
    ]);
  });

  it('a key that has to have signed is an authority, of statements too', () => {
    const rule = `key: ${JSON.stringify(KEY)}`;
    const { spec } = cip(`require: [{ ${rule} }, { ${rule}, predicateType: https://scan.example/v1 }]\n`);
    expect(spec.authorities.slice(2).map(({ name }: { name: string }) => name)).toEqual([
      'required-1-key-1',
      'required-2-key-1',
    ]);
    expect(spec.policy.data).toContain('\tkeyed(input.authorityMatches["required-1-key-1"].signatures)\n');
    expect(spec.policy.data).toContain(
      '\tkeyed(input.authorityMatches["required-2-key-1"].attestations["statement"])\n',
    );
  });

  it('images of people need no review where the policy asks for none', () => {
    const human = 'human: { issuer: https://ci.example, subject: build }';
    const authorities = (more = ''): { name: string }[] => {
      const generated = clusterImagePolicy(policyOfMaker(human + more), OPTIONS);
      return parse(contentOf(generated, 'cluster-image-policy.yaml')).spec.authorities;
    };
    expect(authorities()).toMatchObject([
      { name: 'human', keyless: { identities: [{ issuer: 'https://ci.example', subject: 'build' }] } },
    ]);
    expect(authorities(`\nreview: { issuer: ${ISSUER} }`).map(({ name }) => name)).toEqual(['human', 'reviewer']);
  });

  it('several reviewers are one authority', () => {
    const { spec } = cip(`review: { identities: [
  { issuer: https://a.example, subject: "reviewer:dana@example.com" },
  { issuer: https://b.example, subjectRegExp: "reviewer:.*" }] }\n`);
    expect(spec.authorities[1].keyless.identities).toEqual([
      { issuer: 'https://a.example', subject: 'reviewer:dana@example.com' },
      { issuer: 'https://b.example', subjectRegExp: '^(?:reviewer:.*)$' },
    ]);
    expect(spec.policy.data).toContain('\tsigned_by_reviewer\n');
  });

  it('a certificate needs no timestamp only where that is said, and no CT log is named', () => {
    const keyless = (options: typeof OPTIONS & { insecureIgnoreSct?: boolean }) =>
      cip('', options).spec.authorities[0].keyless;
    const { ctlogs: _, ...withoutLog } = ROOT;
    expect(keyless({ trustedRoot: withoutLog as never, insecureIgnoreSct: true }).insecureIgnoreSCT).toBe(true);
    expect(keyless({ trustedRoot: withoutLog as never })).not.toHaveProperty('insecureIgnoreSCT');
    expect(keyless({ trustedRoot: ROOT, insecureIgnoreSct: true })).not.toHaveProperty('insecureIgnoreSCT');
  });

  it('a TrustRoot holds the keys, and says where it does not know', () => {
    const root = parse(contentOf(clusterImagePolicy(policyWith(), OPTIONS), 'trust-root.yaml'));
    const { sigstoreKeys } = root.spec;
    const [authority] = sigstoreKeys.certificateAuthorities;
    expect(authority.subject).toEqual({ organization: 'acme', commonName: 'root' });
    const chain = Buffer.from(authority.certChain, 'base64').toString();
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(sigstoreKeys.tLogs[0]).toMatchObject({ baseURL: 'https://log.example', hashAlgorithm: 'sha-256' });
    expect(sigstoreKeys).not.toHaveProperty('timestampAuthorities');
    const bare = { certificateAuthorities: [{ certChain: { certificates: [{ rawBytes: BASE64 }] } }], tlogs: null };
    const other = parse(contentOf(clusterImagePolicy(policyWith(), { trustedRoot: bare }), 'trust-root.yaml'));
    expect(other.spec.sigstoreKeys.certificateAuthorities[0].subject.organization).toBe('unknown');
    expect(other.spec.sigstoreKeys).not.toHaveProperty('tLogs');
  });

  it.each([
    ['ghcr.io/acme/**', 'ghcr-io-acme-1ba3cb1bae8e'],
    ['---', 'colophon-cb3f91d54eee'],
    [`${'a'.repeat(62)}--b`, `${'a'.repeat(50)}-b3b5e4e8f2f9`],
  ])('a policy called %s is the resource %s', (name, expected) => {
    const policy = { ...policyWith(), name };
    expect(parse(contentOf(clusterImagePolicy(policy, OPTIONS), 'trust-root.yaml')).metadata.name).toBe(expected);
  });
});

describe('for cosign', () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-tests-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'cosign'),
    '#!/bin/sh\nprintf "%s\\0" "$@"\nprintf "\\0"\ncase "$*" in *"$ACCEPTED"*) ;; *) exit 1 ;; esac\n',
  );
  chmodSync(join(folder, 'cosign'), 0o755);
  const IMAGE = `ghcr.io/acme/app@sha256:${'a'.repeat(64)}`;

  /** The words that cosign is called with by the shell, call by call, where it accepts what its words have a part of. */
  function calls(policy: ReturnType<typeof policyOf>, image = IMAGE, accepted = ''): string[][] {
    writeFileSync(join(folder, 'verify.sh'), contentOf(cosignLines(policy, OPTIONS), 'verify.sh'));
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, ACCEPTED: accepted };
    const output = execFileSync('sh', [join(folder, 'verify.sh'), image], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = output.toString().split('\0\0').slice(0, -1);
    return ended.map((call) => call.split('\0'));
  }

  it('there is a call for each identity', () => {
    const required = 'require: [{ issuer: https://ci.example, subject: builder }]\n';
    expect(calls(policyWith(required))).toEqual([
      [
        'verify',
        '--trusted-root=trusted_root.json',
        '--certificate-identity-regexp=^(?:agent:(writer|fixer))$',
        `--certificate-oidc-issuer=${ISSUER}`,
        '--',
        IMAGE,
      ],
      [
        'verify-attestation',
        '--trusted-root=trusted_root.json',
        '--certificate-identity-regexp=^(?:^reviewer:.*)$',
        `--certificate-oidc-issuer=${ISSUER}`,
        '--type=https://colophon.example/predicates/agent-review/v1',
        '--policy=review.rego',
        '--',
        IMAGE,
      ],
      [
        'verify',
        '--trusted-root=trusted_root.json',
        '--certificate-identity=builder',
        '--certificate-oidc-issuer=https://ci.example',
        '--',
        IMAGE,
      ],
    ]);
  });

  it('under profile spec the agent signs the review', () => {
    const [[name, , identity] = [], ...others] = calls(policyWith('profile: spec\n'));
    expect([name, identity, others]).toEqual([
      'verify-attestation',
      '--certificate-identity-regexp=^(?:agent:(writer|fixer))$',
      [],
    ]);
  });

  it('of several signers one is enough, and none is not', () => {
    const policy = policyOfMaker(`agent: ${SEVERAL}\nreview: { issuer: ${ISSUER} }`);
    const files = cosignLines(policy, OPTIONS).files.filter(({ name }) => name.endsWith('.pub'));
    expect(files.map(({ name, content }) => [name, content])).toEqual([
      ['agent-key-1.pub', KEY],
      ['agent-key-2.pub', OTHER_KEY],
    ]);
    const who = (accepted: string) =>
      calls(policy, IMAGE, accepted).map((words) => words.find((word) => /identity|key/.test(word)));
    expect(who('')).toEqual(['--certificate-identity=agent:writer', expect.stringContaining('reviewer')]);
    expect(() => who('reviewer')).toThrow();
    expect(() => who('=agent:')).toThrow();
    expect(who('-- ghcr')).toHaveLength(2);
    expect(() => who('agent-key-2')).toThrow();
    const withoutReview = policyOfMaker(
      `human: { identities: [{ issuer: https://ci.example, subject: build }, { key: ${JSON.stringify(KEY)} }] }`,
    );
    expect(calls(withoutReview, IMAGE, 'human-key-1.pub')).toHaveLength(2);
    expect(() => calls(withoutReview, IMAGE, 'nobody')).toThrow();
    expect(cosignLines(withoutReview, OPTIONS).files.map(({ name }) => name)).toEqual(['human-key-1.pub', 'verify.sh']);
  });

  it('an image without its digest is asked for nothing', () => {
    expect(() => calls(policyWith(), 'ghcr.io/acme/app:v1')).toThrow();
    expect(() => calls(policyWith(), '')).toThrow();
  });

  test('no text of a policy is anything but a word to the shell', () => {
    const subject = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.constantFrom("'", "'; rm -rf / #", '$(id)', '`id`', '\\', '"', '*', '-h', "a'b'c"),
    );
    fc.assert(
      fc.property(subject, (text) => {
        const policy = policyWith('', `subject: ${JSON.stringify(text)}`);
        expect(calls(policy)[0]).toContain(`--certificate-identity=${text}`);
      }),
      { numRuns: 30 },
    );
  });

  it.each(['"agent:a\\0b"', '"agent:a\\nb"', '"agent:\\uD800"'])(
    'a subject that no shell can hold is nobody: %s',
    (text) => {
      const [agent] = calls(policyWith('', `subject: ${text}`));
      expect(agent).toContain(String.raw`--certificate-identity-regexp=^(?:[^\x{0}-\x{10FFFF}])$`);
    },
  );

  it('a review is of the package that cosign asks for', () => {
    expect(contentOf(cosignLines(policyWith(), OPTIONS), 'review.rego')).toMatch(
      /^package signature\n(?:.*\n)+allow if \{/,
    );
  });
});

describe('what cannot be written down', () => {
  it.each([cosignLines, clusterImagePolicy])(
    'is no policy at all where more would pass without it: legacy, by %o',
    (generate) => {
      expect(() => generate(policyOfMaker(LEGACY), OPTIONS)).toThrow(
        expect.objectContaining({ code: 'generate.not_expressible', found: 'legacy' }),
      );
    },
  );

  it('is nothing of a policy that was read from no file', () => {
    const { written: _, ...policy } = policyWith();
    expect(() => cosignLines(policy, OPTIONS)).toThrow(TypeError);
  });

  it.each([
    ['agent', 'maxAge: 90d', 'agent.maxAge'],
    ['review', 'maxAge: 90d', 'review.maxAge'],
    ['', 'models: [{ id: m }]', 'models'],
    ['', 'modelAsRequested: true', 'modelAsRequested'],
    ['', `policyPacks: [{ name: p, hash: "sha256:${'a'.repeat(64)}" }]`, 'policyPacks'],
  ])('is listed, as what lets more pass: %s %s', (map, rule, key) => {
    const policy =
      map === 'agent'
        ? policyWith('', `subject: "agent:a", ${rule}`)
        : policyWith(map === '' ? rule : `${map}: { ${rule} }`);
    for (const target of ['cosign', 'policy-controller'] as const) {
      expect(gapsOf(policy, target)).toContainEqual(expect.objectContaining({ key, effect: 'admits' }));
      expect(gapsOf(policyWith(), target).map((gap) => gap.key)).not.toContain(key);
    }
  });

  it('is listed, as what lets fewer pass: exceptions', () => {
    const [from, until] = ['2026-11-28T00:00:00Z', '2026-11-28T12:00:00Z'];
    const exception = `{ digest: "sha256:${'a'.repeat(64)}", owner: ops, reason: fix, from: "${from}", until: "${until}" }`;
    expect(gapsOf(policyWith(`exceptions: [${exception}]`), 'cosign')).toContainEqual({
      key: 'exceptions',
      effect: 'refuses',
      what: 'no exception counts',
    });
  });

  it('of reviews is listed only where there are any', () => {
    const human = 'human: { issuer: https://ci.example, subject: build }';
    const keys = (policy: ReturnType<typeof policyOf>) => gapsOf(policy, 'cosign').map(({ key }) => key);
    expect(keys(policyOfMaker(human))).toEqual(expect.arrayContaining(['human', 'rejections']));
    for (const key of ['reviewer', 'time', 'review', 'agent', 'commit']) {
      expect(keys(policyOfMaker(human))).not.toContain(key);
      expect(keys(policyWith())).toContain(key);
    }
    expect(keys(policyOfMaker(`${human}\nrequire: [{ issuer: x, subject: y }]`))).toContain('reviewer');
  });
});
