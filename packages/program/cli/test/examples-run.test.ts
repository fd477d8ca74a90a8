import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CONFIGURATION_EXAMPLE } from '@colophon/server/configuration';
import { RegistryClient } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImage, pushImage } from '../src/demo/oci-image.ts';
import { OFFICIAL_FEED } from '../src/known-exploited/catalog-source.ts';
import { commandNamed } from '../src/program/command-table.ts';
import { runLine, runOnScreen, wholeProgram } from './command-line.ts';
import { examplesOfAll, wordsOf } from './help-examples.ts';
import { type Installation, install, policyText } from './installation.ts';
import { DANA_PRIVATE_KEY, DANA_PUBLIC_KEY } from './openpgp-key.ts';
import { grypeOutput, shopSbom } from './shop-scans.ts';

/** Examples that are not run, each with the reason; that the program takes them is tested elsewhere. */
const NOT_RUN: Readonly<Record<string, string>> = {
  demo: 'a test of its own runs it',
  up: 'serves until it is ended',
  serve: 'serves until it is ended',
  run: 'runs a coding agent',
  'admission serve': 'serves until it is ended',
  'witness serve': 'serves until it is ended',
  'admission certificates': 'needs a cluster',
  init: 'asks the services of a company',
  'sbom upload': 'needs a dashboard',
  'ledger restore': 'needs a ledger that is lost, and no server',
  'log restore': 'needs logs that are lost, and no server',
  'scan run': 'needs a scanner',
};
/** Lines that are not run. */
const NOT_RUN_LINES: readonly RegExp[] = [
  /^grype /, // a scanner, and a pipe
  /^helm /, // a renderer of charts, and a pipe
  /^colophon schedule run --rescan/, // runs until it is ended
  /^colophon doctor --registry/, // a registry of a company
];

/** Added to the examples of a command, so that they ask nothing of this machine. */
const ADDED: Readonly<Record<string, readonly string[]>> = { 'sbom create': ['--generator', 'lockfile'] };
/** Variables of a line: the day of the build, before all that comes after it; what stands before a program's name. */
const VARIABLES: Readonly<Record<string, NodeJS.ProcessEnv>> = {
  'sbom create': { SOURCE_DATE_EPOCH: String(Date.parse('2026-01-05T07:00:00Z') / 1000) },
  'generate-key-pair': { COSIGN_PASSWORD: 'correct-horse' },
};

/** What takes the place of what nobody can know beforehand. */
const UNKNOWN: Record<string, string> = {};
/** Commands in the order in which their examples run. */
const ORDER: readonly string[] = [
  'completion',
  'config example',
  'config check',
  'env',
  'health',
  'doctor',
  'notices',
  'hash prompt',
  'hash policy',
  'witness public-key',
  'import git-ai',
  'import agent-trace',
  'token',
  'generate-key-pair',
  'sign-blob',
  'attest-blob',
  'verify-blob',
  'verify-blob-attestation',
  'sign',
  'attest',
  'verify',
  'verify-attestation',
  'review approve',
  'admit',
  'admission lint',
  'admission test',
  'admission generate',
  'explain',
  'pack',
  'review reject',
  'review list',
  'review withdraw',
  'attachments',
  'log search',
  'log get',
  'log checkpoint',
  'log verify',
  'query',
  'evidence import',
  'inspect',
  'keys list',
  'keys rotate',
  'keys revoke',
  'ledger checkpoint',
  'ledger verify',
  'ledger export',
  'ledger reconcile',
  'ledger erase',
  'callers key create',
  'callers key list',
  'callers key revoke',
  'callers list',
  'callers revoke',
  'sbom create',
  'sbom validate',
  'sbom patch',
  'sbom diff',
  'sbom attribute',
  'sbom convert',
  'sbom similarity',
  'sbom similarity index',
  'sbom vendor',
  'sbom licenses',
  'sbom comments',
  'sbom publish',
  'sbom fetch',
  'sbom retention check',
  'sbom retention restore',
  'sbom unpublish',
  'scan import',
  'kev update',
  'kev status',
  'kev show',
  'kev history',
  'kev diff',
  'kev enrich',
  'remediation open',
  'remediation list',
  'remediation show',
  'remediation update',
  'remediation escalate',
  'remediation void',
  'vex create',
  'vex set',
  'vex validate',
  'vex show',
  'vex convert',
  'vex merge',
  'vex sign',
  'vex verify',
  'vex apply',
  'remediation close',
  'remediation verify',
  'remediation export',
  'remediation evidence',
  'report quarterly',
  'report verify',
  'schedule run',
  'schedule list',
];
/** The exits of those that end otherwise than with 0. */
const EXITS: Readonly<Record<string, number>> = {
  'sbom diff': 12, // another version
  'sbom unpublish': 20, // to be kept for three years
  'kev enrich': 21, // one is exploited
};

/** A second agent, who signs too. */
const BY_FIXER = ['--context', 'context.json', '--agent-name', 'code-fixer'];

const LEFT_PAD = `module.exports = leftPad;
function leftPad(str, len, ch) {
  str = str + '';
  len = len - str.length;
  if (len <= 0) return str;
  if (!ch && ch !== 0) ch = ' ';
  ch = ch + '';
  var pad = '';
  while (true) {
    if (len & 1) pad += ch;
    len >>= 1;
    if (len) ch += ch;
    else break;
  }
  return pad + str;
}
`;
const LOCKFILE = {
  name: 'shop',
  version: '1.0.0',
  lockfileVersion: 3,
  packages: {
    '': { name: 'shop', version: '1.0.0', dependencies: { 'left-pad': '1.3.0', 'log4j-core': '2.14.1' } },
    'node_modules/left-pad': { version: '1.3.0', license: 'WTFPL' },
    'node_modules/log4j-core': { version: '2.14.1', license: 'Apache-2.0' },
  },
};

const CASES = join(import.meta.dirname, '../../../../docs/admission-cases');

/** What has to be there before the examples of a command can run, and no example makes. */
const BEFORE: Readonly<Record<string, () => Promise<void> | void>> = {
  'hash prompt': () => writeFileSync('messages.json', '[{"role":"user","content":"Fix the bug."}]'),
  'import git-ai': () => {
    const agent_id = { tool: 'claude', id: 'x', model: 'claude-sonnet-4-5' };
    const metadata = { schema_version: 'authorship/3.0.0', prompts: {}, sessions: { s_1: { agent_id } } };
    const note = `lib/pad.js\n  s_1::t_1 1-3\n---\n${JSON.stringify(metadata)}`;
    git(...BY_ALICE, 'notes', '--ref', 'ai', 'add', '--message', note);
  },
  'import agent-trace': () => {
    const vcs = { type: 'git', revision: UNKNOWN['HEAD'] };
    const conversations = [{ contributor: { type: 'ai' }, ranges: [{ start_line: 1, end_line: 3 }] }];
    const files = [{ path: 'lib/pad.js', conversations }];
    lay('.agent-trace/traces.jsonl', { version: '0.1.0', vcs, tool: { name: 'cursor' }, files });
  },
  'admission test': () => cpSync(CASES, 'policy-cases', { recursive: true }),
  'config check': () => writeFileSync('colophon.yaml', CONFIGURATION_EXAMPLE),
  'verify-blob': async () => {
    await here.document('sign-blob', ...BY_FIXER, '--bundle', 'fixer.sigstore.json', 'change.patch');
    lay('signers.yaml', `- issuer: ${here.url}\n  subject: agent:code-fixer\n`);
  },
  verify: async () => {
    await here.document('sign', ...BY_FIXER, `${here.registry}/webshop:1.0`);
  },
  attachments: async () => {
    const by = ['--reviewer', 'alice@example.com', '--commit-sha', UNKNOWN['HEAD'] ?? ''];
    await here.document('review', 'approve', ...by, '--bundle', 'review.sigstore.json');
  },
  'review withdraw': async () => {
    const { rejections } = await here.document('review', 'list');
    UNKNOWN['ID'] = rejections[0].id;
  },
  'callers key revoke': async () => {
    const { keys } = await here.document('callers', 'key', 'list');
    UNKNOWN['KEY-ID'] = keys[0].key_id;
  },
  'ledger erase': async () => {
    const records = JSON.parse((await here.run('ledger', 'export')).stdout);
    UNKNOWN['JTI'] = records[0].jti;
  },
  'keys revoke': async () => {
    const { keys } = await here.document('keys', 'list');
    UNKNOWN['KID'] = keys.at(-1).kid;
  },
  'sbom retention restore': () => cpSync(join(here.dataDir, 'sboms'), 'backup', { recursive: true }),
  'kev update': async () => {
    for (const year of [2024, 2025]) await here.document('kev', 'update', '--kev', `${year}.json`);
    UNKNOWN[OFFICIAL_FEED] = 'known_exploited_vulnerabilities.json';
  },
  'vex validate': async () => {
    const says = ['--vulnerability', 'CVE-2024-1234', '--status', 'under_investigation', '--sbom', 'app.cdx.json'];
    const out = ['--author', 'vendor@example.com', '--out', 'vendor.openvex.json'];
    await here.document('vex', 'create', ...says, ...out);
    cpSync('vendor.openvex.json', 'vendors/vendor.json');
  },
  'remediation evidence': () => {
    UNKNOWN['DIGEST'] = `sha256:${createHash('sha256').update(readFileSync('app.cdx.json')).digest('hex')}`;
  },
};

const examples = await examplesOfAll();
const cleanup = cleanupAt(afterAll);
let here: Installation;

function lay(name: string, content: string | object): void {
  mkdirSync(dirname(join(here.folder, name)), { recursive: true });
  here.file(name, content);
}

const git = (...line: string[]) =>
  execFileSync('git', line, { cwd: here.folder, env: { ...process.env, ...here.env } });

const BY_ALICE = ['-c', 'user.name=Alice', '-c', 'user.email=alice@example.com'];

beforeAll(async () => {
  here = await install(cleanup);
  const before = process.cwd();
  process.chdir(here.folder);
  cleanup(() => process.chdir(before));
  await layProject();
  layTriage();
});

/** A repository of the shop, what the run was given, and the image that was built. */
async function layProject(): Promise<void> {
  lay('lib/pad.js', LEFT_PAD.replaceAll('str', 'text'));
  lay('node_modules/left-pad/index.js', LEFT_PAD);
  lay('node_modules/left-pad/package.json', { name: 'left-pad', version: '1.3.0', license: 'WTFPL' });
  lay('node_modules/log4j-core/package.json', { name: 'log4j-core', version: '2.14.1', license: 'Apache-2.0' });
  lay('package.json', {
    name: 'shop',
    version: '1.0.0',
    dependencies: { 'left-pad': '1.3.0', 'log4j-core': '2.14.1' },
  });
  lay('package-lock.json', LOCKFILE);
  lay('.gitignore', '*\n!lib\n!lib/*\n!package*.json\n');
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '.');
  git(...BY_ALICE, 'commit', '--quiet', '--message', 'Pad the names');
  const head = git('rev-parse', 'HEAD').toString().trim();
  UNKNOWN['HEAD'] = head;
  lay('prompt.txt', 'Pad the names of the products.');
  lay('policy.yaml', 'review: required');
  lay('policies/review.yaml', 'review: required');
  lay('policies/licences.yaml', 'allow: [MIT]');
  lay('change.patch', '+ padded');
  lay('context.json', {
    agent_name: 'code-writer',
    agent_version: '2.4.1',
    model_id: 'large-model-2026-05-14',
    model_provider: 'anthropic',
    prompt_hash: '5a'.repeat(32),
    policy_pack_hash: 'c3'.repeat(32),
    human_reviewer: 'alice@example.com',
    commit_sha: head,
  });
  lay('admission.yaml', policyText(here.url, here.registry));
  const labels = { 'org.opencontainers.image.revision': head };
  const image = buildImage({ files: { 'app/NAME': Buffer.from('shop') }, labels });
  for (const repository of ['webshop', 'webshop-clean']) {
    await pushImage(new RegistryClient(), { registry: here.registry, repository }, '1.0', image);
  }
}

/** What scanners, a vendor and the publisher of the catalog say. */
function layTriage(): void {
  const version = '2.14.1';
  const found = ['CVE-2021-44228', 'CVE-2021-45105', 'CVE-2024-1234'].map((cve) => ({
    name: 'log4j-core',
    version,
    cve,
  }));
  const output = grypeOutput({ day: '2026-01-06', found });
  lay('grype.json', output);
  lay('trivy.json', output);
  lay('scan.json', output);
  const components = [{ name: 'log4j-core', version: '2.17.1' }];
  lay('new.cdx.json', shopSbom({ day: '2026-01-30', components }));
  lay('new-scan.json', grypeOutput({ day: '2026-01-30', found: [] }));
  lay('dana.key', DANA_PRIVATE_KEY);
  lay('dana.pub', DANA_PUBLIC_KEY);
  const [first, second, third] = ['2024.10.22', '2025.08.25', '2026.01.05'].map((catalogVersion) => ({
    catalogVersion,
    count: 1,
    vulnerabilities: [{ cveID: 'CVE-2021-44228', vendorProject: 'Apache', product: 'Log4j2', dateAdded: '2021-12-10' }],
  }));
  lay('2024.json', first as object);
  lay('2025.json', second as object);
  lay('known_exploited_vulnerabilities.json', third as object);
}
function exampleWords(line: string, path: string): string[] {
  const words = wordsOf(line, { 'git rev-parse HEAD': UNKNOWN['HEAD'] ?? '' }).map((word) => {
    for (const [name, value] of Object.entries(UNKNOWN)) {
      if (word === name || word === `sha256:${name}`) return value;
    }
    return word.replaceAll('localhost:7080', here.registry);
  });
  return [...words, ...(ADDED[path] ?? [])];
}

const runExample = (line: string, path: string) =>
  runLine(exampleWords(line, path), { ...here.env, ...VARIABLES[path] });

test('every command is run, or has a reason why not', () => {
  expect([...ORDER, ...Object.keys(NOT_RUN)].toSorted()).toEqual([...examples.keys()].toSorted());
});

test.each(ORDER)('colophon %s runs as its help has it', async (path) => {
  await BEFORE[path]?.();
  const exit = EXITS[path] ?? 0;
  for (const line of examples.get(path) ?? []) {
    if (NOT_RUN_LINES.some((one) => one.test(line))) continue;
    const { exitCode, stderr } = await runExample(line, path);
    expect({ line, exitCode, stderr: exitCode === exit ? '' : stderr }).toEqual({ line, exitCode: exit, stderr: '' });
  }
});

const MOVES = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
/** Every character that may stand in the name of a file and moves, ends or turns a line. */
const MOVING = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code))
  .filter((character) => character.match(MOVES) && !'\0\n'.includes(character))
  .join('');

/** A copy of a file under a name that moves the screen, with such text in it where it is JSON. */
function hostileCopy(name: string): string {
  const copy = `${MOVING}${name.replaceAll('/', '-')}`;
  let content: string | Uint8Array = readFileSync(name);
  try {
    const isShown = /^(?:name|title|description|comment|author|product|vendorProject|details)$/;
    const document = JSON.parse(content.toString(), (key, value) =>
      isShown.test(key) && typeof value === 'string' ? `${value}${MOVING}\n` : value,
    );
    content = JSON.stringify(document);
  } catch {
    // It is no JSON: its name will do.
  }
  writeFileSync(copy, content);
  return copy;
}

const table = await wholeProgram();
const formsOf = (path: string): readonly string[] =>
  commandNamed(table, path.split(' ')).options.find(({ long }) => long === '--output')?.argChoices ?? [''];
const onScreen = ORDER.flatMap((path) => formsOf(path).map((form) => [path, form] as const));
let escaped = 0;

test.each(onScreen)('colophon %s moves no screen by what it is given, in the form %j', async (path, form) => {
  for (const line of examples.get(path) ?? []) {
    if (NOT_RUN_LINES.some((one) => one.test(line))) continue;
    const isFile = (word: string) => statSync(word, { throwIfNoEntry: false })?.isFile() === true;
    const words = exampleWords(line, path);
    const hostile = words.some(isFile)
      ? words.map((word) => (isFile(word) ? hostileCopy(word) : word))
      : words.map((word, at) => (at < path.split(' ').length || word.startsWith('-') ? word : `${word}${MOVING}`));
    const ran = await runOnScreen([...hostile, ...(form === '' ? [] : ['--output', form])], here.env);
    if (ran === undefined) continue;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that we write ourselves
    const unstyled = ran.stdout.replaceAll(/\u001b\[[0-9;]*m/g, '');
    const seen = `${unstyled}${ran.stderr}`.replaceAll('\n', '').replaceAll('\t', '');
    expect({ hostile, moving: seen.match(MOVES) }).toEqual({ hostile, moving: null });
    if (/\\u009b|\\u\{9b\}/.test(seen)) escaped += 1;
  }
});

test('what moves a screen reached most of them', () => {
  expect(escaped).toBeGreaterThan(onScreen.length / 2);
});
