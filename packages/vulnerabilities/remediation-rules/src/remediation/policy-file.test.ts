import { MAX_POLICY_LENGTH } from '@colophon/policy-file';
import { expect, test } from 'vitest';
import { parseRemediationPolicy, REMEDIATION_POLICY_CODES } from './policy-file.ts';
import { ownershipIssues } from './remediation-policy.ts';

const parse = (text: string) => parseRemediationPolicy(text, { name: 'policy.yaml' });

test('what a policy leaves out is as if there were none', () => {
  const parsed = parse('version: 1\n');
  expect(parsed).toMatchObject({
    ok: true,
    value: { name: 'policy.yaml', owner: { required: 'closing' }, trackingId: { required: 'closing' } },
  });
  expect(parsed.ok && parsed.value).not.toHaveProperty('authors');
});

test('a policy holds everything that it says', () => {
  const parsed = parse(`version: 1
name: acme
owner: { required: opening, domains: [Example.com] }
tracking_id: { required: never, pattern: "SEC-[0-9]+" }
vex:
  authors:
    - { products: ["pkg:maven/*"], signers: ["reviewer:dana@example.com"] }
    - signers: [{ subject: "reviewer:eve@example.com", issuer: "https://issuer.example" }, ${'AB'.repeat(20)}]
`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  expect(parsed.value).toMatchObject({
    name: 'acme',
    owner: { required: 'opening', domains: ['example.com'] },
    trackingId: { required: 'never', pattern: 'SEC-[0-9]+' },
    authors: [
      { products: ['pkg:maven/*'], authors: ['reviewer:dana@example.com'] },
      {
        products: ['*'],
        authors: ['reviewer:eve@example.com certified by https://issuer.example', 'ab'.repeat(20)],
      },
    ],
  });
  const codes = (trackingId: string) =>
    ownershipIssues({ owner: 'dana@example.com', trackingId }, 'closing', parsed.value).map(({ code }) => code);
  expect(codes('SEC-12')).toEqual([]);
  for (const other of ['XSEC-12', 'SEC-12 or so', 'sec-12']) {
    expect(codes(other)).toEqual(['remediation.tracking_id_invalid']);
  }
});

test.each([
  ['policy.syntax ', ''],
  ['policy.syntax ', 'a: [1'],
  ['policy.syntax ', '['.repeat(20_000)],
  ['policy.too_large ', '#'.repeat(MAX_POLICY_LENGTH + 1)],
  ['policy.duplicate_key ', 'version: 1\nname: a\nname: b\n'],
  ['policy.several_documents ', 'version: 1\n---\nversion: 1\n'],
  ['policy.alias ', 'version: 1\nname: &a x\nvex: *a\n'],
  ['policy.wrong_type ', '[1]'],
  ['policy.field_missing /version', 'name: x\n'],
  ['policy.value /version', 'version: 2\n'],
  ['policy.unknown_key /owners', 'version: 1\nowners: {}\n'],
  ['policy.unknown_key /__proto__', 'version: 1\n__proto__: { name: x }\n'],
  ['policy.unknown_key /owner/domain', 'version: 1\nowner: { domain: x }\n'],
  ['policy.value /owner/required', 'version: 1\nowner: { required: true }\n'],
  ['policy.value /owner/domains', 'version: 1\nowner: { domains: [] }\n'],
  ['policy.wrong_type /owner/domains/0', 'version: 1\nowner: { domains: [1] }\n'],
  ['policy.pattern_invalid /tracking_id/pattern', 'version: 1\ntracking_id: { pattern: "a)(b" }\n'],
  ['policy.pattern_invalid /tracking_id/pattern', `version: 1\ntracking_id: { pattern: "${'a'.repeat(1025)}" }\n`],
  ['policy.value /vex/authors', 'version: 1\nvex: { authors: [] }\n'],
  ['policy.field_missing /vex/authors/0/signers', 'version: 1\nvex: { authors: [{ products: ["*"] }] }\n'],
  ['policy.value /vex/authors/0/signers', 'version: 1\nvex: { authors: [{ signers: ["*"] }] }\n'],
  ['policy.value /vex/authors/0/signers', 'version: 1\nvex: { authors: [{ signers: [] }] }\n'],
  ['policy.wrong_type /vex/authors/0/signers', 'version: 1\nvex: { authors: [{ signers: x }] }\n'],
  [
    'policy.field_missing /vex/authors/0/signers/0/issuer',
    'version: 1\nvex: { authors: [{ signers: [{ subject: x }] }] }\n',
  ],
  [
    'policy.unknown_key /vex/authors/0/signers/0/key',
    'version: 1\nvex: { authors: [{ signers: [{ subject: x, issuer: y, key: z }] }] }\n',
  ],
])('%s', (expected, text) => {
  const parsed = parse(text);
  const found = parsed.ok ? [] : parsed.issues.map(({ code, path }) => `${code} ${path}`);
  expect(found[0]).toBe(expected);
  for (const one of found) expect(REMEDIATION_POLICY_CODES).toContain(one.split(' ')[0]);
});

test('a pattern that would stop the engine’s own expressions is matched all the same', () => {
  const parsed = parse('version: 1\ntracking_id: { pattern: "(a+)+b" }\n');
  expect(parsed.ok && parsed.value.trackingId.matches('a'.repeat(190))).toBe(false);
});
