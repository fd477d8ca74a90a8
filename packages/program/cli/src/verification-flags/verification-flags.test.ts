import { Command } from 'commander';
import { expect, test } from 'vitest';
import { runLine } from '../../test/command-line.ts';
import { reportOf } from '../report/report.ts';
import { identityPolicy, identityPolicyUnlessKey } from './verification-flags.ts';

const coded = (code: string) => expect.objectContaining({ code });
const PINNED = { certificateIdentity: 'agent:a', certificateOidcIssuer: 'https://issuer.example' };

test('subject and issuer pin a certificate, and each further flag pins more', () => {
  expect(identityPolicy(PINNED).constraints).toHaveLength(2);
  const all = identityPolicy({
    ...PINNED,
    certificateGithubWorkflowTrigger: 'pull_request',
    certificateGithubWorkflowRepository: 'acme/webshop',
    certificateGithubWorkflowSha: 'f'.repeat(40),
  });
  expect(all.constraints.map(({ expected }) => expected)).toEqual([
    'https://issuer.example',
    'agent:a',
    'pull_request',
    'acme/webshop',
    'f'.repeat(40),
  ]);
});

test.each([
  [{}, 'identity.issuer_missing'],
  [{ certificateIdentity: 'agent:a' }, 'identity.issuer_missing'],
  [{ certificateOidcIssuer: 'https://i' }, 'identity.unconstrained'],
  [{ certificateOidcIssuer: 'https://i', certificateIdentityRegexp: '.*' }, 'identity.unconstrained'],
  [{ certificateOidcIssuer: 'https://i', certificateIdentityRegexp: '(' }, 'identity.pattern_invalid'],
  [{ ...PINNED, certificateIdentityRegexp: 'agent:a' }, 'identity.ambiguous'],
])('%j pins too little: %s', (flags, code) => {
  expect(() => identityPolicy(flags)).toThrow(coded(code));
});

test('who pins nothing is told what the flags are called', async () => {
  const error = await Promise.resolve({})
    .then(identityPolicy)
    .catch((thrown: unknown) => thrown);
  expect(reportOf(error).expected).toMatch(/^--certificate-identity .* --certificate-oidc-issuer /);
});

test('a pattern that accepts anybody needs to be meant', () => {
  const flags = { certificateOidcIssuer: 'https://i', certificateIdentityRegexp: '.*', identityGatedElsewhere: true };
  expect(identityPolicy(flags).constraints).toHaveLength(2);
});

const FLAGS = [
  'certificate-identity',
  'certificate-identity-regexp',
  'certificate-oidc-issuer',
  'certificate-oidc-issuer-regexp',
  'certificate-github-workflow-trigger',
  'certificate-github-workflow-repository',
  'certificate-github-workflow-sha',
];

// An unset variable of a script must not switch a constraint off.
test.each(
  ['verify-blob', 'verify-blob-attestation', 'verify', 'verify-attestation'].flatMap((command) =>
    FLAGS.flatMap((flag) => [
      [command, `--${flag}`, ''],
      [command, `--${flag}=`, undefined],
      [command, `--${flag}`, ' '],
    ]),
  ),
)('colophon %s %s %j is refused as a usage error', async (command, flag, value) => {
  const { '--bundle': bundle, ...rest } = {
    '--bundle': '/nowhere',
    '--certificate-identity': 'agent:a',
    '--certificate-oidc-issuer': 'https://i',
  };
  const pinned = Object.entries(rest).filter(([name]) => name !== flag?.replace('=', ''));
  const line = [command!, ...(command!.includes('blob') ? ['--bundle', bundle] : []), ...pinned.flat()];
  const ran = await runLine([...line, flag!, ...(value === undefined ? [] : [value]), 'target', '-o', 'json']);
  expect(ran.exitCode).toBe(1);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    error: { code: 'cli.usage', message: `${flag?.replace('=', '')} has no value` },
  });
});

test.each(FLAGS)('--%s beside --key would constrain nothing, and is refused', (flag) => {
  const name = flag.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase());
  expect(() => identityPolicyUnlessKey({ key: 'cosign.pub', [name]: 'x' }, new Command())).toThrow(coded('cli.usage'));
});

test('a key alone needs no identity, and no key needs one', () => {
  expect(identityPolicyUnlessKey({ key: 'cosign.pub' }, new Command())).toBeUndefined();
  expect(identityPolicyUnlessKey(PINNED, new Command())?.constraints).toHaveLength(2);
  expect(() => identityPolicyUnlessKey({}, new Command())).toThrow(coded('identity.issuer_missing'));
});
