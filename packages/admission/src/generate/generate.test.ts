import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { parsePolicy } from '../policy/policy.ts';
import { clusterImagePolicy } from './cluster-image-policy.ts';
import { cosignLines } from './cosign-lines.ts';
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

function policyOf(text: string) {
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}
const policyWith = (more = '', agent = 'subjectRegExp: "agent:(writer|fixer)"') =>
  policyOf(`version: 1\nname: Web shop\nimages: [ghcr.io/acme/app]\nagent: { issuer: ${ISSUER}, ${agent} }\n${more}`);
const contentOf = ({ files }: GeneratedPolicy, name: string) => files.find((one) => one.name === name)!.content;
const cip = (more?: string, options: Parameters<typeof clusterImagePolicy>[1] = OPTIONS) =>
  parse(contentOf(clusterImagePolicy(policyWith(more), options), 'cluster-image-policy.yaml'));

describe('for policy-controller', () => {
  it('a policy has two authorities, and both have to match', () => {
    const { metadata, spec } = cip();
    expect(metadata).toEqual({ name: 'web-shop' });
    expect(spec.mode).toBe('enforce');
    expect(spec.images).toContainEqual({ glob: 'ghcr.io/acme/app@*' });
    const [agent, reviewer] = spec.authorities;
    expect(agent).toEqual({
      name: 'agent',
      signatureFormat: 'legacy',
      keyless: {
        url: 'https://ca.example',
        trustRootRef: 'web-shop',
        identities: [{ issuer: ISSUER, subjectRegExp: '^(?:agent:(writer|fixer))$' }],
      },
      ctlog: { url: 'https://log.example', trustRootRef: 'web-shop' },
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
    ['ghcr.io/acme/**', 'ghcr-io-acme'],
    ['---', 'colophon'],
    [`${'a'.repeat(62)}--b`, 'a'.repeat(62)],
  ])('a policy called %s is the resource %s', (name, expected) => {
    const policy = { ...policyWith(), name };
    expect(parse(contentOf(clusterImagePolicy(policy, OPTIONS), 'trust-root.yaml')).metadata.name).toBe(expected);
  });
});

describe('for cosign', () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-tests-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'cosign'), '#!/bin/sh\nprintf "%s\\0" "$@"\nprintf "\\0"\n');
  chmodSync(join(folder, 'cosign'), 0o755);
  const IMAGE = `ghcr.io/acme/app@sha256:${'a'.repeat(64)}`;

  /** The words that cosign is called with by the shell, call by call. */
  function calls(policy: ReturnType<typeof policyOf>, image = IMAGE): string[][] {
    writeFileSync(join(folder, 'verify.sh'), contentOf(cosignLines(policy, OPTIONS), 'verify.sh'));
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
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
