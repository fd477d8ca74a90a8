import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { INPUTS, variableOf } from '../recipes/inputs.ts';
import { MANIFEST, ROOT } from '../release/names.ts';
import { PROGRAM_FOLDER } from '../release/program/build-program.ts';
import { fences } from '../tools/doc-fences.ts';
import { componentJob, GITHUB, GITLAB, type Job, type Platform } from './ci-platforms.ts';
import { FULL_REQUEST, type Installation, mint, startColophon } from './colophon-up.ts';
import { pushImage } from './images.ts';
import { findProgram, isMissing, run } from './programs.ts';

const PAGE = join(ROOT, 'docs/ci-recipes.md');
const ACTION_PAGE = join(ROOT, 'docs/install/action.md');
const LOCKFILE = {
  name: 'webshop',
  version: '1.0.0',
  lockfileVersion: 3,
  packages: {
    '': { name: 'webshop', version: '1.0.0', dependencies: { left: '1.0.0' } },
    'node_modules/left': { version: '1.0.0', license: 'MIT', integrity: `sha512-${'A'.repeat(86)}==` },
  },
};

let scratch: string;
let tarball: string;
let server: Server;
let install: { source: string; version: string; sha256: string };

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'colophon-recipes-'));
  const built = await run(process.execPath, ['release/build.ts'], { cwd: ROOT });
  expect(built.code, built.stderr).toBe(0);
  const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', scratch, PROGRAM_FOLDER]);
  expect(packed.code, packed.stderr).toBe(0);
  tarball = join(scratch, packed.stdout.trim().split('\n').at(-1)!);
  const bytes = readFileSync(tarball);
  server = createServer((request, response) => {
    response.statusCode = request.url === '/colophon.tgz' ? 200 : 404;
    response.end(request.url === '/colophon.tgz' ? bytes : 'nothing here');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  install = {
    source: `http://127.0.0.1:${(server.address() as AddressInfo).port}/colophon.tgz`,
    version: MANIFEST.version,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
});
afterAll(() => {
  server?.close();
  rmSync(scratch, { recursive: true, force: true });
});

describe.skipIf(isMissing('crane', 'curl', 'cosign')).each([GITHUB, GITLAB])('the recipe on $name', (platform) => {
  let up: Installation;
  let job: Job;
  let services: Record<string, string>;
  const agent = { context: 'context.json' };
  const signer = () => ({
    'certificate-identity': 'agent:code-writer',
    'certificate-oidc-issuer': up.issuer,
    'trusted-root': 'trusted_root.json',
  });

  beforeAll(async () => {
    up = await startColophon();
    job = startJob(platform);
    for (const name of ['trusted_root.json', 'signing_config.json'])
      copyFileSync(join(up.trust, name), join(job.checkout, name));
    services = { issuer: up.issuer, 'trusted-root': 'trusted_root.json', 'signing-config': 'signing_config.json' };
    write('context.json', JSON.stringify(FULL_REQUEST));
    write('app.tgz', 'what an agent made');
    write('package-lock.json', JSON.stringify(LOCKFILE));
    write(
      'policy.yaml',
      `version: 1\nimages: ["${up.registry}/**"]\nagent: { issuer: ${up.issuer}, subject: agent:code-writer }\n`,
    );
  });
  afterAll(() => up?.stop());

  function startJob(on: Platform, given: Record<string, string> = {}, variables: Record<string, string> = {}): Job {
    const folder = mkdtempSync(join(scratch, 'job-'));
    return on.startJob(folder, { ...install, ...given }, { HOME: join(folder, 'home'), ...variables });
  }
  const write = (name: string, text: string) => writeFileSync(join(job.checkout, name), text);
  const digestOf = (name: string) =>
    `sha256:${createHash('sha256')
      .update(readFileSync(join(job.checkout, name)))
      .digest('hex')}`;
  const must = async (inputs: Record<string, string>, variables?: Record<string, string>) => {
    const result = await job.run(inputs, variables);
    expect(result.code, result.log).toBe(0);
    return result;
  };

  test('signs, attests and checks files', async () => {
    const signed = await must({ command: 'sign', files: 'app.tgz', ...services, ...agent });
    expect(signed.outputs).toEqual({
      verdict: 'signed',
      'exit-code': '0',
      bundles: 'app.tgz.sigstore.json',
      digests: digestOf('app.tgz'),
      sbom: '',
    });
    const attested = await must({ command: 'attest', files: 'app.tgz', ...services, ...agent });
    expect(attested.outputs).toMatchObject({ verdict: 'attested', bundles: 'app.tgz.agent-run.sigstore.json' });
    for (const type of ['', 'agent-run']) {
      const checked = await must({ command: 'check', files: 'app.tgz', type, ...signer() });
      expect(checked.outputs).toMatchObject({ verdict: 'verified', digests: digestOf('app.tgz') });
    }
    const verify = ['verify-blob', '--bundle', 'app.tgz.sigstore.json', '--trusted-root', 'trusted_root.json'];
    const exact = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', up.issuer];
    expect((await run('cosign', [...verify, ...exact, 'app.tgz'], { cwd: job.checkout })).code).toBe(0);
  });

  test.each([
    ['a run that was approved', 'agent-run', { human_review: { approved: true } }, 0],
    ['a run that was not approved', 'agent-run', { human_review: { approved: false } }, 20],
    ['a verification that failed', 'https://slsa.dev/verification_summary/v1', { verificationResult: 'FAILED' }, 20],
    ['an SBOM', 'cyclonedx', { bomFormat: 'CycloneDX' }, 0],
    ['what nobody knows', 'https://acme.example/scan/v1', { passed: true }, 20],
  ] as const)('checks a statement by what it says: %s', async (title, type, predicate, code) => {
    const file = `said-${title.replaceAll(' ', '-')}.txt`;
    write(file, title);
    write('said.json', JSON.stringify(predicate));
    const { reference: images } = await pushImage(up, `said-${title.replaceAll(' ', '-').toLowerCase()}`);
    for (const of of [{ files: file }, { images }]) {
      await must({ command: 'attest', ...of, type, predicate: 'said.json', ...services, ...agent });
      const checked = await job.run({ command: 'check', ...of, type, ...signer() });
      expect(checked, checked.log).toMatchObject({ code, outputs: { verdict: code === 0 ? 'verified' : 'refused' } });
    }
  });

  test('checks a review by what it decides: one that rejects verifies, too', async () => {
    write('reviewed.txt', 'reviewed');
    const of = ['--reviewer', 'dana@example.com', '--repo', 'acme/webshop', '--commit-sha', 'e'.repeat(40)];
    // What it says for people is no decision.
    const comment = ['--comment', '"decision": "approved"'];
    // Of a commit of its own: a rejection of a file stops every image of its commit.
    const inputs = { command: 'check', files: 'reviewed.txt', type: 'agent-review', ...signer() };
    const byReviewer = { ...inputs, 'certificate-identity': 'reviewer:dana@example.com' };
    for (const [decision, code, verdict] of [
      ['approve', 0, 'verified'],
      ['reject', 20, 'refused'],
    ] as const) {
      const reviewed = await up.colophon(['review', decision, ...of, ...comment, 'reviewed.txt'], {
        cwd: job.checkout,
      });
      expect(reviewed.code, reviewed.stderr).toBe(0);
      const checked = await job.run(byReviewer);
      expect(checked, checked.log).toMatchObject({ code, outputs: { verdict } });
      expect(checked.outputs['digests']).toBe(code === 0 ? digestOf('reviewed.txt') : '');
    }
    const image = `${up.registry}/webshop@sha256:${'0'.repeat(64)}`;
    const ofImage = await job.run({ ...inputs, files: '', images: image });
    expect(ofImage, ofImage.log).toMatchObject({ code: 1, outputs: { verdict: 'failed' } });
    expect(ofImage.log).toContain('admit');
  });

  test('takes the run from inputs: name, model, prompt file, policy pack', async () => {
    for (const name of ['prompt.md', 'rules one.md', 'rules two.md']) write(name, name);
    const run = {
      ...{ 'agent-name': 'code-fixer', 'agent-version': '3', 'model-id': 'm-1', 'model-provider': 'anthropic' },
      ...{ prompt: 'prompt.md', 'policy-pack': 'rules one.md\nrules two.md\n', 'human-reviewer': 'bob@example.com' },
      ...{ repo: 'acme/webshop', 'commit-sha': FULL_REQUEST.commit_sha },
    };
    write('fixed.txt', 'fixed');
    await must({ command: 'attest', files: 'fixed.txt', ...services, ...run });
    const identity = {
      ...signer(),
      'certificate-identity': '',
      'certificate-identity-regexp': '^agent:code-(fixer|writer)$',
    };
    await must({ command: 'check', files: 'fixed.txt', type: 'agent-run', ...identity });
    const other = { ...identity, 'certificate-github-workflow-sha': '0'.repeat(40) };
    expect((await job.run({ command: 'check', files: 'fixed.txt', type: 'agent-run', ...other })).code).toBe(12);
  });

  test('passes the exit code of a check on, and says what failed', async () => {
    write('unsigned.txt', 'unsigned');
    const other = { ...signer(), 'certificate-identity': 'agent:somebody-else' };
    const unlike = await job.run({ command: 'check', files: 'app.tgz', ...other });
    expect(unlike).toMatchObject({ code: 12, outputs: { verdict: 'failed', 'exit-code': '12', digests: '' } });
    const missing = await job.run({ command: 'check', files: 'unsigned.txt\napp.tgz', ...signer() });
    expect(missing).toMatchObject({ code: 10, outputs: { digests: digestOf('app.tgz') } });
    if (platform === GITHUB) expect(missing.log).toMatch(/^::error title=Colophon check::exit code 10: unsigned.txt$/m);
    const anybody = await job.run({ command: 'check', files: 'app.tgz', 'trusted-root': 'trusted_root.json' });
    expect(anybody.code).toBe(1);
  });

  test('signs, attests and checks an image, and admits it only after its review', async () => {
    const { reference: images, digest } = await pushImage(up, 'webshop');
    await must({ command: 'sign', images, ...services, ...agent });
    await must({ command: 'attest', images, ...services, ...agent });
    for (const type of ['', 'agent-run']) await must({ command: 'check', images, type, ...signer() });
    const gate = {
      command: 'admit',
      images,
      policy: 'policy.yaml',
      issuer: up.issuer,
      'trusted-root': 'trusted_root.json',
    };
    const refused = await job.run(gate);
    expect(refused).toMatchObject({ code: 20, outputs: { verdict: 'refused', 'exit-code': '20', digests: '' } });
    expect(refused.log).toContain('admission.review_missing');
    const approve = [
      'review',
      'approve',
      images,
      '--reviewer',
      'alice@example.com',
      '--commit-sha',
      FULL_REQUEST.commit_sha,
    ];
    expect((await up.colophon(approve)).code).toBe(0);
    const admitted = await must(gate);
    expect(admitted.outputs).toMatchObject({ verdict: 'admitted', digests: digest });
    if (platform === GITHUB) expect(admitted.summary).toContain('### Colophon: admit: admitted\n\n    admitted  ');
  });

  test('refuses an image that is named by its tag', async () => {
    const result = await job.run({ command: 'sign', images: `${up.registry}/webshop:1`, ...services, ...agent });
    expect(result).toMatchObject({ code: 1, outputs: { verdict: 'failed' } });
  });

  test('makes, validates, compares and publishes an SBOM', async () => {
    const made = { command: 'sbom', sbom: 'webshop.cdx.json', 'sbom-target': '.', generator: 'lockfile' };
    const by = { 'supplier-name': 'Acme Süd', 'supplier-url': 'https://acme.example' };
    const published = await must({
      ...{ ...made, ...by, 'allow-licences': 'MIT', 'publish-to': 'site', sarif: 'sbom.sarif' },
      ...{ ...services, ...agent, ...signer() },
    });
    expect(published.outputs).toMatchObject({ verdict: 'published', sbom: 'webshop.cdx.json' });
    expect(published.outputs['digests']).toBe(digestOf('site/.well-known/sbom/webshop-1.0.0.cdx.json'));
    expect(JSON.parse(readFileSync(join(job.checkout, 'sbom.sarif'), 'utf8')).version).toBe('2.1.0');
    const half = { ...made, ...by, 'publish-to': 'site-of-nobody', ...services, ...agent };
    const unpinned = await job.run({ ...half, 'certificate-oidc-issuer': 'https://issuer.example' });
    expect(unpinned, unpinned.log).toMatchObject({ code: 1, outputs: { verdict: 'failed', digests: '' } });
    const refused = await job.run({ command: 'sbom', sbom: 'webshop.cdx.json', 'allow-licences': 'ISC' });
    expect(refused).toMatchObject({ code: 20, outputs: { verdict: 'refused', digests: '' } });
  });

  test('publishes no SBOM that is invalid, and writes why for code scanning', async () => {
    write('bad.cdx.json', '{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"name":"x"}]}');
    const inputs = { command: 'sbom', sbom: 'bad.cdx.json', 'publish-to': 'nowhere', sarif: 'bad.sarif' };
    expect((await job.run({ ...inputs, ...services, ...agent })).code).toBe(20);
    expect(existsSync(join(job.checkout, 'nowhere'))).toBe(false);
    const { runs } = JSON.parse(readFileSync(join(job.checkout, 'bad.sarif'), 'utf8'));
    expect(runs[0].results.length).toBeGreaterThan(0);
    const nowhere = await job.run({ ...inputs, sarif: 'no-folder/bad.sarif' });
    expect(nowhere, nowhere.log).toMatchObject({ code: 1, outputs: { verdict: 'failed' } });
    expect(nowhere.log).toContain('sarif: cannot be written');
  });

  test('signs with a token from the environment, and prints it nowhere', async () => {
    const token = await mint(up.issuer, FULL_REQUEST);
    const { issuer: _, ...withoutIssuer } = services;
    const { log, summary } = await must(
      { command: 'sign', files: 'app.tgz', ...withoutIssuer },
      { SIGSTORE_ID_TOKEN: token },
    );
    for (const part of token.split('.')) expect(log + summary).not.toContain(part);
  });

  test('signs without inputs for the services where the data folder of `colophon up` is on the runner', async () => {
    const result = await job.run({ command: 'sign', files: 'app.tgz', ...agent }, { COLOPHON_HOME: up.data });
    expect(result, result.log).toMatchObject({ code: 0, outputs: { verdict: 'signed' } });
  });

  const NAMES = [
    '$(touch touched)',
    '`touch touched`',
    '"; touch touched; "',
    "'; touch touched; '",
    '--bundle=touched',
    '-rf',
  ];
  const MORE = [
    'ein Bericht – größer.txt',
    '$' + '{{ github.token }}',
    '$[[ inputs.sha256 ]]',
    'a\\nb',
    '|| touch touched',
    '%0A::error::',
  ];

  test('signs files whose names a shell, a flag or the platform would read otherwise', async () => {
    const names = [...NAMES, ...MORE];
    for (const name of names) write(name, name);
    const files = names.join('\n');
    const { outputs } = await must({ command: 'sign', files, ...services, ...agent });
    expect(outputs['bundles']?.split('\n')).toEqual(names.map((name) => `${name}.sigstore.json`));
    expect(outputs['digests']?.split('\n')).toEqual(names.map(digestOf));
    await must({ command: 'check', files, ...signer() });
    expect(readdirSync(job.checkout)).not.toContain('touched');
    for (const name of names) rmSync(join(job.checkout, name));
  });

  test.each(['$(touch touched)', '"; touch touched; "', '--bundle=touched'])(
    'takes %s for a value in every input',
    async (value) => {
      const before = readdirSync(job.checkout).sort();
      const everywhere = Object.fromEntries(
        INPUTS.filter(({ commands }) => !commands.includes('install')).map(({ name }) => [name, value]),
      );
      for (const command of ['sign', 'attest', 'check', 'admit', 'sbom']) {
        const { code, log } = await job.run({ ...everywhere, command });
        expect([1, 3, 10, 11, 12, 20], log).toContain(code);
      }
      for (const { name } of INPUTS.filter(({ commands }) => commands.includes('install')))
        expect((await startJob(platform, { [name]: value }).run({ command: 'sign' })).code).not.toBe(0);
      const after = readdirSync(job.checkout).filter((name) => !before.includes(name));
      // The file that the input `sarif` names, and GitLab's report.
      expect(after.filter((name) => name !== value && name !== 'colophon.env')).toEqual([]);
      for (const name of after) rmSync(join(job.checkout, name), { recursive: true });
    },
  );

  test('refuses several lines, control characters and standard input where one value belongs', async () => {
    for (const name of ['bell\u0007', 'two\nlines', '-']) write(name, JSON.stringify(FULL_REQUEST));
    for (const context of ['bell\u0007', 'two\nlines', '-'])
      expect((await job.run({ command: 'sign', files: 'app.tgz', ...services, context })).code).toBe(1);
  });

  if (platform === GITHUB)
    test('lets no output of the program be a command of the platform', async () => {
      const name = '::warning::unheard.json';
      write(name, '{"bomFormat":"CycloneDX","specVersion":"1.6","version":1}');
      const { log } = await must({ command: 'sbom', sbom: name });
      const lines = log.split('\n');
      const stop = lines.find((line) => line.startsWith('::stop-commands::'))?.slice('::stop-commands::'.length);
      const [first, last] = [lines.indexOf(`::stop-commands::${stop}`), lines.indexOf(`::${stop}::`)];
      const warning = lines.findIndex((line) => line.startsWith('::warning::'));
      expect([first, warning, last]).toEqual([first, warning, last].toSorted((a, b) => a - b));
      expect(first).toBeGreaterThanOrEqual(0);
      expect(warning).toBeGreaterThan(0);
    });

  if (platform === GITLAB)
    test('replaces variables in files and images alone', async () => {
      write('built-1.txt', 'built');
      const variables = { BUILT: 'built-1.txt' };
      const { outputs } = await must({ command: 'sign', files: '$BUILT', ...services, ...agent }, variables);
      expect(outputs['bundles']).toBe('built-1.txt.sigstore.json');
      const identity = { ...signer(), 'certificate-identity': '$BUILT' };
      const checked = await job.run({ command: 'check', files: '$BUILT', ...identity }, variables);
      expect(checked.code).toBe(12);
      const variable = variableOf('certificate-identity');
      const set = await job.run(
        { command: 'check', files: '$BUILT', ...identity },
        { ...variables, [variable]: 'agent:code-writer' },
      );
      expect(set.code).toBe(0);
    });

  test('installs from a path', async () => {
    copyFileSync(tarball, join(job.checkout, 'colophon.tgz'));
    const other = platform.startJob(join(job.checkout, '..'), { ...install, source: 'colophon.tgz' }, {});
    expect((await other.run({ command: 'check', files: 'app.tgz', ...signer() })).code).toBe(0);
  });

  test.each([
    ['another digest', 12, () => ({ sha256: install.sha256.replace(/^../, (two) => (two === '00' ? '11' : '00')) })],
    ['another version', 12, () => ({ version: '99.0.0' })],
    ['half a digest', 1, () => ({ sha256: install.sha256.slice(0, 32) })],
    ['a source that is missing', 3, () => ({ source: `${install.source}.missing` })],
    ['a source that says it is a flag', 3, () => ({ source: '--help' })],
  ])('installs nothing with %s', async (_what, code, given) => {
    const other = startJob(platform, given());
    const result = await other.run({ command: 'sign', files: 'app.tgz' });
    expect(result, result.log).toMatchObject({ code, outputs: { verdict: 'failed' } });
    expect(readdirSync(other.temporary).filter((name) => name.startsWith('colophon-'))).toEqual([]);
  });

  test('runs nothing of what it fetched before the digest was compared', async () => {
    const other = startJob(platform, { source: 'program' });
    writeFileSync(join(other.checkout, 'program'), `#!/bin/sh\ntouch '${join(other.checkout, 'touched')}'\n`, {
      mode: 0o755,
    });
    expect((await other.run({ command: 'sign', files: 'program' })).code).toBe(12);
    expect(readdirSync(other.checkout)).not.toContain('touched');
  });

  test('installs an executable as it is', async () => {
    const other = startJob(platform, { source: 'program' });
    const program = `#!/bin/sh\nif [ "$1" = --version ]; then echo ${MANIFEST.version}; else echo "ran $*"; fi\n`;
    writeFileSync(join(other.checkout, 'program'), program);
    const sha256 = createHash('sha256').update(program).digest('hex');
    const third = platform.startJob(join(other.checkout, '..'), { ...install, source: 'program', sha256 }, {});
    writeFileSync(join(third.checkout, 'app.tgz'), 'what an agent made');
    const { code, log } = await third.run({ command: 'check', files: 'app.tgz', 'certificate-identity': 'x y' });
    expect(code, log).toBe(0);
    expect(log).toContain('ran verify-blob --certificate-identity=x y -- app.tgz');
  });
});

test('docs/install/action.md leads to a verified signature', async () => {
  const [workflow] = fences(ACTION_PAGE, 'workflow');
  const port = String(await freePort());
  const { steps } = parse(workflow!.text.replaceAll('7080', port)).jobs.sign;
  const folder = mkdtempSync(join(scratch, 'action-'));
  const { source: _source, sha256: _sha256, ...installed } = steps[0].with;
  const { command: _command, ...given } = { ...installed, source: install.source, sha256: install.sha256 };
  const job = GITHUB.startJob(folder, given, { HOME: join(folder, 'home') });
  try {
    const results = [];
    for (const step of steps.slice(1)) results.push(await (step.run ? job.shell(step.run) : job.run(step.with)));
    const log = results.map((result) => result.log).join('\n');
    expect(steps[0].with.command, log).toBe('install');
    expect(
      results.map(({ code, outputs }) => [code, outputs['verdict']]),
      log,
    ).toEqual([
      [0, undefined],
      [0, 'signed'],
      [0, 'verified'],
    ]);
  } finally {
    await job.end();
  }
});

describe('docs/ci-recipes.md', () => {
  test.skipIf(isMissing('actionlint', 'git'))(
    'shows a workflow that actionlint accepts, with the inputs of the action',
    async () => {
      const [example, mention] = fences(PAGE, 'github');
      const folder = mkdtempSync(join(scratch, 'lint-'));
      mkdirSync(join(folder, '.github/workflows'), { recursive: true });
      mkdirSync(join(folder, 'recipes/github'), { recursive: true });
      copyFileSync(join(ROOT, 'recipes/github/action.yml'), join(folder, 'recipes/github/action.yml'));
      const lint = async (text: string) => {
        writeFileSync(join(folder, '.github/workflows/sample.yml'), text);
        return run(findProgram('actionlint')!, ['-color=false'], { cwd: folder });
      };
      expect((await run('git', ['init', '-q'], { cwd: folder })).code).toBe(0);
      const localOf = (text: string) => text.replace(/OWNER\/REPO\/recipes\/github@\w+/g, './recipes/github');
      const local = localOf(example!.text);
      for (const text of [local, localOf(mention!.text), localOf(fences(ACTION_PAGE, 'workflow')[0]!.text)]) {
        expect(await lint(text)).toMatchObject({ code: 0, stdout: '' });
      }
      expect((await lint(local.replace('policy: .colophon', 'polizy: .colophon'))).code).not.toBe(0);
      expect((await lint(local.replace('steps.admit.outputs.verdict', 'steps.admit.outputs.verdikt'))).code).not.toBe(
        0,
      );
    },
  );

  test('shows a GitLab pipeline with the inputs of the component', () => {
    const [example] = fences(PAGE, 'gitlab');
    const [header, content] = parseAllDocuments(
      readFileSync(join(ROOT, 'recipes/gitlab/templates/colophon.yml'), 'utf8'),
    ).map((document) => document.toJS());
    const { include } = parse(example!.text);
    const job = componentJob(header.spec.inputs, content, include[0].inputs);
    expect(job.variables).toMatchObject({ [variableOf('policy')]: { value: '.colophon/policy.yaml', expand: false } });
  });
});
