import { createHash, generateKeyPairSync } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deadUrl, startPeer, temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const undo: Array<() => void | Promise<void>> = [];
let here: Installation;
let report: string;
let bundle: string;
let attested: string;
let image: string;
let policy: string;

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
const APPROVE = ['--reviewer', 'alice@example.com', '--commit-sha', COMMIT];

beforeAll(async () => {
  here = await install((step) => undo.push(step));
  report = here.file('report.txt', 'what the agent wrote\n');
  bundle = here.file('report.sigstore.json', '');
  attested = join(here.folder, 'report.run.json');
  policy = here.file('policy.yaml', policyText(here.url, here.registry));
  const run = here.file('agent-run.json', AGENT_RUN);
  await here.document('sign-blob', '--bundle', bundle, ...CONTEXT, report);
  await here.document(
    'attest-blob',
    '--type',
    'agent-run',
    '--predicate',
    run,
    '--bundle',
    attested,
    ...CONTEXT,
    report,
  );
  image = await here.push('webshop');
  await here.document('sign', ...CONTEXT, image);
  await here.document('attest', '--type', 'agent-run', '--predicate', run, ...CONTEXT, image);
  await here.document('review', 'approve', image, ...APPROVE, '--repo', 'acme/webshop', '--duration', '48');
});
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

describe('the happy path', () => {
  test('env prints lines that a shell takes, and where the services are', async () => {
    const { stdout } = await here.run('env');
    expect(stdout).toContain(`export COLOPHON_ISSUER=${here.url}\n`);
    const { variables } = await here.document('env');
    for (const name of [
      'COLOPHON_TRUSTED_ROOT',
      'COLOPHON_SIGNING_CONFIG',
      'SIGSTORE_ROOT_FILE',
      'SIGSTORE_REKOR_PUBLIC_KEY',
    ]) {
      expect(existsSync(variables[name])).toBe(true);
    }
  });

  test('a signature and an attestation are found where they were written', async () => {
    const file = here.file('found.txt', 'found without a name');
    await here.document('sign-blob', ...CONTEXT, file);
    expect((await here.run('verify-blob', ...here.pinned, file)).exitCode).toBe(0);
    const attested = ['verify-blob-attestation', '--type', 'agent-run', ...here.pinned, file];
    expect(await here.refusal(...attested)).toMatchObject({
      exitCode: 10,
      code: 'cli.no_signature',
      checked: `${file}.agent-run.sigstore.json`,
    });
    const predicate = ['--type', 'agent-run', '--predicate', here.file('found.json', AGENT_RUN)];
    await here.document('attest-blob', ...predicate, ...CONTEXT, file);
    expect((await here.run(...attested)).exitCode).toBe(0);
    const untyped = ['verify-blob-attestation', ...here.pinned, file];
    const { exitCode, code, next } = await here.refusal(...untyped);
    expect([exitCode, code]).toEqual([10, 'cli.no_signature']);
    expect(next).toContain(' --type agent-run');
    const digest = `sha256:${sha256('found without a name')}`;
    expect(await here.refusal('verify-blob', ...here.pinned, digest)).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  });

  test('hash gives the hash of the very bytes', async () => {
    const prompt = here.file('prompt.txt', 'do it\r\n');
    expect((await here.run('hash', 'prompt', prompt)).stdout).toBe(`sha256:${sha256('do it\r\n')}\n`);
    expect(await here.document('hash', 'policy', prompt)).toEqual({ ok: true, hash: `sha256:${sha256('do it\r\n')}` });
  });

  test('token prints the bare token, and inspect tells what stands in it', async () => {
    const { stdout, stderr, exitCode } = await here.run('token', ...CONTEXT);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const inspected = await here.document('inspect', here.file('token.jwt', stdout));
    expect(JSON.stringify(inspected)).toContain('agent:code-writer');
    expect(JSON.stringify(inspected)).not.toContain(stdout);
  });

  test('a hash of the run is taken in every form that a person may type', async () => {
    const hex = sha256('do it');
    const context = CONTEXT.map((word, i) =>
      CONTEXT[i - 1] === '--prompt-hash' ? `sha256-${Buffer.from(hex, 'hex').toString('base64')}` : word,
    );
    const { stdout } = await here.run('token', ...context);
    const { prompt_hash } = JSON.parse(Buffer.from(stdout.split('.')[1] as string, 'base64url').toString());
    expect(prompt_hash).toBe(`sha256:${hex}`);
  });

  test.each([
    // {"a":1} in its own spelling, and in one that only a lenient reader takes for the same.
    ['a token', 'eyJhIjoxfQ.eyJhIjoxfQ.AQ', 'eyJhIjoxfQ.eyJhIjoxfR.AQ'],
    [
      'an envelope',
      '{"payloadType":"x","payload":"eyJhIjoxfQ==","signatures":[]}',
      '{"payloadType":"x","payload":"eyJhIjo*xfQ==","signatures":[]}',
    ],
  ])('inspect shows nothing of %s that no verifier reads', async (_what, sound, broken) => {
    expect((await here.run('inspect', here.file('sound', sound))).exitCode).toBe(0);
    const refused = { exitCode: 1, code: 'inspect.malformed' };
    expect(await here.refusal('inspect', here.file('broken', broken))).toMatchObject(refused);
  });

  test('verify-blob tells who signed, under what, where it is logged, and all that was checked', async () => {
    const verified = await here.document('verify-blob', '--bundle', bundle, ...here.pinned, report);
    expect(verified).toMatchObject({
      ok: true,
      artifact: report,
      certificate_identity: {
        subject: 'agent:code-writer',
        issuer: here.url,
        claims: { human_reviewer: 'alice@example.com' },
      },
    });
    expect(verified.checks.length).toBeGreaterThan(5);
    const forPeople = await here.run('verify-blob', '--bundle', bundle, ...here.pinned, report);
    expect(forPeople.stdout).toBe(
      `verified ${report}: signed by agent:code-writer (issuer ${here.url}, root embedded), model large-model-2026-05-14 (declared), reviewed by alice@example.com (declared), log index ${verified.log_entry.log_index}\n`,
    );
    const details = await here.run('verify-blob', '--details', '--bundle', bundle, ...here.pinned, report);
    expect(details.stdout).toMatch(/signed by\s+agent:code-writer/);
    for (const { check } of verified.checks) expect(details.stdout).toContain(`✓ ${check}`);
  });

  test('verify-blob-attestation takes the file or its digest', async () => {
    const line = ['verify-blob-attestation', '--type', 'agent-run', '--bundle', attested, ...here.pinned];
    const byFile = await here.document(...line, report);
    const byDigest = await here.document(...line, '--digest', `sha256:${sha256(readFileSync(report))}`);
    expect(byDigest.statement).toEqual(byFile.statement);
    expect(byFile.statement.predicate).toEqual(AGENT_RUN);
  });

  test('verify-blob and verify-blob-attestation take the digest in every form that a person may type', async () => {
    const hex = sha256(readFileSync(report));
    const base64 = Buffer.from(hex, 'hex').toString('base64');
    const forms = [
      hex,
      `SHA256:${hex.toUpperCase()}`,
      base64,
      `sha256-${base64}`,
      `registry.example/app@sha256:${hex}`,
    ];
    const statement = ['verify-blob-attestation', '--type', 'agent-run', '--bundle', attested, ...here.pinned];
    for (const form of forms) {
      await here.document('verify-blob', '--bundle', bundle, ...here.pinned, form);
      await here.document(...statement, form);
      await here.document(...statement, '--digest', form);
    }
  });

  test('verify and verify-attestation hold the image', async () => {
    expect((await here.document('verify', ...here.pinned, image)).signatures.length).toBeGreaterThan(0);
    const attestation = await here.document('verify-attestation', '--type', 'agent-run', ...here.pinned, image);
    expect(attestation.signatures[0].statement.predicate).toEqual(AGENT_RUN);
    const reviewer = ['--certificate-identity', 'reviewer:alice@example.com', '--certificate-oidc-issuer', here.url];
    const review = await here.document('verify-attestation', '--type', 'agent-review', ...reviewer, image);
    expect(review.signatures[0].statement.predicate).toMatchObject({
      decision: 'approved',
      review_duration_seconds: 48,
    });
  });

  test('verify says one sentence about an image, and the rest with --details', async () => {
    const verified = await here.push('webshop-verified');
    // In the two forms that are read: as an artifact of the image, and under its tag.
    await here.document('sign', ...CONTEXT, verified);
    await here.document('attest', '--type', 'agent-run', ...CONTEXT, verified);
    await here.document('review', 'reject', verified, ...APPROVE);
    const { stdout } = await here.run('verify', ...here.pinned, verified);
    expect(stdout).toMatch(
      /^verified \S+: 2 signatures by agent:code-writer \(issuer \S+, root embedded\), [^\n]*log index \d+, \d+; not counted: 4 of another kind \(--details\)\n$/,
    );
    const { stdout: details } = await here.run('verify', '--details', ...here.pinned, verified);
    expect(details.match(/^verified /gm)).toHaveLength(2);
    expect(details).toMatch(/\nnot counted:\n {2}image\.not_a_signature: /);
    const alice = ['--certificate-identity', 'reviewer:alice@example.com', '--certificate-oidc-issuer', here.url];
    const reviewed = await here.run('verify-attestation', '--type', 'agent-review', ...alice, verified);
    expect(reviewed.stdout).toMatch(
      /: (?:2 reviews|review) signed by reviewer:alice@example\.com \(.*, rejected by alice@/,
    );
  });

  test('a tag is resolved once, and said', async () => {
    const tagged = `${image.split('@')[0]}:demo`;
    const { stderr, exitCode } = await here.run('verify', ...here.pinned, tagged);
    expect(exitCode).toBe(0);
    expect(stderr).toBe(`${tagged} is ${image.split('@')[1]}\n`);
  });

  test('a review of a file is a bundle beside it', async () => {
    // Of a commit of its own: no image that is made from it is admitted.
    const about = [...APPROVE.slice(0, 3), 'b'.repeat(40)];
    const { signatures } = await here.document('review', 'reject', report, ...about, '--comment', 'not yet');
    expect(signatures).toMatchObject([{ certificate_identity: { subject: 'reviewer:alice@example.com' } }]);
    expect(existsSync(`${report}.agent-review.sigstore.json`)).toBe(true);
  });

  test('admit admits what the policy asks for', async () => {
    expect(await here.document('admit', image, '--policy', policy)).toMatchObject({ admitted: true, reasons: [] });
    expect((await here.run('admit', image, '--policy', policy)).stdout).toMatch(/^admitted/);
  });

  test('log finds entries by artifact and digest, and gets one by index and by id', async () => {
    const byFile = await here.document('log', 'search', '--artifact', report);
    const [entry] = byFile.entries;
    const byDigest = await here.document('log', 'search', '--sha', `sha256:${sha256(readFileSync(report))}`);
    expect(byDigest).toEqual(byFile);
    expect(await here.document('log', 'get', '--log-index', String(entry.log_index))).toEqual({ ok: true, ...entry });
    expect(await here.document('log', 'get', '--uuid', entry.uuid)).toEqual({ ok: true, ...entry });
    expect(await here.document('log', 'get', '--uuid', entry.uuid.toUpperCase())).toEqual({ ok: true, ...entry });
    expect(await here.document('log', 'verify')).toMatchObject({ ok: true });
    const { stdout } = await here.run('log', 'verify');
    expect(stdout).toMatch(/^LOG +ENTRIES +CHECKPOINTS +RESULT\n(?:\S+ +\d+ +\d+ +verified\n){2}/);
  });

  test('query answers from what was verified, and import keeps more', async () => {
    const answer = await here.document('query', 'runs where review.duration < 60s');
    expect(answer.rows.length).toBeGreaterThan(0);
    const blob = await here.refusal('evidence', 'import', `${here.file('signed.txt', 'x')}.sigstore.json`);
    expect(blob.code).toBe('cli.file_unreadable');
    await here.document('sign-blob', ...CONTEXT, join(here.folder, 'signed.txt'));
    const refused = await here.refusal('evidence', 'import', join(here.folder, 'signed.txt.sigstore.json'));
    expect(refused).toMatchObject({ exitCode: 20, code: 'evidence.not_verified' });
    expect(refused['message']).toContain('a signature over a file');
    const { bundles } = await here.document('evidence', 'import', attested);
    expect(bundles).toMatchObject([{ ok: true, bundle: attested, kind: 'run' }]);
    expect((await here.run('query', 'runs where agent = nobody')).stdout).toBe('none\n');
  });

  test('a bundle that is to go into a folder that is not there: the folder is named, and nothing is signed', async () => {
    const folder = join(here.folder, 'no-folder');
    const line = ['sign-blob', '--bundle', join(folder, 'y.json'), ...CONTEXT, report];
    expect(await here.refusal(...line)).toMatchObject({
      exitCode: 2,
      code: 'cli.file_unwritable',
      message: `${join(folder, 'y.json')}: there is no folder ${folder}`,
    });
    expect(existsSync(folder)).toBe(false);
  });

  test('of several bundles each that can be kept is, whatever becomes of the others', async () => {
    const broken = here.file('broken.json', '{}');
    const missing = join(here.folder, 'missing.json');
    const line = ['evidence', 'import', broken, missing, attested];
    const ran = await here.run(...line, '-o', 'json');
    // Of the first that could not be kept.
    expect(ran.exitCode).toBe(20);
    expect(documentOf(ran).bundles).toMatchObject([
      { ok: false, bundle: broken, error: { code: 'evidence.bundle_malformed' } },
      { ok: false, bundle: missing, error: { code: 'cli.file_unreadable', checked: missing } },
      { ok: true, bundle: attested, kind: 'run', id: sha256(readFileSync(attested)) },
    ]);
    const { exitCode, stdout, stderr } = await here.run('evidence', 'import', attested, missing, broken, '--wide');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /run +[0-9a-f]{64}\n.*missing\.json +not kept +cli\.file_unreadable\n.*broken\.json +not kept +/,
    );
    expect(stderr).toMatch(/^error cli\.file_unreadable: .*\n[\s\S]*^error evidence\.bundle_malformed: /m);
  });

  test('ledger verifies while the server runs, and exports every token', async () => {
    const { token_count } = await here.document('ledger', 'verify');
    const records = JSON.parse((await here.run('ledger', 'export')).stdout);
    expect(records).toHaveLength(token_count);
    const file = join(here.folder, 'ledger.json');
    expect(await here.run('ledger', 'export', '--out', file)).toMatchObject({
      exitCode: 0,
      stdout: `wrote ${file}, ${records.length} records\n`,
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(records);
  });

  test('a key of one’s own signs without a name', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = here.file('own.key', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    const pub = here.file('own.pub', publicKey.export({ type: 'spki', format: 'pem' }) as string);
    const keyed = join(here.folder, 'keyed.json');
    await here.document('sign-blob', '--key', key, '--bundle', keyed, report);
    expect(await here.document('verify-blob', '--key', pub, '--bundle', keyed, report)).not.toHaveProperty('identity');
    const refused = await here.refusal('verify-blob', '--bundle', keyed, ...here.pinned, report);
    expect(refused).toMatchObject({ exitCode: 13, code: 'key.missing' });
  });
});

describe('files that are not what they should be', () => {
  const LINES: Array<[string, (path: string) => string[]]> = [
    ['sign-blob', (path) => ['sign-blob', ...CONTEXT, path]],
    ['attest-blob', (path) => ['attest-blob', '--predicate', path, ...CONTEXT, report]],
    ['attest-blob statement', (path) => ['attest-blob', '--statement', path, ...CONTEXT]],
    ['verify-blob', (path) => ['verify-blob', '--bundle', bundle, ...here.pinned, path]],
    ['verify-blob bundle', (path) => ['verify-blob', '--bundle', path, ...here.pinned, report]],
    ['verify-blob root', (path) => ['verify-blob', '--trusted-root', path, '--bundle', bundle, ...here.pinned, report]],
    ['verify-blob key', (path) => ['verify-blob', '--key', path, '--bundle', bundle, report]],
    ['attest', (path) => ['attest', '--predicate', path, ...CONTEXT, image]],
    ['admit', (path) => ['admit', '--policy', path, image]],
    ['log search', (path) => ['log', 'search', '--artifact', path]],
    ['evidence import', (path) => ['evidence', 'import', path]],
    ['inspect', (path) => ['inspect', path]],
    ['hash prompt', (path) => ['hash', 'prompt', path]],
    ['hash policy', (path) => ['hash', 'policy', path, path]],
    ['token context', (path) => ['token', '--context', path]],
    ['ledger key', (path) => ['ledger', 'verify', '--key', path]],
    ['up root', (path) => ['up', '--ct-root', path]],
  ];

  // `token` and `up` print no documents of their own; what they say is for people.
  test.each(LINES)('%s says that a file is not there, or is a folder', async (name, line) => {
    // Of policies a folder may hold some.
    const empty = join(here.folder, 'folder');
    mkdirSync(empty, { recursive: true });
    for (const path of [join(here.folder, 'missing'), empty]) {
      if (name === 'token context' || name === 'up root') {
        const ran = await here.run(...line(path));
        expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
        expect(ran.stderr).toMatch(`error cli.file_unreadable: ${path}`);
      } else {
        expect(await here.refusal(...line(path))).toMatchObject({
          exitCode: 1,
          code: 'cli.file_unreadable',
          checked: path,
        });
      }
    }
  });

  test.each([
    ['attest-blob', 20, 'cli.predicate_invalid', LINES[1]![1]],
    ['attest-blob statement', 20, 'cli.predicate_invalid', LINES[2]![1]],
    ['verify-blob bundle', 13, 'bundle.malformed', LINES[4]![1]],
    ['verify-blob root', 13, 'trusted_root.malformed', LINES[5]![1]],
    ['attest', 20, 'cli.predicate_invalid', LINES[7]![1]],
    ['admit', 1, 'cli.policy_invalid', LINES[8]![1]],
    ['evidence import', 20, 'evidence.bundle_malformed', LINES[10]![1]],
    ['inspect', 1, 'inspect.unrecognized', LINES[11]![1]],
    ['ledger key', 1, 'cli.file_unreadable', LINES[15]![1]],
  ] as const)('%s refuses what it cannot read: exit %i, %s', async (_name, exitCode, code, line) => {
    for (const content of ['{"half', Buffer.from([0xff, 0xfe, 0x00])]) {
      const refused = await here.refusal(...line(here.file('unreadable', content)));
      expect(refused).toMatchObject({ exitCode, code, checked: expect.stringMatching('unreadable') });
    }
  });

  test('an empty bundle is nothing to verify', async () => {
    const empty = here.file('empty', '');
    expect(await here.refusal('verify-blob', '--bundle', empty, ...here.pinned, report)).toMatchObject({
      exitCode: 10,
      code: 'bundle.empty',
    });
  });

  test('a result that cannot be written is told before a token is spent', async () => {
    const { token_count } = await here.document('ledger', 'verify');
    for (const place of [join(here.folder, 'nowhere', 'bundle.json'), here.folder]) {
      const failure = { exitCode: 2, code: 'cli.file_unwritable', checked: place };
      expect(await here.refusal('sign-blob', '--bundle', place, ...CONTEXT, report)).toMatchObject(failure);
      const predicate = ['--type', 'agent-run', '--predicate', join(here.folder, 'agent-run.json')];
      expect(await here.refusal('attest-blob', ...predicate, '--bundle', place, ...CONTEXT, report)).toMatchObject(
        failure,
      );
      expect(await here.refusal('review', 'approve', report, ...APPROVE, '--bundle', place)).toMatchObject(failure);
    }
    expect(await here.document('ledger', 'verify')).toMatchObject({ token_count });
  });

  test('one bad file among several is told before the first is signed', async () => {
    const before = readdirSync(here.folder).length;
    const refused = await here.refusal('sign-blob', ...CONTEXT, report, join(here.folder, 'missing'));
    expect(refused).toMatchObject({ exitCode: 1, code: 'cli.file_unreadable' });
    expect(readdirSync(here.folder)).toHaveLength(before);
    expect(await here.refusal('sign-blob', '--bundle', 'one', ...CONTEXT, report, policy)).toMatchObject({
      code: 'cli.usage',
    });
  });
});

describe('predicates', () => {
  test('every issue of a bad predicate is told with its place, and nothing is signed', async () => {
    const { token_count } = await here.document('ledger', 'verify');
    const bad = here.file('bad.json', { ...AGENT_RUN, agent: { name: '', version: null } });
    const refused = await here.refusal('attest-blob', '--type', 'agent-run', '--predicate', bad, ...CONTEXT, report);
    expect(refused).toMatchObject({ exitCode: 20, code: 'cli.predicate_invalid', checked: bad });
    expect(refused.issues.map(({ path }: { path: string }) => path).sort()).toEqual(['/agent/name', '/agent/version']);
    expect(await here.document('ledger', 'verify')).toMatchObject({ token_count });
  });

  test.each(['attest', 'attest-blob', 'verify-attestation', 'verify-blob-attestation'])(
    '%s knows no type that is none',
    async (command) => {
      const predicate = ['--predicate', join(here.folder, 'agent-run.json')];
      const more = command.startsWith('attest') ? [...predicate, ...CONTEXT] : here.pinned;
      const bundleFlag = command === 'verify-blob-attestation' ? ['--bundle', attested] : [];
      const target = command.includes('blob') ? report : image;
      const refused = await here.refusal(command, '--type', 'agentrun', ...more, ...bundleFlag, target);
      expect(refused).toMatchObject({ exitCode: 1, code: 'cli.usage', expected: expect.stringMatching('agent-run') });
    },
  );

  test('too little or too much to attest is a usage error', async () => {
    const statement = here.file('statement.json', {});
    const failure = { exitCode: 1, code: 'cli.usage' };
    expect(await here.refusal('attest-blob', ...CONTEXT, report)).toMatchObject(failure);
    expect(await here.refusal('attest-blob', ...CONTEXT, '--predicate', statement)).toMatchObject(failure);
    expect(await here.refusal('attest-blob', ...CONTEXT, '--statement', statement, report)).toMatchObject(failure);
    expect(await here.refusal('attest', ...CONTEXT, image)).toMatchObject(failure);
    expect(
      await here.refusal('attest', ...CONTEXT, '--statement', statement, '--predicate', statement, image),
    ).toMatchObject(failure);
  });

  test('a statement about another image is not attached', async () => {
    const statement = here.file('other.json', {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'x', digest: { sha256: 'a'.repeat(64) } }],
      predicateType: 'https://example.com/x/v1',
      predicate: {},
    });
    expect(await here.refusal('attest', ...CONTEXT, '--statement', statement, image)).toMatchObject({
      exitCode: 1,
      code: 'image.statement_about_other',
    });
  });
});

describe('bundles that prove something else', () => {
  test('the bundle of another file', async () => {
    const other = here.file('other.txt', 'something else');
    expect(await here.refusal('verify-blob', '--bundle', bundle, ...here.pinned, other)).toMatchObject({
      exitCode: 12,
      code: 'artifact.mismatch',
      checked: `${bundle} for ${other}`,
      trust: join(here.dataDir, 'trust', 'trusted_root.json'),
      // As of an identity: what was asked for, and what the bundle has.
      expected: `sha256:${sha256('something else')}`,
      found: `sha256:${sha256(readFileSync(report))}`,
    });
    const line = ['verify-blob-attestation', '--type', 'agent-run', '--bundle', attested, ...here.pinned];
    expect(await here.refusal(...line, other)).toMatchObject({ exitCode: 12, code: 'statement.subject_mismatch' });
  });

  // biome-ignore lint/suspicious/noExplicitAny: a bundle is taken apart here
  const tampered = (change: (bundle: any) => void) => {
    const parsed = JSON.parse(readFileSync(bundle, 'utf8'));
    change(parsed);
    return here.file('tampered.json', parsed);
  };
  const flip = (base64: string) => {
    const bytes = Buffer.from(base64, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    return bytes.toString('base64');
  };

  test.each([
    ['signature.invalid', 12, (b) => (b.messageSignature.signature = flip(b.messageSignature.signature))],
    [
      'artifact.mismatch',
      12,
      (b) => (b.messageSignature.messageDigest.digest = flip(b.messageSignature.messageDigest.digest)),
    ],
    ['log_entry.missing', 13, (b) => (b.verificationMaterial.tlogEntries = [])],
    [
      'log_entry.inclusion_proof_invalid',
      13,
      (b) => (b.verificationMaterial.tlogEntries[0].inclusionProof.rootHash = flip(''.padEnd(44, 'A'))),
    ],
    ['bundle.unsupported_media_type', 13, (b) => (b.mediaType = 'application/vnd.dev.sigstore.bundle.v9+json')],
    ['certificate.malformed', 13, (b) => (b.verificationMaterial.certificate.rawBytes = 'AAAA')],
    // biome-ignore lint/suspicious/noExplicitAny: as above
  ] as Array<[string, number, (bundle: any) => unknown]>)(
    'a tampered bundle: %s, exit %i',
    async (code, exitCode, change) => {
      const refused = await here.refusal('verify-blob', '--bundle', tampered(change), ...here.pinned, report);
      expect(refused).toMatchObject({
        exitCode,
        code,
        checked: expect.stringMatching('tampered.json'),
        trust: expect.any(String),
      });
    },
  );

  test('an attestation is no signature, and a signature no attestation', async () => {
    const asSignature = await here.refusal('verify-blob', '--bundle', attested, ...here.pinned, report);
    expect(asSignature).toMatchObject({
      exitCode: 12,
      code: 'signature.not_a_signature',
      checked: `${attested} for ${report}`,
    });
    const line = ['verify-blob-attestation', '--type', 'agent-run', '--bundle', bundle, ...here.pinned, report];
    expect((await here.refusal(...line)).exitCode).toBeGreaterThanOrEqual(12);
  });

  test('an attestation of another type', async () => {
    const line = ['verify-blob-attestation', '--type', 'agent-review', '--bundle', attested, ...here.pinned, report];
    expect(await here.refusal(...line)).toMatchObject({ exitCode: 12, code: 'statement.predicate_type_mismatch' });
  });

  test.each([
    ['identity.subject_mismatch', ['--certificate-identity', 'agent:code-fixer']],
    ['identity.subject_mismatch', ['--certificate-identity-regexp', 'agent:code']],
    ['identity.issuer_mismatch', ['--certificate-oidc-issuer', 'https://other.example']],
    ['identity.trigger_mismatch', ['--certificate-github-workflow-trigger', 'push']],
    ['identity.repository_mismatch', ['--certificate-github-workflow-repository', 'acme/other']],
    ['identity.sha_mismatch', ['--certificate-github-workflow-sha', 'f'.repeat(40)]],
  ])('%s: expected and found are shown', async (code, flags) => {
    const base: Record<string, string> = {
      '--certificate-identity': 'agent:code-writer',
      '--certificate-oidc-issuer': here.url,
    };
    if (flags[0]!.startsWith('--certificate-identity')) delete base['--certificate-identity'];
    delete base[flags[0]!];
    const line = ['verify-blob', '--bundle', bundle, ...Object.entries(base).flat(), ...flags, report];
    const refused = await here.refusal(...line);
    expect(refused).toMatchObject({ exitCode: 12, code, expected: flags[1] });
    if (code !== 'identity.trigger_mismatch') expect(refused).toHaveProperty('found');
  });

  test.each([
    ['identity.issuer_missing', ['--certificate-identity', 'agent:x']],
    ['identity.unconstrained', ['--certificate-oidc-issuer', 'https://i']],
    ['identity.unconstrained', ['--certificate-oidc-issuer', 'https://i', '--certificate-identity-regexp', '(a|.*)']],
    [
      'identity.pattern_invalid',
      ['--certificate-oidc-issuer', 'https://i', '--certificate-identity-regexp', '^agent:('],
    ],
  ])('%s: a verification that pins nothing is refused before anything is read', async (code, flags) => {
    for (const line of [
      ['verify-blob', '--bundle', '/nowhere', '/nowhere-either'],
      ['verify', 'localhost:1/x'],
    ]) {
      const refused = await here.refusal(...line, ...flags);
      if (refused.code !== 'cli.file_unreadable') expect(refused).toMatchObject({ exitCode: 1, code });
    }
    expect(await here.refusal('verify', 'localhost:1/x', ...flags)).toMatchObject({ exitCode: 1, code });
  });
});

describe('roots', () => {
  test('those of another installation trust nothing here', async () => {
    const other = await install(onTestFinished);
    const root = ['--trusted-root', join(other.dataDir, 'trust', 'trusted_root.json')];
    expect(await here.refusal('verify-blob', ...root, '--bundle', bundle, ...here.pinned, report)).toMatchObject({
      exitCode: 13,
      trust: root[1],
    });
    expect((await here.refusal('verify', ...root, ...here.pinned, image)).exitCode).toBeGreaterThanOrEqual(12);
    const decided = await here.run('admit', ...root, image, '--policy', policy, '-o', 'json');
    expect(decided.exitCode).toBe(20);
    expect(documentOf(decided)).toMatchObject({ admitted: false });
    expect(await here.refusal('log', 'search', ...root, '--artifact', report)).toMatchObject({ exitCode: 13 });
    const signed = await here.refusal(
      'sign-blob',
      ...root,
      '--bundle',
      join(here.folder, 'no.json'),
      ...CONTEXT,
      report,
    );
    expect(signed).toMatchObject({ exitCode: 13, code: 'signing.verification_failed' });
    expect(existsSync(join(here.folder, 'no.json'))).toBe(false);
  });

  test('without any, nothing is verified', async () => {
    const env = { COLOPHON_HOME: temporaryFolder(onTestFinished) };
    for (const line of [
      ['verify-blob', '--bundle', bundle, ...here.pinned, report],
      ['verify', ...here.pinned, image],
      ['admit', image, '--policy', policy],
      ['log', 'search', '--rekor-url', here.url, '--artifact', report],
    ]) {
      const ran = await runLine([...line, '-o', 'json'], env);
      expect(ran.exitCode).toBe(1);
      expect(documentOf(ran).error).toMatchObject({
        code: 'cli.no_trusted_root',
        next: expect.stringMatching('colophon up'),
      });
    }
  });
});

describe('peers', () => {
  test('no issuer is known', async () => {
    const env = { COLOPHON_HOME: temporaryFolder(onTestFinished) };
    const urls = ['--fulcio-url', here.url, '--rekor-url', here.url];
    const signed = await runLine(['sign-blob', ...urls, ...CONTEXT, report, '-o', 'json'], env);
    expect(signed.exitCode).toBe(1);
    expect(documentOf(signed).error.code).toBe('cli.no_issuer');
    expect((await runLine(['token', ...CONTEXT], env)).stderr).toMatch('cli.no_issuer');
    expect((await runLine(['query', 'runs'], env)).stderr).toMatch('cli.no_issuer');
    const nothing = await runLine(['sign-blob', ...CONTEXT, report, '-o', 'json'], env);
    expect(documentOf(nothing).error).toMatchObject({ code: 'cli.no_signing_services', next: 'colophon up' });
  });

  test('an issuer that is down: exit 3, and what to do', async () => {
    const dead = await deadUrl();
    const failure = { exitCode: 3, code: 'issuer.unreachable', checked: `${dead}/oauth/token` };
    expect(await here.refusal('sign-blob', '--issuer', dead, ...CONTEXT, report)).toMatchObject(failure);
    expect(await here.refusal('sign', '--issuer', dead, ...CONTEXT, image)).toMatchObject(failure);
    expect(await here.refusal('review', 'approve', report, ...APPROVE, '--issuer', dead)).toMatchObject(failure);
    expect((await here.run('token', '--issuer', dead, ...CONTEXT)).exitCode).toBe(3);
    const evidence = { exitCode: 3, code: 'evidence.unreachable', next: 'colophon up' };
    expect(await here.refusal('query', '--evidence-url', dead, 'runs')).toMatchObject(evidence);
    expect(await here.refusal('evidence', 'import', '--evidence-url', dead, attested)).toMatchObject(evidence);
  });

  test('an authority, a log or a registry that is down: exit 3', async () => {
    const dead = await deadUrl();
    const sign = (...urls: string[]) =>
      here.refusal('sign-blob', ...urls, '--use-signing-config=false', ...CONTEXT, report);
    expect(await sign('--fulcio-url', dead, '--rekor-url', here.url)).toMatchObject({
      exitCode: 3,
      code: 'signing.ca_unavailable',
      checked: report,
    });
    expect(await sign('--fulcio-url', here.url, '--rekor-url', dead)).toMatchObject({
      exitCode: 3,
      code: 'signing.log_unavailable',
      checked: report,
    });
    const gone = `${dead.replace('http://', '')}/webshop@sha256:${'a'.repeat(64)}`;
    const failure = { exitCode: 3, code: 'registry.unreachable', checked: gone };
    expect(await here.refusal('verify', ...here.pinned, gone)).toMatchObject(failure);
    const covering = here.file('gone.yaml', policyText(here.url, dead.replace('http://', '')));
    expect(await here.refusal('admit', gone, '--policy', covering)).toMatchObject(failure);
    expect(await here.refusal('sign', ...CONTEXT, gone)).toMatchObject(failure);
    expect(await here.refusal('review', 'approve', gone, ...APPROVE)).toMatchObject(failure);
    expect(await here.refusal('log', 'search', '--rekor-url', dead, '--artifact', report)).toMatchObject({
      exitCode: 3,
      code: 'log.unavailable',
    });
  });

  test('what the issuer refuses is told with field and code, and is not signed', async () => {
    const given = CONTEXT.map((word, i) => (CONTEXT[i - 1] === '--prompt-hash' ? 'xyz' : word));
    const wrong = ['--context', here.file('forged.json', { sub: 'agent:root' }), ...given];
    const refused = await here.refusal('sign-blob', ...wrong, '--bundle', join(here.folder, 'no.json'), report);
    expect(refused).toMatchObject({ exitCode: 20, code: 'issuer.refused', checked: `${here.url}/oauth/token` });
    const codes = refused.issues.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`);
    expect(codes).toEqual(
      expect.arrayContaining(['request.claim_reserved /sub', 'request.field_invalid /prompt_hash']),
    );
    expect(existsSync(join(here.folder, 'no.json'))).toBe(false);
  });

  test('evidence that cannot be kept does not undo a signature, and is said', async () => {
    const broken = await startPeer(onTestFinished, (_request, response) => response.writeHead(503).end('\u001b[2J'));
    const token = (await here.run('token', ...CONTEXT)).stdout;
    const predicate = ['--type', 'agent-run', '--predicate', join(here.folder, 'agent-run.json')];
    const out = ['--bundle', join(here.folder, 'unkept.json')];
    const line = ['attest-blob', ...predicate, '--identity-token', token, '--issuer', broken.url, ...out];
    const { exitCode, stderr } = await here.run(...line, report);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^note: signed, but not kept as evidence/);
    expect((await here.run(...line, '--no-evidence', report)).stderr).toBe('');
  });
});

describe('reviews', () => {
  test('nobody reviews without the secret', async () => {
    const env = { ...here.env, XDG_CONFIG_HOME: temporaryFolder(onTestFinished) };
    const ran = await runLine(['review', 'approve', report, ...APPROVE, '-o', 'json'], env);
    expect(ran.exitCode).toBe(4);
    expect(documentOf(ran).error).toMatchObject({
      code: 'cli.no_reviewer_secret',
      next: expect.stringMatching('colophon up'),
    });
  });

  test('a wrong secret is refused by the issuer, and not printed', async () => {
    const config = temporaryFolder(onTestFinished);
    const secret = 'w'.repeat(43);
    mkdirSync(join(config, 'colophon'));
    writeFileSync(join(config, 'colophon', 'reviewer-secret'), secret);
    const ran = await runLine(['review', 'approve', report, ...APPROVE, '-o', 'json'], {
      ...here.env,
      XDG_CONFIG_HOME: config,
    });
    expect(ran.exitCode).toBe(4);
    expect(documentOf(ran).error.code).toBe('issuer.refused');
    expect(ran.stdout).not.toContain(secret);
  });

  test('the secret is shown to no other machine', async () => {
    expect(
      await here.refusal('review', 'approve', report, ...APPROVE, '--issuer', 'https://issuer.example'),
    ).toMatchObject({
      exitCode: 4,
      code: 'cli.no_reviewer_secret',
      found: 'https://issuer.example',
    });
  });

  test.each([
    ['--reviewer', 'nobody'],
    ['--reviewer', 'a@b@c'],
    ['--commit-sha', 'abc'],
    ['--commit-sha', 'HEAD'],
    ['--duration', 'abc'],
    ['--duration', '-1'],
    ['--duration', '1.5'],
    ['--duration', '1e3'],
    ['--duration', 'NaN'],
    ['--duration', ' '],
    ['--comment', ''],
  ])('%s %s is a usage error', async (flag, value) => {
    const { token_count } = await here.document('ledger', 'verify');
    const rest = APPROVE.filter((word, i) => word !== flag && APPROVE[i - 1] !== flag);
    const flags = [...rest, flag, value];
    expect(await here.refusal('review', 'approve', report, ...flags)).toMatchObject({ exitCode: 1, code: 'cli.usage' });
    expect(await here.document('ledger', 'verify')).toMatchObject({ token_count });
  });

  test('a file that is not there is not taken for an image', async () => {
    const missing = join(here.folder, 'missing');
    const failure = { exitCode: 1, code: 'cli.file_unreadable', checked: missing };
    expect(await here.refusal('review', 'approve', missing, ...APPROVE)).toMatchObject(failure);
    expect(await here.refusal('review', 'approve', here.folder, ...APPROVE)).toMatchObject({
      exitCode: 1,
      code: 'cli.file_unreadable',
    });
  });
});

describe('images', () => {
  test.each([
    '',
    'UPPER/case:x',
    'localhost:1/x@sha256:abc',
    'a b',
    'localhost:1/x:y:z',
    'x@sha256:',
    `x${'y'.repeat(600)}`,
  ])('%j is no image reference: exit 1', async (reference) => {
    const failure = { exitCode: 1, code: 'registry.reference_invalid' };
    expect(await here.refusal('verify', ...here.pinned, reference)).toMatchObject(failure);
    expect(await here.refusal('admit', reference, '--policy', policy)).toMatchObject(failure);
    expect(await here.refusal('sign', ...CONTEXT, reference)).toMatchObject(failure);
  });

  test('an image that is not there: exit 11', async () => {
    for (const name of ['webshop-nothing:latest', `webshop@sha256:${'a'.repeat(64)}`]) {
      const reference = `${here.registry}/${name}`;
      const failure = { exitCode: 11, code: 'registry.not_found', checked: reference };
      expect(await here.refusal('verify', ...here.pinned, reference)).toMatchObject(failure);
      expect(await here.refusal('admit', reference, '--policy', policy)).toMatchObject(failure);
      expect(
        await here.refusal('attest', '--predicate', join(here.folder, 'agent-run.json'), ...CONTEXT, reference),
      ).toMatchObject(failure);
    }
  });

  test('an image without a signature: exit 10; one by somebody else: exit 12, with the reason of each', async () => {
    const unsigned = await here.push('webshop-unsigned');
    expect(await here.refusal('verify', ...here.pinned, unsigned)).toMatchObject({
      exitCode: 10,
      code: 'image.no_signatures',
    });
    const line = ['verify-attestation', '--type', 'agent-run', ...here.pinned, unsigned];
    expect(await here.refusal(...line)).toMatchObject({ exitCode: 10, code: 'image.no_attestations' });
    const other = ['--certificate-identity', 'agent:somebody', '--certificate-oidc-issuer', here.url];
    const refused = await here.refusal('verify', ...other, image);
    expect(refused).toMatchObject({ exitCode: 12, code: 'image.no_valid_signatures', checked: image });
    expect(refused.issues[0]).toMatchObject({ code: 'identity.subject_mismatch' });
  });

  test('an image that may not run is a decision with its reasons, and no error', async () => {
    const unreviewed = await here.push('webshop-unreviewed');
    await here.document('sign', ...CONTEXT, unreviewed);
    const ran = await here.run('admit', unreviewed, '--policy', policy, '-o', 'json');
    expect(ran).toMatchObject({ exitCode: 20, stderr: '' });
    expect(documentOf(ran)).toMatchObject({ admitted: false, reasons: [{ code: 'admission.review_missing' }] });
    expect((await here.run('admit', unreviewed, '--policy', policy)).stdout).toMatch(
      /^refused[\s\S]*admission\.review_missing/,
    );
  });

  test('every issue of a broken policy is told with its line, and nothing is decided', async () => {
    const broken = here.file(
      'broken.yaml',
      `version: 2\nimages: []\nagnet: {}\nagent:\n  issuer: ''\n  subjectRegExp: '('\n`,
    );
    const refused = await here.refusal('admit', image, '--policy', policy, '--policy', broken);
    expect(refused).toMatchObject({ exitCode: 1, code: 'cli.policy_invalid', checked: broken });
    expect(refused.issues.length).toBeGreaterThan(3);
    for (const issue of refused.issues)
      expect(issue).toMatchObject({ code: expect.stringMatching(/^policy\./), line: expect.any(Number) });
    const { stderr } = await here.run('admit', image, '--policy', broken);
    expect(stderr).toMatch(/\/agnet, line 3:\d+: .*\[policy\.unknown_key\]/);
  });
});

describe('log, query and ledger', () => {
  test('an entry that is not there: exit 11', async () => {
    expect(await here.refusal('log', 'get', '--log-index', '999999')).toMatchObject({
      exitCode: 11,
      code: 'log.not_found',
      checked: expect.stringMatching('999999'),
    });
    expect(await here.refusal('log', 'get', '--uuid', 'a'.repeat(80))).toMatchObject({ exitCode: 11 });
    expect(await here.refusal('log', 'search', '--sha', 'b'.repeat(64))).toMatchObject({
      exitCode: 11,
      code: 'cli.entry_not_found',
      checked: `sha256:${'b'.repeat(64)}`,
    });
  });

  test.each([
    [['get']],
    [['get', '--log-index', 'x']],
    [['get', '--log-index', '-1']],
    [['get', '--uuid', '../../etc/passwd']],
    [['get', '--uuid', 'a'.repeat(65)]],
    [['get', '--log-index', '1', '--uuid', 'a'.repeat(80)]],
    [['search']],
    [['search', '--sha', 'abc']],
    [['search', '--sha', 'a'.repeat(64), '--artifact', 'x']],
    [['search', '--rekor-url', 'nowhere', '--sha', 'a'.repeat(64)]],
  ])('colophon log %j is a usage error', async (line) => {
    expect(await here.refusal('log', ...line)).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  });

  test.each([
    ['runs where review.duration <', 'query.syntax'],
    ['', 'query.unknown_set'],
    ['walks', 'query.unknown_set'],
    ['runs where agnet = a', 'query.unknown_field'],
    ['runs where review.duration < soon', 'query.value_invalid'],
    ["runs where agent ~ '('", 'query.pattern_invalid'],
    ['runs limit 0', 'query.limit_invalid'],
  ])('the question %j is refused with %s, and its place', async (question, code) => {
    const refused = await here.refusal('query', question);
    expect(refused).toMatchObject({ exitCode: 1, code, checked: `${here.url}/query` });
    expect(refused.issues[0].position).toBeGreaterThan(0);
    expect((await here.run('query', question)).stderr).toMatch(/character \d+: /);
  });

  test('nothing was ever started here: exit 11, and what to run', async () => {
    const env = { COLOPHON_HOME: join(temporaryFolder(onTestFinished), 'none') };
    for (const line of [['env'], ['ledger', 'verify'], ['ledger', 'export'], ['log', 'verify']]) {
      const ran = await runLine([...line, '-o', 'json'], env);
      expect(ran.exitCode).toBe(11);
      expect(documentOf(ran).error).toMatchObject({
        next: 'colophon up',
        checked: expect.stringMatching(env.COLOPHON_HOME),
      });
      expect(existsSync(env.COLOPHON_HOME)).toBe(false);
    }
  });

  test('a damaged data folder is told, whatever is asked of it', async () => {
    const data = temporaryFolder(onTestFinished);
    writeFileSync(join(data, 'installation.json'), '{');
    for (const line of [['env'], ['query', 'runs'], ['sign-blob', ...CONTEXT, report]]) {
      const ran = await runLine([...line, '-o', 'json'], {
        COLOPHON_HOME: data,
        COLOPHON_SIGNING_CONFIG: join(here.dataDir, 'trust', 'signing_config.json'),
      });
      expect(ran.exitCode).toBe(2);
      expect(documentOf(ran).error.code).toBe('server.data_folder_damaged');
    }
  });

  const copied = (change: (db: DatabaseSync) => void): NodeJS.ProcessEnv => {
    const copy = join(temporaryFolder(onTestFinished), 'data');
    cpSync(here.dataDir, copy, { recursive: true });
    const db = new DatabaseSync(join(copy, 'colophon.db'));
    change(db);
    db.close();
    return { ...here.env, COLOPHON_HOME: copy };
  };

  test('a ledger in which a row was changed or taken out does not verify: exit 13, and the row', async () => {
    const table = 'ledger';
    // Once a checkpoint covers every row: a row that is then taken out is missing below it too.
    await expect
      .poll(async () => documentOf(await runLine(['ledger', 'verify', '-o', 'json'], here.env)))
      .toSatisfy(({ token_count, integrated_count }) => token_count === integrated_count);
    for (const [code, sql] of [
      ['ledger.leaf_mismatch', `UPDATE ${table} SET payload = replace(payload, 'alice', 'mallo') WHERE seq = 2`],
      ['ledger.seq_gap', `DELETE FROM ${table} WHERE seq = 2`],
    ] as const) {
      const env = copied((db) => {
        const name = db
          .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%payload%' AND sql LIKE '%salt%'")
          .get()?.['name'];
        db.exec(sql.replace(` ${table} `, ` ${name} `));
      });
      const ran = await runLine(['ledger', 'verify', '-o', 'json'], env);
      expect(ran.exitCode).toBe(13);
      const { error } = documentOf(ran);
      expect(error).toMatchObject({
        code: 'cli.ledger_invalid',
        checked: expect.stringMatching('colophon.db'),
        trust: expect.stringMatching('ledger.pub'),
      });
      expect(error.issues.map((issue: { code: string }) => issue.code)).toContain(code);
    }
    expect(
      (
        await runLine(
          ['ledger', 'verify'],
          copied(() => {}),
        )
      ).exitCode,
    ).toBe(0);
  });

  test('a ledger is held against its own key', async () => {
    const other = join(here.dataDir, 'trust', 'rekor.pub');
    expect(await here.refusal('ledger', 'verify', '--key', other)).toMatchObject({
      exitCode: 13,
      code: 'cli.ledger_invalid',
      trust: other,
    });
  });
});

test('no token, secret or key was ever printed', async () => {
  const secret = readFileSync(join(here.folder, 'config', 'colophon', 'reviewer-secret'), 'utf8').trim();
  const token = (await here.run('token', ...CONTEXT)).stdout;
  const lines = [
    ['sign-blob', '--identity-token', `${token}x.y`, report],
    ['sign-blob', '--identity-token', token.slice(0, -5), '--bundle', join(here.folder, 'no.json'), report],
    ['review', 'approve', report, ...APPROVE, '--issuer', await deadUrl()],
    ['review', 'approve', `${here.registry}/nothing:x`, ...APPROVE],
    ['inspect', here.file('token.jwt', token)],
  ];
  for (const line of lines) {
    for (const format of ['json', 'table']) {
      const { stdout, stderr } = await here.run(...line, '-o', format);
      expect(stdout + stderr).not.toContain(secret);
      expect(stdout + stderr).not.toContain(token.slice(-40));
    }
  }
});
