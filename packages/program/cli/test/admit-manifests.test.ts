import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentOf, type Ran } from './command-line.ts';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const PROGRAM = join(import.meta.dirname, '../bin/colophon.js');
const cleanup = cleanupAt(afterAll);
let here: Installation;
let policy: string;
let reviewed: string;
let unreviewed: string;

beforeAll(async () => {
  here = await install(cleanup);
  policy = here.file('policy.yaml', policyText(here.url, here.registry));
  reviewed = await here.push('webshop');
  unreviewed = await here.push('webshop-unreviewed');
  for (const image of [reviewed, unreviewed]) await here.document('sign', ...CONTEXT, image);
  await here.document('review', 'approve', reviewed, '--reviewer', 'alice@example.com', '--commit-sha', COMMIT);
});
const admit = (...paths: string[]): Promise<Ran> =>
  here.run('admit', '--policy', policy, ...paths.flatMap((path) => ['-f', path]), '-o', 'json');

/** `apiVersion kind namespace/name admitted reasons`, then a line for each image. */
const shown = (ran: Ran) =>
  documentOf(ran).objects.map(
    // biome-ignore lint/suspicious/noExplicitAny: the document has a schema of its own
    ({ kind, name, admitted, reasons, images }: any) => [
      `${kind} ${name} ${admitted ? 'admitted' : 'refused'}`,
      ...codesOf(reasons),
      // biome-ignore lint/suspicious/noExplicitAny: as above
      ...images.map((one: any) => [one.place, ...codesOf(one.reasons)].join(' ')),
    ],
  );
const codesOf = (reasons: ReadonlyArray<{ readonly code: string }>) => reasons.map(({ code }) => code);

const pod = (name: string, image: string) => `apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: shop }
spec: { containers: [{ name: web, image: "${image}" }] }
`;
const deployment = (name: string, image: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  template:
    spec:
      initContainers: [&setup { name: setup, image: "${image}" }]
      containers:
        - { <<: *setup, name: web }
`;
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: { name: web }\nspec: { ports: [] }\n';
const ROLLOUT = (image: string) =>
  deployment('rolled', image).replace('apps/v1', 'argoproj.io/v1alpha1').replace('kind: Deployment', 'kind: Rollout');

describe('colophon admit -f', () => {
  test('admits objects whose every image is admitted, as for the image alone', async () => {
    const file = here.file('good.yaml', `# a chart\n---\n${deployment('web', reviewed)}---\n${SERVICE}---\n`);
    const ran = await admit(file);
    expect([ran.exitCode, shown(ran)]).toEqual([
      0,
      [
        ['Deployment web admitted', 'spec.template.spec.containers[web]', 'spec.template.spec.initContainers[setup]'],
        ['Service web admitted'],
      ],
    ]);
    const { objects, ok, admitted } = documentOf(ran);
    const alone = await here.document('admit', reviewed, '--policy', policy);
    const { place, image, ...decided } = objects[0].images[0];
    const { ok: _, image: asked, trusted_root, ...expected } = alone;
    expect([ok, admitted, objects[0].file, place, image]).toEqual([
      true,
      true,
      file,
      'spec.template.spec.containers[web]',
      asked,
    ]);
    expect(decided).toEqual(expected);
    expect(documentOf(ran).trusted_root).toBe(trusted_root);
  });

  test('refuses with exit 20 where one image is refused, and says which and why', async () => {
    const file = here.file('mixed.yaml', `${pod('good', reviewed)}---\n${pod('bad', unreviewed)}`);
    const ran = await admit(file);
    expect([ran.exitCode, shown(ran)]).toEqual([
      20,
      [
        ['Pod good admitted', 'spec.containers[web]'],
        ['Pod bad refused', 'spec.containers[web] admission.review_missing'],
      ],
    ]);
    const { stdout, exitCode } = await here.run('admit', '--policy', policy, '-f', file);
    expect(exitCode).toBe(20);
    expect(stdout).toMatch(/^DECIDED +OBJECT +IMAGES? +REASONS/m);
    expect(stdout).toMatch(/^admitted +Pod shop\/good +/m);
    expect(stdout).toMatch(/^refused +Pod shop\/bad +.*admission\.review_missing/m);
    expect(documentOf(ran).objects.map((one: { document: number }) => one.document)).toEqual([1, 2]);
    expect(stdout).toContain(`\nPod shop/bad (document 2 of ${file})\n  spec.containers[web]\n`);
    expect(stdout).toMatch(/\n2 objects, 2 images: 1 refused\n$/);
  });

  test('refuses a file from which kubectl would create another Pod than the one that it shows', async () => {
    const hidden = pod('bad', unreviewed);
    const indented = hidden.replace(/^/gm, ' ');
    for (const [name, good] of [
      ['pod', pod('good', reviewed)],
      ['deployment', deployment('good', reviewed)],
    ] as const) {
      const file = here.file(
        `${name}-with-items.yaml`,
        `${good}items:\n  - ${hidden.trim().replaceAll('\n', '\n    ')}\n`,
      );
      const ran = await admit(file);
      expect([ran.exitCode, shown(ran)[0].slice(1)]).toEqual([20, ['kubernetes.object_malformed']]);
      expect(await refusal('-f', here.file(`${name}-parted.yaml`, `${good}---#hidden:\n${indented}`))).toMatchObject({
        exitCode: 1,
        issues: [{ code: 'manifest.syntax' }],
      });
    }
    // Below a kind of Kubernetes itself, an image is looked for among containers alone.
    const runner = '{ apiVersion: example.com/v1, kind: Runner, spec: { image: a } }';
    const map = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\nitems: [${runner}]\n`;
    const ran = await admit(here.file('map-with-items.yaml', map));
    expect([ran.exitCode, shown(ran)]).toEqual([
      20,
      [['ConfigMap c admitted'], ['Runner undefined refused', 'kubernetes.kind_not_covered']],
    ]);
  });

  test('ends with exit 3 where nothing is refused but images whose registry is down', async () => {
    const away = pod('away', `localhost:1/webshop@${reviewed.split('@')[1]}`);
    const policies = [
      '--policy',
      here.file('everywhere.yaml', readFileSync(policy, 'utf8').replace(/"localhost:\d+/, '"**')),
    ];
    const down = await here.run(
      'admit',
      ...policies,
      '-f',
      here.file('away.yaml', `${away}---\n${pod('good', reviewed)}`),
    );
    expect([down.exitCode, down.stdout]).toEqual([3, expect.stringContaining('registry.unreachable')]);
    const both = await here.run(
      'admit',
      ...policies,
      '-f',
      here.file('both.yaml', `${away}---\n${pod('bad', unreviewed)}`),
    );
    expect(both.exitCode).toBe(20);
  });

  test('says of a tag once what it means', async () => {
    const tag = `${here.registry}/webshop:demo`;
    const file = here.file('tag.yaml', `${pod('one', tag)}---\n${deployment('two', tag)}`);
    const { stderr, exitCode } = await here.run('admit', '--policy', policy, '--filename', file);
    expect([exitCode, stderr]).toEqual([0, `${tag} is ${reviewed.split('@')[1]}\n`]);
  });

  test('refuses what may have images that nobody knows, and what cannot be read as its kind', async () => {
    const broken = pod('broken', reviewed).replace(/\[\{.*\}\]/, 'none');
    const file = here.file(
      'odd.yaml',
      `${ROLLOUT(reviewed)}---\n${broken}---\na: 1\n---\n${pod('lost', `${here.registry}/webshop-none:1`)}`,
    );
    const ran = await admit(file);
    expect([ran.exitCode, shown(ran)]).toEqual([
      20,
      [
        ['Rollout rolled refused', 'kubernetes.kind_not_covered'],
        ['Pod broken refused', 'kubernetes.object_malformed'],
        ['undefined undefined refused', 'kubernetes.object_malformed'],
        ['Pod lost refused', 'spec.containers[web] registry.not_found'],
      ],
    ]);
  });

  test('reads lists, JSON, and the files of a folder as kubectl does', async () => {
    const folder = join(here.folder, 'manifests');
    mkdirSync(join(folder, 'below'), { recursive: true });
    const json = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'web', image: reviewed }] },
    });
    writeFileSync(
      join(folder, 'b.json'),
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [json('b'), json('c')] }),
    );
    writeFileSync(join(folder, 'a.yml'), pod('a', reviewed));
    writeFileSync(join(folder, 'values.txt'), 'no manifest: [');
    writeFileSync(join(folder, 'below', 'd.yaml'), pod('d', unreviewed));
    const ran = await admit(folder, join(folder, 'a.yml'));
    expect(ran.exitCode).toBe(0);
    // biome-ignore lint/suspicious/noExplicitAny: the document has a schema of its own
    expect(documentOf(ran).objects.map(({ name, file }: any) => `${name} ${file.slice(folder.length)}`)).toEqual([
      'a /a.yml',
      'b /b.json',
      'c /b.json',
    ]);
    expect(documentOf(ran).folders_not_read).toEqual([join(folder, 'below')]);
  });

  test('says which folders it did not read, and reads them where it is told to', async () => {
    const folder = join(here.folder, 'deep');
    mkdirSync(join(folder, 'one', 'two.yaml'), { recursive: true });
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'good.yaml'), pod('good', reviewed));
    writeFileSync(join(folder, 'one', 'two.yaml', 'bad.yaml'), pod('bad', unreviewed));
    symlinkSync(folder, join(folder, 'other', 'again.yaml'));
    const flat = await here.run('admit', '--policy', policy, '-f', folder);
    expect(flat.exitCode).toBe(0);
    expect(flat.stdout.replaceAll(/\s+/g, ' ')).toContain(
      ` not read ${join(folder, 'one')} and 1 more folder (--recursive reads them) 1 object,`,
    );
    const ran = await here.run('admit', '--policy', policy, '-R', '-f', folder, '-o', 'json');
    expect([ran.exitCode, shown(ran), documentOf(ran).folders_not_read]).toEqual([
      20,
      [
        ['Pod good admitted', 'spec.containers[web]'],
        ['Pod bad refused', 'spec.containers[web] admission.review_missing'],
      ],
      [],
    ]);
    expect(await refusal('-f', join(folder, 'one'))).toMatchObject({
      code: 'cli.no_objects',
      found: `folders that --recursive reads: ${join(folder, 'one', 'two.yaml')}`,
    });
    expect(await refusal(reviewed, '-R')).toMatchObject({ code: 'cli.usage', expected: '--filename FOLDER' });
  });

  test('reads standard input, as of a pipe', async () => {
    const objects = await piped(`---\n${deployment('web', reviewed)}`, '-f', '-');
    expect(objects).toMatchObject([{ name: 'web', admitted: true, file: '-' }]);
  });

  test('ends with exit 1, and decides nothing, where a file cannot be read', async () => {
    const good = here.file('good.yaml', pod('good', reviewed));
    const twice = here.file('twice.yaml', 'a: 1\nimage: x\nimage: y\n');
    expect(await refusal('-f', good, '-f', twice)).toMatchObject({
      exitCode: 1,
      code: 'cli.manifest_invalid',
      checked: twice,
      issues: [{ code: 'manifest.duplicate_key', line: 3, column: 1 }],
    });
    expect(await refusal('-f', good, '-f', join(here.folder, 'none.yaml'))).toMatchObject({
      exitCode: 1,
      code: 'cli.file_unreadable',
    });
  });

  test('admits nothing where there is nothing: a chart that renders no object is a mistake', async () => {
    mkdirSync(join(here.folder, 'empty'), { recursive: true });
    for (const path of [here.file('comment.yaml', '# nothing\n---\n'), join(here.folder, 'empty')]) {
      expect(await refusal('-f', path)).toMatchObject({ exitCode: 1, code: 'cli.no_objects' });
    }
  });

  test('takes no file for the name of an image', async () => {
    const file = here.file('forgotten.yaml', pod('bad', unreviewed));
    expect(await refusal(file)).toMatchObject({ exitCode: 1, code: 'cli.usage', expected: `--filename ${file}` });
    expect(await refusal('none.yaml')).toMatchObject({ exitCode: 20 });
  });

  test('takes an image or manifests, not both', async () => {
    const file = here.file('good.yaml', pod('good', reviewed));
    expect(await refusal(reviewed, '-f', file)).toMatchObject({ exitCode: 1, code: 'cli.usage', found: 'both' });
  });

  test('moves no cursor by a name or an image', async () => {
    const nasty = '"\\e[2J\\u202e"';
    const file = here.file(
      'nasty.yaml',
      `apiVersion: v1\nkind: Pod\nmetadata: { name: ${nasty}, namespace: ${nasty} }\nspec: { containers: [{ name: ${nasty}, image: ${nasty} }] }\n`,
    );
    const { stdout, exitCode } = await here.run('admit', '--policy', policy, '-f', file);
    expect(exitCode).toBe(20);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });
});

/** The objects that the program, as a process of its own, decides about. */
async function piped(input: string, ...line: string[]) {
  const args = [PROGRAM, 'admit', '--policy', policy, ...line, '-o', 'json'];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...here.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(input);
  return JSON.parse(await text(child.stdout)).objects;
}

const refusal = (...line: string[]) => here.refusal('admit', '--policy', policy, ...line);
