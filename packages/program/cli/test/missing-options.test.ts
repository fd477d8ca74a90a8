import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import type { Command } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';
import { commandNamed, commandPath } from '../src/program/command-table.ts';
import { mandatoryOptions, missingIn, needsOf } from '../src/program/needs.ts';
import { documentOf, runLine, wholeProgram } from './command-line.ts';

const VEX = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://shop.example/vex/1',
  author: 'dana@example.com',
  timestamp: '2026-10-20T11:00:00Z',
  version: 1,
  statements: [{ vulnerability: { name: 'CVE-2026-1' }, products: [{ '@id': 'shop' }], status: 'fixed' }],
};
const NOWHERE = { HOME: '/nonexistent', COLOPHON_HOME: '/nonexistent' };

/** What a command lacks that is parsed and not run. */
async function lackingOf(line: readonly string[], env: NodeJS.ProcessEnv) {
  const program = await wholeProgram();
  const command = commandNamed(program, line);
  return missingIn(command, env);
}

/** A command that can be run with something that it must be given, each thing with the ways to give it. */
type Demanding = {
  readonly path: string;
  readonly hasOutput: boolean;
  readonly demands: ReadonlyArray<readonly string[]>;
};

function demanding(command: Command): Demanding[] {
  const below = command.commands.flatMap(demanding);
  const demands = [
    ...mandatoryOptions(command).map(({ long }) => [long as string]),
    ...command.registeredArguments.filter(({ required }) => required).map((argument) => [`<${argument.name()}>`]),
    ...needsOf(command)
      .filter(({ when }) => when === undefined)
      .map(({ oneOf }) => oneOf.flatMap((way) => way.split(' '))),
  ];
  const hasOutput = command.options.some(({ long }) => long === '--output');
  return demands.length === 0 ? below : [{ path: commandPath(command), hasOutput, demands }, ...below];
}

const commands = demanding(await wholeProgram());

test('most commands must be given something', () => {
  expect(commands.length).toBeGreaterThan(50);
});

test.each(commands)(
  'colophon $path alone names everything that it must be given',
  async ({ path, hasOutput, demands }) => {
    const ran = await runLine([...path.split(' '), ...(hasOutput ? ['-o', 'json'] : [])], NOWHERE);
    expect(ran.exitCode).toBe(1);
    const { expected, issues = [] } = hasOutput ? documentOf(ran).error : { expected: ran.stderr };
    const named = [expected, ...issues.map((issue: { path: string }) => issue.path)].join(' ');
    for (const [first] of demands) expect(named).toContain(first?.replace('=', ' '));
  },
);

test('one error has all that is missing, and the line to type', async () => {
  const ran = await runLine(['review', 'withdraw', '--reason', 'because', '-o', 'json']);
  const code = 'cli.option_missing';
  expect(documentOf(ran).error).toEqual({
    code: 'cli.usage',
    message: 'not given: --rejection; --reviewer or --identity-token',
    next: 'colophon review withdraw --reason because -o json --rejection ID --reviewer EMAIL',
    issues: [
      { path: '--rejection', code, message: 'missing (the rejection, as `review list` names it)' },
      { path: '--reviewer, --identity-token', code, message: 'one of them is missing (who withdraws)' },
    ],
  });
});

test('an option with a typing error is told before the one that it was to be is missed', async () => {
  const { exitCode, stderr } = await runLine(['vex', 'create', '--autor', 'dana']);
  expect([exitCode, stderr.split('\n')[1]]).toEqual([1, '  next     colophon vex create --author dana']);
});

test('a person reads one line for each', async () => {
  const { stderr } = await runLine(['admit']);
  expect(stderr).toBe(
    [
      'error cli.usage: not given: --policy; <image> or --filename',
      '  --policy: missing (policy file, or a folder of them; of several, each one that covers the image must admit it) [cli.option_missing]',
      '  <image>, --filename: one of them is missing (what to decide about) [cli.option_missing]',
      '  next     colophon admit --policy FILE IMAGE',
      '',
    ].join('\n'),
  );
});

test.each([
  [['close', 'x', '--scan', 'y', '--unsigned'], ['--scan with --sbom, --vex']],
  [['close', 'x', '--scan', 'y', '--sbom', 'z', '--unsigned', '-y'], undefined],
  [['void', 'x', '--mistake', '--reason', 'r'], ['--reviewer, --key, --context, --agent-name']],
  [
    ['void', 'x', '--reason', 'r'],
    ['--mistake, --withdrawn-advisory', '--reviewer, --key, --context, --agent-name'],
  ],
  [['update'], ['--vulnerability, <record>', '--owner, --tracking-id']],
  [['update', '--vulnerability', 'CVE-2026-1'], ['--owner, --tracking-id']],
])('remediation %j lacks %j', async (line, lacking) => {
  const { error } = documentOf(await runLine(['remediation', ...line, '-o', 'json'], NOWHERE));
  const paths = error.issues?.map((issue: { path: string }) => issue.path);
  expect(paths?.length).toBe(lacking?.length);
  for (const [i, path] of (lacking ?? []).entries()) expect(paths[i]).toContain(path);
});

test('what an option brings with it is missing with the others', async () => {
  const { error } = documentOf(await runLine(['vex', 'create', '--draft-from', 'x', '-o', 'json']));
  const paths = error.issues.map((issue: { path: string }) => issue.path);
  expect(paths).toEqual(['--vulnerability', '--author', '--made-from', '--vulnerable-code']);
});

test('the type of a statement may make its predicate needless', async () => {
  const { error } = documentOf(await runLine(['attest-blob', '--type', 'agent-run', '-o', 'json']));
  const paths = error.issues.map((issue: { path: string }) => issue.path);
  expect(paths).toHaveLength(2);
  expect(paths[0]).toBe('<file>, --statement');
});

test.each([
  ['verify-blob package.json', 'identity.issuer_missing', 2],
  ['verify-blob package.json --certificate-oidc-issuer u', 'identity.unconstrained', 1],
  ['verify-blob package.json --certificate-identity a', 'identity.issuer_missing', 1],
  [`verify-blob sha256:${'6'.repeat(64)}`, 'cli.usage', 3],
  [`verify-blob-attestation sha256:${'6'.repeat(64)} --key k`, 'cli.usage', 1],
  ['verify-blob-attestation package.json', 'identity.issuer_missing', 2],
  ['verify localhost:1/x', 'identity.issuer_missing', 2],
  ['sbom fetch shop', 'identity.issuer_missing', 2],
  ['attachments localhost:1/x --certificate-identity a', 'identity.issuer_missing', 1],
  ['attachments localhost:1/x --certificate-oidc-issuer u', 'identity.unconstrained', 1],
  ['report quarterly --period 2026-Q1 --certificate-identity a', 'cli.no_signer', 2],
  ['report quarterly --period 2026-Q1', 'cli.no_signer', 1],
  ['report quarterly --period 2026-Q1 --unsigned --certificate-identity a', 'identity.issuer_missing', 1],
  ['vex sign package.json', 'cli.usage', 1],
  ['sbom similarity', 'cli.usage', 2],
  ['sbom similarity a.js', 'cli.usage', 1],
  ['sbom similarity a.js b.js c.js', 'cli.usage', 1],
  ['sign-blob package.json --fulcio-url http://127.0.0.1:1', 'cli.usage', 2],
  ['attest-blob package.json --type agent-run --agent-name x', 'cli.context_invalid', 7],
  ['sign-blob package.json --fulcio-url http://127.0.0.1:1 --rekor-url http://127.0.0.1:1', 'cli.context_invalid', 1],
  ['remediation verify CVE-2021-44228', 'cli.usage', 2],
  ['report verify', 'cli.usage', 3],
  ['remediation close CVE-2021-44228 --vex x', 'cli.no_signer', 3],
])('%s is told of everything in one error, and what to type', async (line, code, count) => {
  const { error } = documentOf(await runLine([...line.split(' '), '-o', 'json'], NOWHERE));
  expect(error).toMatchObject({ code, issues: { length: count } });
  expect(new Set(error.issues.map((issue: { code: string }) => issue.code))).toEqual(new Set(['cli.option_missing']));
  expect(error.next.startsWith(`colophon ${line} -o json --`)).toBe(true);
});

test('a variable of the environment is given as well', async () => {
  const set = { COLOPHON_KEV_FEED: 'https://feed.example/kev.json' };
  const needs = await Promise.all([{}, set].map((env) => lackingOf(['kev', 'update'], env)));
  expect(needs.map(({ length }) => length)).toEqual([1, 0]);
});

test('a token needs the context of a run, which is told before an issuer is looked for', async () => {
  const { exitCode, stderr } = await runLine(['token'], NOWHERE);
  expect(exitCode).toBe(1);
  const fields = ['--agent-name', '--agent-version', '--model-id', '--prompt', '--policy-pack', '--human-reviewer'];
  for (const flag of fields) expect(stderr).toContain(flag);
});

test.each([
  [
    'remediation close CVE-2021-44228 --reviewer d@e.f',
    'remediation close CVE-2021-44228 --reviewer d@e.f --scan FILE --sbom FILE',
  ],
  [
    '--data d remediation close --vex v --key k',
    '--data d remediation close --vex v --key k --certificate-identity SUBJECT --certificate-oidc-issuer URL RECORD',
  ],
  ['remediation close --sbom=s CVE-1 --unsigned', 'remediation close --sbom s CVE-1 --unsigned --scan FILE'],
  ['sign --identity-token hunter2 -y', 'sign --identity-token TOKEN -y IMAGE'],
  ['sbom diff a$b', "sbom diff 'a$b' AFTER"],
  [
    'kev update',
    'kev update --kev https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json',
  ],
])('what was typed stands in the line to type: %s', async (line, next) => {
  const { stderr } = await runLine(line.split(' '), NOWHERE);
  expect(/next +colophon (.*)\n/.exec(stderr)?.[1]).toBe(next);
});

test('what the context of a run lacks is told by its flags, before an issuer is asked', async () => {
  const line = ['token', '--agent-name', 'a', '--policy-pack-hash', 'h', '--issuer', 'http://127.0.0.1:1'];
  const { exitCode, stderr } = await runLine(line, NOWHERE);
  expect([exitCode, stderr.split('\n')[0]]).toEqual([
    1,
    'error cli.context_invalid: the context does not say all of the run: agent_version, model_id, prompt_hash, human_reviewer',
  ]);
  expect(stderr).toContain('  --prompt, --prompt-hash: one of them is missing (prompt_hash of the run)');
  expect(stderr).toContain(`colophon ${line.join(' ')} --agent-version VERSION --model-id ID --prompt FILE`);
});

test('a reviewer without an e-mail address is refused under the name of the flag', async () => {
  const line = ['review', 'approve', 'x', '--reviewer', 'dana', '--issuer', 'http://127.0.0.1:1'];
  const { error } = documentOf(await runLine([...line, '-o', 'json'], NOWHERE));
  expect(error.code).toBe('cli.usage');
  expect(error.message).toContain("option '--reviewer <email>' argument 'dana' is invalid");
});

describe('whose signature over the VEX document counts', () => {
  const closing = ['remediation', 'close', 'CVE-2026-1', '--reviewer', 'd@e.f', '-o', 'json'];

  test('is asked for by the flags of the command that signs too, and the line to type has them', async () => {
    const vex = join(temporaryFolder(onTestFinished), 'app.openvex.json');
    writeFileSync(vex, JSON.stringify(VEX));
    writeFileSync(`${vex}.asc`, 'a signature');
    const { error } = documentOf(await runLine([...closing, '--vex', vex], NOWHERE));
    expect(error.expected).toContain('--public-key FILE, or --openpgp-public-key FILE');
    expect(error.issues.map((issue: { path: string }) => issue.path)).toEqual([
      expect.stringMatching(/^--certificate-identity, .*--public-key, --openpgp-public-key$/),
      expect.stringMatching(/^--certificate-oidc-issuer, .*--public-key, --openpgp-public-key$/),
    ]);
    expect(error.next).toMatch(/ --certificate-identity SUBJECT --certificate-oidc-issuer URL$/);
  });

  test('is a certificate or the key that signed it, which the private key is not', async () => {
    const vex = join(temporaryFolder(onTestFinished), 'app.openvex.json');
    writeFileSync(vex, JSON.stringify(VEX));
    writeFileSync(`${vex}.sigstore.json`, '{}');
    const both = ['--public-key', 'k', '--certificate-identity', 'a', '--certificate-oidc-issuer', 'u'];
    const { error } = documentOf(await runLine([...closing, '--vex', vex, ...both], NOWHERE));
    expect(error).toMatchObject({ code: 'cli.usage', expected: '--public-key, or what the certificate must say' });
  });
});

const SIGN_DOCUMENTS = [
  'vex sign package.json',
  'remediation close CVE-1 --scan s --sbom b',
  'remediation void CVE-1 --mistake --reason r',
  'report quarterly --period 2026-Q1',
];

test.each(SIGN_DOCUMENTS)('%s is signed by who is named, and by nobody whom the environment names', async (line) => {
  for (const variable of ['SIGSTORE_ID_TOKEN', 'COLOPHON_CONTEXT']) {
    const ran = await runLine([...line.split(' '), '-o', 'json'], { ...NOWHERE, [variable]: 'x' });
    const { error } = documentOf(ran);
    expect([ran.exitCode, error.issues[0].code]).toEqual([1, 'cli.option_missing']);
    expect(error.found).toContain(`$${variable}`);
    expect(error.next).toMatch(/ --reviewer EMAIL$/);
  }
});

test.each(SIGN_DOCUMENTS)('the help of %s promises no token of the environment', async (line) => {
  const words = line.split(' ').slice(0, 2);
  expect((await runLine([...words, '--help'])).stdout).not.toContain('SIGSTORE_ID_TOKEN');
});

test.each(SIGN_DOCUMENTS.slice(1))('%s is signed, or said to be unsigned, and never both', async (line) => {
  const { error } = documentOf(
    await runLine([...line.split(' '), '--unsigned', '--reviewer', 'd@e.f', '-o', 'json'], NOWHERE),
  );
  expect(error).toMatchObject({ code: 'cli.no_signer', found: '--unsigned and a signer' });
});

test('the issuer is pinned, which --identity-gated-elsewhere does not replace, and two patterns are told of', async () => {
  const line = ['verify-blob', 'package.json', '--certificate-oidc-issuer-regexp', '.*'];
  const told = async (...more: string[]) => documentOf(await runLine([...line, ...more, '-o', 'json'], NOWHERE)).error;
  const gated = await told('--certificate-identity', 'agent:a', '--identity-gated-elsewhere');
  expect(gated.code).toBe('identity.unconstrained');
  expect(gated.message).toContain('the issuer must be pinned');
  expect(gated.message).not.toContain('elsewhere');
  const { message } = await told('--certificate-identity-regexp', '.*');
  expect(message).toContain('the pattern for the issuer');
  expect(message).toContain('the pattern for the subject');
});

test('what a run does not say of itself is told by the flags of its context', async () => {
  const hash = 'a'.repeat(64);
  const said = `--agent-name x --agent-version 1 --model-id m --prompt-hash ${hash} --policy-pack-hash ${hash}`;
  const line = `attest-blob package.json --type agent-run ${said} --human-reviewer d@e.f --issuer http://127.0.0.1:1 -o json`;
  const ran = await runLine(line.split(' '), NOWHERE);
  const { error } = documentOf(ran);
  expect([ran.exitCode, error.code]).toEqual([20, 'cli.predicate_invalid']);
  expect(error.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)).toEqual([
    '--model-provider cli.option_missing',
    '--commit-sha cli.option_missing',
  ]);
  expect(error.next).toBe(`colophon ${line} --model-provider NAME --commit-sha SHA`);
});

test('the product of a scan that names none is a missing option', async () => {
  const scan = join(temporaryFolder(onTestFinished), 'grype.json');
  writeFileSync(scan, JSON.stringify({ matches: [], source: {}, descriptor: { name: 'grype', version: '0.1' } }));
  const line = ['remediation', 'open', '--scan', scan, '--scanned-at', '2026-01-01T00:00:00Z', '-o', 'json'];
  const env = { ...NOWHERE, COLOPHON_DATABASE: join(temporaryFolder(onTestFinished), 'remediation.db') };
  const { error } = documentOf(await runLine(line, env));
  expect(error).toMatchObject({ code: 'remediation.product_missing', issues: [{ code: 'cli.option_missing' }] });
  expect(error.next).toMatch(/^colophon remediation open --scan .* --sbom FILE$/);
});

const SECRET = 'odt_s3cr3t/KeyOfTheDashboard';
const PEM = '-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nc2VjcmV0\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----';
const SERVICES = ['--fulcio-url', 'http://127.0.0.1:1', '--rekor-url', 'http://127.0.0.1:1'];

test.each([
  [SECRET, ['sbom', 'upload', 'package.json', '--dashboard', 'http://127.0.0.1:1', '--api-key-file', SECRET]],
  [SECRET, ['sbom', 'upload', '--api-key-file', SECRET]],
  [SECRET, ['sbom', 'fetch', 'shop', '--key', 'k', '--from', 'http://127.0.0.1:1', '--authorization-file', SECRET]],
  [SECRET, ['sbom', 'fetch', 'shop', '--authorization-file', SECRET]],
  ['c2VjcmV0', ['sign-blob', 'package.json', '--key', PEM, ...SERVICES]],
  ['c2VjcmV0', ['sign-blob', '--key', PEM]],
])('a secret in place of the name of its file is not repeated: %s, %j', async (secret, line) => {
  for (const output of [[], ['-o', 'json']]) {
    const { exitCode, stdout, stderr } = await runLine([...line, ...output], NOWHERE);
    expect(exitCode).toBe(1);
    expect(stdout + stderr).not.toContain(secret);
  }
});

test('a question that people ask stands in the line to type, as it is typed', async () => {
  const { error } = documentOf(await runLine(['query', '-o', 'json']));
  expect(error.next).toBe("colophon query -o json 'runs where reviewed = false'");
});
