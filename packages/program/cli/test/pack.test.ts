// A pack by an honest maker, read three years later without a network; and packs by those who would like to be believed.
import { createHash } from 'node:crypto';
import dns from 'node:dns';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cleanupAt, temporaryFolder } from '@colophon/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { olderSignatureLayer } from '../../../signing/sigstore/src/image-signature/older-format.ts';
import { documentOf, runLine } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const THREE_YEARS_MS = 3 * 365 * 86_400_000;
const cleanup = cleanupAt(afterAll);
let here: Installation;
let policy: string;
let image: string;
/** Of the good image. */
let pack: string;
let root: string;
let rootDigest: string;
/** Somebody who has nothing of ours: no data folder, no configuration. */
let auditor: NodeJS.ProcessEnv;

beforeAll(async () => {
  here = await install(cleanup);
  policy = here.file('policy.yaml', policyText(here.url, here.registry));
  image = await goodImage('good');
  pack = await packOf(image, 'good');
  const folder = temporaryFolder(cleanup);
  root = join(folder, 'root.json');
  copyFileSync(join(here.dataDir, 'trust', 'trusted_root.json'), root);
  rootDigest = sha256(readFileSync(root));
  auditor = { HOME: folder, COLOPHON_HOME: join(folder, 'none'), XDG_CONFIG_HOME: join(folder, 'config') };
});
const by = (name: string) => ['--reviewer', `${name}@example.com`, '--commit-sha', COMMIT];
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function goodImage(name: string, at: Installation = here): Promise<string> {
  const pushed = await at.push(`webshop-${name}`);
  await at.document('sign', ...CONTEXT, pushed);
  await at.document('review', 'approve', pushed, ...by('alice'), '--duration', '12');
  return pushed;
}

async function packOf(reference: string, name: string, at: Installation = here, ...more: string[]): Promise<string> {
  const out = join(at.folder, `${name}.pack.json`);
  const file = at.file('policy.yaml', policyText(at.url, at.registry));
  await at.document('pack', reference, '--policy', file, '--out', out, ...more);
  return out;
}

// biome-ignore lint/suspicious/noExplicitAny: tests change what they like
type Pack = any;
const read = (file: string): Pack => JSON.parse(readFileSync(file, 'utf8'));
/** The same pack with something else in it. */
function changed(file: string, change: (pack: Pack) => void): string {
  const copy = read(file);
  change(copy);
  return here.file('changed.pack.json', copy);
}

/** Verifies as the auditor: exit code, document, and the code of what refuses. */
async function verify(file: string, ...more: string[]) {
  const ran = await runLine(['verify', '--offline', file, ...more, '-o', 'json'], auditor);
  const found = documentOf(ran);
  const reasons: Array<{ code: string }> = found.admission?.reasons ?? [];
  return { exitCode: ran.exitCode, found, codes: found.error ? [found.error.code] : reasons.map(({ code }) => code) };
}
const ours = () => ['--trusted-root', root, '--policy', policy];
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('with the network cut and the clock three years on', () => {
  beforeEach(() => {
    const cut = () => {
      throw new Error('the network is cut');
    };
    vi.spyOn(net.Socket.prototype, 'connect').mockImplementation(cut);
    vi.spyOn(dns, 'lookup').mockImplementation(cut as never);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + THREE_YEARS_MS });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test('a good pack verifies by the reader’s root and policy, and says as of when', async () => {
    const { exitCode, found } = await verify(pack, ...ours());
    expect([exitCode, found.ok, found.trusted_by, found.policy_by]).toEqual([0, true, 'own', 'own']);
    expect(found.admission.admitted).toBe(true);
    expect(found.subject).toMatchObject({ kind: 'image', name: image, digest: image.split('@')[1] });
    const { signed_at: signedAt } = found.rejection_lists[0];
    expect(Date.parse(signedAt)).toBeLessThan(Date.now() - THREE_YEARS_MS + 600_000);
    expect(found.sentence).toContain(`rejections as of ${signedAt}`);
    expect(found.places.filter(({ state }: { state: string }) => state === 'asked')).toMatchObject([{ place: 'pack' }]);
  });

  test('the root may be the pack’s own where the reader gives its SHA-256', async () => {
    const { exitCode, found } = await verify(pack, '--trusted-root-sha256', rootDigest, '--policy', policy);
    expect([exitCode, found.trusted_by]).toEqual([0, 'own']);
    const other = await verify(pack, '--trusted-root-sha256', 'ab'.repeat(32), '--policy', policy);
    expect(other).toMatchObject({ exitCode: 13, codes: ['pack.root_mismatch'] });
  });

  test.each([
    ['neither root nor policy', () => []],
    ['no root', () => ['--policy', policy]],
    ['no policy', () => ['--trusted-root', root]],
    ['no policy, but the SHA-256 of the root', () => ['--trusted-root-sha256', rootDigest]],
  ])('with %s it is explained by the pack’s own word only, and ends with 13', async (_title, flags) => {
    const { exitCode, found } = await verify(pack, ...flags());
    expect([exitCode, found.ok]).toEqual([13, false]);
    expect(found.sentence).toMatch(/^by the pack's own word only, admitted by \S*policy\.yaml: /);
    expect(found.reviews).toHaveLength(1);
    expect([found.trusted_by, found.policy_by]).toContain('pack');
  });

  test('the spy sees a connection', async () => {
    await expect(fetch('http://127.0.0.1:65000/')).rejects.toThrow();
    expect(net.Socket.prototype.connect).toHaveBeenCalled();
  });
});

test('the same material makes the same bytes', async () => {
  const again = read(await packOf(image, 'again'));
  const { created_at: _, ...one } = read(pack);
  const { created_at: __, ...other } = again;
  expect(other).toEqual(one);
  expect(readFileSync(pack, 'utf8')).toBe(JSON.stringify(read(pack)));
});

describe('a pack by an attacker', () => {
  test('with an authority, a log, a policy and a list of their own never verifies', async () => {
    const theirs = await install(cleanup);
    const forged = await packOf(await goodImage('good', theirs), 'forged', theirs);
    const { exitCode, found } = await verify(forged, ...ours());
    expect([exitCode, found.signatures]).toEqual([13, []]);
    // By the pack's own word; its log is nothing to remember.
    const pins = () => readdirSync(join(auditor['XDG_CONFIG_HOME']!, 'colophon', 'pins'));
    await verify(pack, ...ours());
    const known = pins();
    expect(known).not.toEqual([]);
    expect((await verify(forged)).exitCode).toBe(13);
    expect(pins()).toEqual(known);
    expect(await verify(forged, '--trusted-root-sha256', rootDigest, '--policy', policy)).toMatchObject({
      exitCode: 13,
      codes: ['pack.root_mismatch'],
    });
    // Our root beside theirs, and their policy for ours.
    const mixed = changed(forged, (copy) => {
      copy.hints.trusted_roots.push(...read(pack).hints.trusted_roots);
      copy.image.reference = read(pack).image.reference.replace(/@.*/, `@${copy.image.digest}`);
    });
    expect((await verify(mixed, '--trusted-root-sha256', rootDigest, '--policy', policy)).exitCode).toBe(13);
    // Their list beside our evidence says nothing.
    const listed = changed(pack, (copy) => {
      copy.rejection_lists = read(forged).rejection_lists;
    });
    expect(await verify(listed, ...ours())).toMatchObject({ exitCode: 20, codes: ['admission.rejections_incomplete'] });
  });

  test('whose policy is laxer than the reader’s is judged by the reader’s', async () => {
    const bare = await here.push('webshop-agent-only');
    await here.document('sign', ...CONTEXT, bare);
    const lax = `${policyText(here.url, here.registry)}mode: audit\n`;
    const out = join(here.folder, 'lax.pack.json');
    await here.document('pack', bare, '--policy', here.file('lax.yaml', lax), '--out', out);
    expect(await verify(out, ...ours())).toMatchObject({ exitCode: 20, codes: ['admission.review_missing'] });
    const { exitCode, found } = await verify(out, '--trusted-root', root);
    expect([exitCode, found.policy_by, found.admission.admitted]).toEqual([13, 'pack', true]);
  });

  test('whose image is another than its evidence is about is refused', async () => {
    const other = await here.push('webshop-other');
    await here.document('sign', ...CONTEXT, other);
    const target = await packOf(other, 'other');
    const swapped = changed(target, (copy) => {
      copy.attachments = read(pack).attachments;
    });
    expect((await verify(swapped, ...ours())).exitCode).not.toBe(0);
    const added = changed(target, (copy) => {
      copy.attachments.push(...read(pack).attachments);
    });
    expect(await verify(added, ...ours())).toMatchObject({ exitCode: 20, codes: ['admission.review_other_image'] });
    const renamed = changed(pack, (copy) => {
      copy.image.manifests = read(target).image.manifests;
    });
    expect(await verify(renamed, ...ours())).toMatchObject({ exitCode: 13, codes: ['pack.digest_mismatch'] });
    const relabelled = changed(pack, (copy) => {
      copy.image.manifests[0].content = read(target).image.manifests[0].content;
    });
    expect(await verify(relabelled, ...ours())).toMatchObject({ exitCode: 13, codes: ['pack.digest_mismatch'] });
    const misnamed = changed(pack, (copy) => {
      copy.image.reference = other;
    });
    expect(await verify(misnamed, ...ours())).toMatchObject({ exitCode: 13, codes: ['pack.digest_mismatch'] });
  });

  test('whose index is not whole is no pack', async () => {
    const index = JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.index.v1+json',
      manifests: [
        { mediaType: 'application/vnd.oci.image.index.v1+json', size: 2, digest: `sha256:${'ab'.repeat(32)}` },
      ],
    });
    const digest = `sha256:${sha256(Buffer.from(index))}`;
    const file = changed(pack, (copy) => {
      copy.image.reference = copy.image.reference.replace(/@.*/, `@${digest}`);
      copy.image.digest = digest;
      copy.image.manifests = [
        { digest, media_type: 'application/vnd.oci.image.index.v1+json', content: base64(index) },
      ];
    });
    expect(await verify(file, ...ours())).toMatchObject({ exitCode: 13, codes: ['pack.malformed'] });
  });

  test('with a bundle that was changed counts that bundle for nothing', async () => {
    const broken = changed(pack, (copy) => {
      for (const one of copy.attachments) {
        const bundle = JSON.parse(Buffer.from(one.content, 'base64').toString());
        const envelope = bundle.dsseEnvelope ?? bundle;
        if (envelope.payload === undefined) continue;
        const text = Buffer.from(envelope.payload, 'base64').toString();
        envelope.payload = base64(text.replaceAll('alice@', 'mallory@'));
        one.content = base64(JSON.stringify(bundle));
      }
    });
    expect((await verify(broken, ...ours())).exitCode).toBe(20);
  });

  test('takes no signature of a file with the bytes of the manifest for one of the image', async () => {
    const bare = await here.push('webshop-file-signed');
    const other = await here.push('webshop-signed-beside');
    await here.document('review', 'approve', bare, ...by('alice'), '--duration', '12');
    await here.document('sign', ...CONTEXT, other);
    const target = await packOf(bare, 'file-signed');
    expect((await verify(target, ...ours())).codes).toContain('admission.no_signature');
    const manifest = Buffer.from(read(target).image.manifests[0].content, 'base64');
    const file = here.file('manifest.json', manifest);
    await here.document('sign-blob', ...CONTEXT, file);
    const { content, mediaType, annotations } = olderSignatureLayer(manifest, readFileSync(`${file}.sigstore.json`));
    for (const format of ['older-signature', 'older-attestation'] as const) {
      const relabelled = changed(target, (copy) => {
        copy.attachments.push({
          format,
          content: Buffer.from(content).toString('base64'),
          media_type: mediaType,
          annotations,
        });
      });
      const refused = {
        'older-signature': { exitCode: 20, codes: ['admission.signature_rejected'] },
        'older-attestation': { exitCode: 13, codes: ['pack.malformed'] },
      }[format];
      expect(await verify(relabelled, ...ours())).toMatchObject(refused);
    }
  });

  test('that chose its image’s name to meet one of several policies is refused by the others', async () => {
    const others = here.file('others.yaml', policyText(here.url, 'ghcr.io/elsewhere'));
    expect(await verify(pack, ...ours(), '--policy', others)).toMatchObject({
      exitCode: 20,
      codes: ['admission.image_not_covered'],
    });
  });

  describe('with rejections left out', () => {
    let rejected: string;
    let before: string;
    let after: string;
    beforeAll(async () => {
      rejected = await goodImage('rejected');
      before = await packOf(rejected, 'before');
      await here.document('review', 'reject', rejected, ...by('bob'));
      after = await packOf(rejected, 'after');
    });
    /** Without whatever is not in the pack from before. */
    const withoutRejection = (copy: Pack) => {
      const known = new Set(read(before).attachments.map((one: Pack) => one.content));
      copy.attachments = copy.attachments.filter((one: Pack) => known.has(one.content));
    };

    test('honestly it is refused', async () => {
      expect(await verify(after, ...ours())).toMatchObject({ exitCode: 20, codes: ['admission.review_rejected'] });
    });

    test('of the attachments, the list has them', async () => {
      const file = changed(after, withoutRejection);
      expect(await verify(file, ...ours())).toMatchObject({ exitCode: 20, codes: ['admission.review_rejected'] });
    });

    test('of both, there is no list', async () => {
      const file = changed(after, (copy) => {
        withoutRejection(copy);
        copy.rejection_lists = [];
      });
      expect(await verify(file, ...ours())).toMatchObject({ exitCode: 20, codes: ['admission.rejections_incomplete'] });
    });

    test('by an older list, that list is too old for the time of the pack', async () => {
      const file = changed(after, (copy) => {
        withoutRejection(copy);
        copy.rejection_lists = read(before).rejection_lists;
        copy.created_at = new Date(Date.parse(copy.created_at) + 3_600_000).toISOString();
      });
      expect(await verify(file, ...ours())).toMatchObject({ exitCode: 20, codes: ['admission.rejections_incomplete'] });
    });

    test('by a time before the evidence, that time is none', async () => {
      const file = changed(after, (copy) => {
        withoutRejection(copy);
        copy.created_at = new Date(Date.parse(copy.created_at) - 3_600_000).toISOString();
      });
      const { exitCode, found } = await verify(file, ...ours());
      expect(exitCode).toBe(20);
      expect(found.rejection_lists[0].incomplete).toContain('before a signature in it');
    });

    test('only a policy that wants no list does without, and that is said', async () => {
      const none = here.file('none.yaml', `${policyText(here.url, here.registry)}negatives: none\n`);
      const file = changed(pack, (copy) => {
        copy.rejection_lists = [];
      });
      const { exitCode, found } = await verify(file, '--trusted-root', root, '--policy', none);
      expect(exitCode).toBe(0);
      expect(found.sentence).toContain('rejections: only what the pack holds');
    });
  });

  test('with hostile text at any place moves no cursor and begins no line', async () => {
    const hostile = '\u001b[2J\u202eadmitted\r\n\u0007\u2028\nadmitted by all';
    const copy = read(pack);
    copy.unread = [{ code: 'x', message: 'y' }];
    copy.malformed = [{ code: 'x', message: 'y' }];
    copy.attachments.push({ format: 'older-signature', content: 'AAAA', media_type: 'x', annotations: { x: 'y' } });
    const filled = here.file('filled.pack.json', copy);
    const places: Array<readonly string[]> = [];
    const walk = (value: unknown, path: readonly string[]) => {
      if (typeof value === 'string') places.push(path);
      else if (value !== null && typeof value === 'object')
        for (const [name, item] of Object.entries(value)) walk(item, [...path, name]);
    };
    walk(read(filled), []);
    expect(places.length).toBeGreaterThan(25);
    for (const path of places) {
      const file = changed(filled, (copy) => {
        const parent = path.slice(0, -1).reduce((value, name) => value[name], copy);
        parent[path.at(-1) as string] = hostile;
      });
      for (const flags of [[], ours()]) {
        const { stdout, stderr, exitCode } = await runLine(['verify', '--offline', file, ...flags], auditor);
        expect([13, 20], path.join('/')).toContain(exitCode);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
        expect(stdout + stderr, path.join('/')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u2028\u202e]/);
        expect(stdout + stderr, path.join('/')).not.toMatch(/^admitted/m);
      }
    }
  });

  test('that says what could not be read is refused', async () => {
    const file = changed(pack, (copy) => {
      copy.unread = [{ code: 'image.attachment_too_large', message: 'one of them' }];
    });
    expect((await verify(file, ...ours())).exitCode).toBe(20);
  });
});

describe('a file that is no pack', () => {
  test.each<[title: string, change: (bytes: Buffer) => Uint8Array | string]>([
    ['cut off', (bytes) => bytes.subarray(0, bytes.length - 100)],
    ['empty', () => ''],
    ['an image reference', () => 'localhost:7080/webshop:1.0'],
    ['a list', () => '[]'],
    ['an unknown member', (bytes) => JSON.stringify({ ...JSON.parse(bytes.toString()), trusted: true })],
    ['another version', (bytes) => bytes.toString().replace('evidence-pack.v1', 'evidence-pack.v2')],
    ['a member twice', (bytes) => bytes.toString().replace('{', '{"created_at":"2020-01-01T00:00:00Z",')],
    ['deep', () => `${'{"image":'.repeat(50)}1${'}'.repeat(50)}`],
    ['content that is no base64', (bytes) => bytes.toString().replace('"content":"', '"content":"%%')],
    ['__proto__', (bytes) => bytes.toString().replace('{', '{"__proto__":{"ok":true},')],
    [
      '1,001 attachments',
      (bytes) => {
        const copy = JSON.parse(bytes.toString());
        return JSON.stringify({ ...copy, attachments: Array(1001).fill(copy.attachments[0]) });
      },
    ],
  ])('%s, is refused by its code', async (_title, change) => {
    const file = here.file('hostile.pack.json', change(readFileSync(pack)));
    expect(await verify(file, ...ours())).toMatchObject({ exitCode: 13, codes: ['pack.malformed'] });
  });

  test('larger than any pack, is not read', async () => {
    const file = here.file('large.pack.json', Buffer.alloc(64 * 1024 * 1024 + 1, ' '));
    expect(await verify(file, ...ours())).toMatchObject({ exitCode: 20, codes: ['cli.file_too_large'] });
  });

  test('an image, where --offline turns the argument into a file', async () => {
    expect(await verify(image, ...ours())).toMatchObject({ exitCode: 1, codes: ['cli.file_unreadable'] });
  });
});

describe('flags that would constrain nothing', () => {
  test.each([
    ['an identity beside a pack', () => ['--offline', pack, ...ours(), ...here.pinned]],
    ['a policy without a pack', () => [image, '--policy', policy, ...here.pinned]],
    ['the SHA-256 of a root without a pack', () => [image, '--trusted-root-sha256', rootDigest, ...here.pinned]],
    ['a root twice', () => ['--offline', pack, ...ours(), '--trusted-root-sha256', rootDigest]],
  ])('%s is refused', async (_title, line) => {
    const ran = await runLine(['verify', ...line(), '-o', 'json'], auditor);
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([1, 'cli.usage']);
  });
});

describe('a registry that would have packs that nobody can read', () => {
  /** The registry as it is, but for one header of its answers. */
  async function behind(change: (headers: Headers) => void): Promise<string> {
    const proxy = createServer(async (request, response) => {
      const { method = 'GET', url = '' } = request;
      const { accept = '' } = request.headers;
      const answer = await fetch(`http://${here.registry}${url}`, { method, headers: { accept } });
      const headers = new Headers(answer.headers);
      change(headers);
      response.writeHead(answer.status, Object.fromEntries(headers)).end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>((resolve) => proxy.listen({ host: '127.0.0.1', port: 0 }, resolve));
    cleanup(() => void proxy.close());
    return `localhost:${(proxy.address() as AddressInfo).port}`;
  }

  test.each<[title: string, type: string | undefined]>([
    ['no media type', undefined],
    ['blanks for a media type', ' '],
    ['a media type of any length', `application/${'x'.repeat(3000)}`],
  ])('by %s is told so, or packed all the same', async (_title, type) => {
    const registry = await behind((headers) => {
      if (type === undefined) headers.delete('content-type');
      else headers.set('content-type', type);
    });
    const reference = image.replace(here.registry, registry);
    const out = join(here.folder, 'odd.pack.json');
    const none = here.file('odd.yaml', policyText(here.url, registry));
    const ran = await here.run('pack', reference, '--policy', none, '--out', out, '-o', 'json');
    if (ran.exitCode !== 0) return expect(documentOf(ran).error.code).toMatch(/^(pack|registry)\./);
    expect(await verify(out, '--trusted-root', root, '--policy', none)).toMatchObject({ exitCode: 0 });
  });
});

test('an image with nothing attached is no pack', async () => {
  const bare = await here.push('webshop-bare');
  const out = join(here.folder, 'bare.pack.json');
  expect(await here.refusal('pack', bare, '--out', out)).toMatchObject({
    exitCode: 10,
    code: 'cli.nothing_to_explain',
  });
  expect(() => readFileSync(out)).toThrow();
});

test('what agents and reviewers state comes out of the pack as it went in', async () => {
  const run = here.file('agent-run.json', AGENT_RUN);
  const attested = await goodImage('attested');
  await here.document('attest', '--type', 'agent-run', '--predicate', run, ...CONTEXT, attested);
  const { stdout } = await here.run('explain', attested, '--policy', policy, '-o', 'json');
  // The same root has the name of its file where it is given as one.
  const online = JSON.parse(stdout.replaceAll('"root": "embedded"', '"root": "root"'));
  const { found } = await verify(await packOf(attested, 'attested'), ...ours());
  for (const name of ['facts', 'reviews', 'claimed_reviews', 'contradictions', 'rejections', 'unverified'] as const) {
    expect(found[name]).toEqual(online[name]);
  }
  expect(found.signatures).toEqual(online.signatures.map((one: object) => ({ ...one, found_in: ['pack'] })));
});
