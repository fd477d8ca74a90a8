import { createPublicKey, generateKeyPairSync, verify, X509Certificate } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt, startPeer } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runLine } from './command-line.ts';
import { CONTEXT, type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let served: string;
let next = 0;

/** A valid document about a version of an artifact. */
function sbom(artifact: string, version: string, more: object = {}): string {
  const component = { type: 'application', 'bom-ref': 'root', name: artifact, version, ...more };
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components: [] };
  return here.file(`sbom-${next++}.cdx.json`, document);
}
const publish = (file: string, ...more: string[]) => here.document('sbom', 'publish', file, ...CONTEXT, ...more);
const fetchTo = (out: string, what: string, ...more: string[]) =>
  here.document('sbom', 'fetch', what, ...here.pinned, '--out', out, ...more);
const errorOf = async (...line: string[]) => {
  const { exitCode, code } = await here.refusal('sbom', ...line);
  return `${exitCode} ${code}`;
};

beforeAll(async () => {
  here = await install(cleanup);
  served = join(here.dataDir, 'sboms', '.well-known', 'sbom');
});
describe('an SBOM that is published', () => {
  test('is served with its signature, and fetched and verified from there', async () => {
    const file = sbom('web', '1.0.0');
    const record = await publish(file);
    expect(record).toMatchObject({
      artifact: 'web',
      version: '1.0.0',
      is_new: true,
      latest: '1.0.0',
      warnings: [],
      publication: { signed_by: { subject: 'agent:code-writer', issuer: here.url } },
    });
    for (const what of ['web', 'web@1.0.0', 'web@latest']) {
      const out = join(here.folder, 'fetched.json');
      const bundle = join(here.folder, 'fetched.sigstore.json');
      const fetched = await fetchTo(out, what, '--from', here.url, '--bundle-out', bundle);
      expect(fetched).toMatchObject({
        ok: true,
        artifact: 'web',
        version: '1.0.0',
        certificate_identity: { subject: 'agent:code-writer' },
      });
      expect(readFileSync(out)).toEqual(readFileSync(file));
      await here.document('verify-blob', out, '--bundle', bundle, ...here.pinned);
    }
    // The default place is the folder itself.
    expect(await fetchTo(join(here.folder, 'again.json'), 'web')).toMatchObject({ version: '1.0.0' });
  });

  test('does not replace another signer’s bundle, nor the document beside it', async () => {
    const out = here.file('taken.json', 'somebody else’s');
    const bundle = `${out}.sigstore.json`;
    await here.document('sign-blob', out, ...CONTEXT.map((word) => (word === 'code-writer' ? 'code-fixer' : word)));
    const before = [readFileSync(out), readFileSync(bundle)];
    const wanted = ['fetch', 'web', ...here.pinned, '--out', out, '--bundle-out'];
    expect(await errorOf(...wanted, bundle)).toBe('1 cli.file_taken');
    expect(await errorOf(...wanted, here.file('no-bundle.json', 'text'))).toBe('1 cli.file_taken');
    expect([readFileSync(out), readFileSync(bundle)]).toEqual(before);
  });

  test('has a bare signature that any tool verifies with the key in the certificate', async () => {
    const document = readFileSync(join(served, 'web-1.0.0.cdx.json'));
    const signature = Buffer.from(readFileSync(join(served, 'web-1.0.0.cdx.json.sig'), 'utf8'), 'base64');
    const bundle = JSON.parse(readFileSync(join(served, 'web-1.0.0.cdx.json.sigstore.json'), 'utf8'));
    const certificate = new X509Certificate(Buffer.from(bundle.verificationMaterial.certificate.rawBytes, 'base64'));
    expect(verify('sha256', document, certificate.publicKey, signature)).toBe(true);
    expect(verify('sha256', Buffer.concat([document, Buffer.from(' ')]), certificate.publicKey, signature)).toBe(false);
  });

  test('goes to standard output where nothing else is said, byte for byte', async () => {
    const ran = await here.run('sbom', 'fetch', 'web@1.0.0', ...here.pinned);
    expect(ran.stdout).toBe(readFileSync(join(served, 'web-1.0.0.cdx.json'), 'utf8'));
    expect(ran.stderr).toContain('verified');
  });

  test('again is done already, and needs no identity for that', async () => {
    const file = here.file('again.cdx.json', readFileSync(join(served, 'web-1.0.0.cdx.json')));
    expect(await here.document('sbom', 'publish', file)).toMatchObject({ is_new: false });
  });

  test('with other content under the version is refused, and changes nothing', async () => {
    const before = readFileSync(join(served, 'index.json'));
    const file = sbom('web', '1.0.0', { description: 'changed' });
    expect(await errorOf('publish', file, ...CONTEXT)).toBe('20 publishing.version_exists');
    expect(readFileSync(join(served, 'index.json'))).toEqual(before);
  });

  test('must be kept, whatever the index says', async () => {
    expect(await errorOf('unpublish', 'web@1.0.0')).toBe('20 publishing.retained');
    const path = join(served, 'index.json');
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, before.replace(/"retain_until": "\d{4}/g, '"retain_until": "2000'));
    expect(await errorOf('unpublish', 'web@1.0.0')).toBe('20 publishing.retained');
    expect(await here.refusal('sbom', 'retention', 'check')).toMatchObject({ exitCode: 12 });
    writeFileSync(path, before);
    expect(await here.document('sbom', 'retention', 'check')).toMatchObject({ ok: true, problems: [] });
    const gone = await fetch(`${here.url}/.well-known/sbom/web-1.0.0.cdx.json`, { method: 'DELETE' });
    expect(gone.status).toBe(405);
  });
});

describe('a release', () => {
  test('passes the check only with the very file and its signature in the place', async () => {
    const file = sbom('shop', '1.0.0');
    const checked = (...more: string[]) => ['publish', file, '--check', '--to', here.url, ...here.pinned, ...more];
    expect(await errorOf(...checked())).toBe('11 publishing.not_found');
    await publish(file);
    expect(await here.document('sbom', ...checked())).toMatchObject({ ok: true, artifact: 'shop', version: '1.0.0' });
    const changed = sbom('shop', '1.0.0', { description: 'rebuilt' });
    expect(await errorOf('publish', changed, '--check', ...here.pinned)).toBe('12 publishing.content_differs');
    expect(await errorOf('publish', file, '--check')).toBe('1 identity.issuer_missing');
    const other = ['--certificate-identity', 'agent:other', '--certificate-oidc-issuer', here.url];
    expect(await errorOf('publish', file, '--check', ...other)).toBe('12 identity.subject_mismatch');

    const signature = join(served, 'shop-1.0.0.cdx.json.sig');
    const bundle = join(served, 'shop-1.0.0.cdx.json.sigstore.json');
    const kept = { signature: readFileSync(signature), bundle: readFileSync(bundle) };
    rmSync(signature);
    expect(await errorOf(...checked())).toBe('10 publishing.signature_missing');
    cpSync(join(served, 'web-1.0.0.cdx.json.sig'), signature);
    expect(await errorOf(...checked())).toBe('12 publishing.digest_mismatch');
    rmSync(bundle);
    expect(await errorOf(...checked())).toBe('10 publishing.signature_missing');
    rmSync(signature);
    writeFileSync(signature, kept.signature);
    writeFileSync(bundle, kept.bundle);
    expect(await here.document('sbom', ...checked())).toMatchObject({ ok: true });
  });

  test('is held back where nobody answers', async () => {
    expect(await errorOf('publish', sbom('x', '1'), '--check', '--to', 'http://127.0.0.1:9', ...here.pinned)).toBe(
      '3 publishing.target_unavailable',
    );
  });
});

describe('the latest', () => {
  type Change = (folder: string) => void;
  const write = (name: string, content: string | Buffer): Change => {
    return (folder) => {
      rmSync(join(folder, name), { force: true });
      writeFileSync(join(folder, name), content);
    };
  };
  const published = (name: string) => readFileSync(join(served, name));
  const indexWith =
    (change: (artifact: { latest?: string; versions: { version: string }[] }) => void) => (folder: string) => {
      const path = join(folder, 'index.json');
      const index = JSON.parse(readFileSync(path, 'utf8'));
      change(index.artifacts.find((one: { artifact: string }) => one.artifact === 'line'));
      write('index.json', JSON.stringify(index))(folder);
    };
  const document = (version: string, more: object = {}) => readFileSync(sbom('line', version, more));
  let newest: string;

  beforeAll(async () => {
    await publish(sbom('line', '1.0.0'));
    newest = sbom('line', '1.1.0');
    await publish(newest);
  });

  /** A copy of what is served, changed, as `fetch` and `publish --check` see it; and without the latest. */
  async function seen(change: Change, ...more: string[]): Promise<readonly string[]> {
    const copy = join(here.folder, `latest-${next++}`);
    const folder = join(copy, '.well-known', 'sbom');
    cpSync(served, folder, { recursive: true });
    change(folder);
    const codeOf = async (...line: string[]) => {
      const { exitCode, stdout } = await here.run('sbom', ...line, ...here.pinned, '-o', 'json');
      return exitCode === 0 ? 'ok' : `${exitCode} ${JSON.parse(stdout).error.code}`;
    };
    const out = ['--out', join(copy, 'out.json')];
    return Promise.all([
      codeOf('fetch', 'line', '--from', copy, ...out),
      codeOf('publish', newest, '--check', '--to', copy, ...more),
      codeOf('fetch', 'line@1.0.0', '--from', copy, '--out', join(copy, 'old.json')),
    ]);
  }

  const cases: ReadonlyArray<readonly [what: string, change: () => Change, fetched: string, checked: string]> = [
    ['untouched', () => () => {}, 'ok', 'ok'],
    [
      'missing',
      () => (folder) => rmSync(join(folder, 'line-latest.cdx.json')),
      '12 publishing.latest_missing',
      '12 publishing.latest_missing',
    ],
    [
      'left at the version before',
      () => write('line-latest.cdx.json', published('line-1.0.0.cdx.json')),
      '12 publishing.latest_stale',
      '12 publishing.latest_stale',
    ],
    [
      'the same version with other content',
      () => write('line-latest.cdx.json', document('1.1.0', { description: 'x' })),
      '12 publishing.latest_differs',
      '12 publishing.latest_differs',
    ],
    [
      'one byte longer',
      () => write('line-latest.cdx.json', Buffer.concat([published('line-1.1.0.cdx.json'), Buffer.from(' ')])),
      '12 publishing.latest_differs',
      '12 publishing.latest_differs',
    ],
    [
      'another artifact',
      () => write('line-latest.cdx.json', published('shop-1.0.0.cdx.json')),
      '12 publishing.latest_differs',
      '12 publishing.latest_differs',
    ],
    [
      'no SBOM',
      () => write('line-latest.cdx.json', 'gone'),
      '12 publishing.latest_unlisted',
      '12 publishing.latest_unlisted',
    ],
    [
      'a version that nobody lists',
      () => write('line-latest.cdx.json', document('9.0.0')),
      '12 publishing.latest_unlisted',
      '12 publishing.latest_unlisted',
    ],
    [
      'newer than an index that was put back',
      () =>
        indexWith((one) => {
          one.latest = '1.0.0';
          one.versions = one.versions.filter(({ version }) => version === '1.0.0');
        }),
      '12 publishing.latest_unlisted',
      '11 publishing.not_found',
    ],
    [
      'put back together with the index',
      () => (folder) => {
        indexWith((one) => {
          one.latest = '1.0.0';
        })(folder);
        write('line-latest.cdx.json', published('line-1.0.0.cdx.json'))(folder);
      },
      'ok',
      '12 publishing.latest_stale',
    ],
    [
      'there without a word of it in the index',
      () =>
        indexWith((one) => {
          delete one.latest;
        }),
      '11 publishing.not_found',
      '12 publishing.latest_unlisted',
    ],
    [
      'signed by somebody else',
      () => write('line-latest.cdx.json.sigstore.json', published('shop-1.0.0.cdx.json.sigstore.json')),
      '12 publishing.latest_signature',
      '12 publishing.latest_signature',
    ],
    [
      'signed with another signature',
      () => write('line-latest.cdx.json.sig', published('line-1.0.0.cdx.json.sig')),
      '12 publishing.latest_signature',
      '12 publishing.latest_signature',
    ],
    [
      'signed as its version is',
      () => write('line-latest.cdx.json.sig', published('line-1.1.0.cdx.json.sig')),
      'ok',
      'ok',
    ],
    [
      'without index, and not its version',
      () => (folder) => {
        rmSync(join(folder, 'index.json'));
        write('line-latest.cdx.json', document('1.1.0', { description: 'x' }))(folder);
      },
      '12 publishing.latest_differs',
      '12 publishing.latest_differs',
    ],
  ];

  test('is held against its version, byte for byte; a version that is asked for does without it', async () => {
    const answers = await Promise.all(cases.map(async ([what, change]) => [what, ...(await seen(change()))]));
    expect(answers).toEqual(cases.map(([what, , fetched, checked]) => [what, fetched, checked, 'ok']));
  });

  test('is not wished for a version that was published with --no-latest, which the check is told', async () => {
    const candidate = sbom('line', '2.0.0-rc.1');
    await publish(candidate, '--no-latest');
    const line = ['publish', candidate, '--check', ...here.pinned];
    expect(await errorOf(...line)).toBe('12 publishing.latest_stale');
    expect(await here.document('sbom', ...line, '--no-latest')).toMatchObject({
      version: '2.0.0-rc.1',
      latest: '1.1.0',
    });
    // A fix of an old line is no latest either, and nobody has to say so.
    const fix = sbom('line', '1.0.1');
    await publish(fix);
    expect(await here.document('sbom', 'publish', fix, '--check', ...here.pinned)).toMatchObject({ latest: '1.1.0' });
  });

  test('that a publisher is about to swap is looked at again', async () => {
    let asked = 0;
    const peer = await startPeer(onTestFinished, (request, response) => {
      const name = request.url?.split('/').at(-1) as string;
      const isLatest = name === 'line-latest.cdx.json';
      // The first reader comes between the two.
      const old = isLatest && asked++ === 0;
      const file = join(served, old ? 'line-1.0.0.cdx.json' : name);
      if (existsSync(file)) response.end(readFileSync(file));
      else response.writeHead(404).end();
    });
    const out = join(here.folder, 'swapped.json');
    expect(await fetchTo(out, 'line', '--from', peer.url)).toMatchObject({ version: '1.1.0' });
    expect(asked).toBe(2);
    expect(readFileSync(out)).toEqual(published('line-latest.cdx.json'));
  });
});

describe('what is fetched', () => {
  test.each([
    ['another document of the same signer', 'web-1.0.0', '12 publishing.document_mismatch'],
    ['nothing that is an SBOM', undefined, '12 publishing.document_mismatch'],
  ])('is not %s', async (_, source, expected) => {
    const copy = join(here.folder, `copy-${next++}`);
    const folder = join(copy, '.well-known', 'sbom');
    cpSync(served, folder, { recursive: true });
    rmSync(join(folder, 'index.json'));
    const from = join(folder, `${source}.cdx.json`);
    writeFileSync(join(folder, 'web-9.0.0.cdx.json'), source === undefined ? '[]' : readFileSync(from));
    expect(await errorOf('fetch', 'web@9.0.0', '--from', copy, ...here.pinned)).toBe(expected);
  });

  test('is written only after it verified, and only where it can be', async () => {
    const out = join(here.folder, 'never.json');
    const other = ['--certificate-identity', 'agent:other', '--certificate-oidc-issuer', here.url];
    expect(await errorOf('fetch', 'web', ...other, '--out', out)).toBe('12 identity.subject_mismatch');
    expect(existsSync(out)).toBe(false);
    expect(await errorOf('fetch', 'web', ...here.pinned, '--out', join(here.folder, 'no', 'x.json'))).toBe(
      '2 cli.file_unwritable',
    );
    expect(await errorOf('fetch', 'nothing', ...here.pinned)).toBe('11 publishing.not_found');
    expect(await errorOf('fetch', 'web@9', ...here.pinned)).toBe('11 publishing.not_found');
    expect(await errorOf('fetch', '../web', ...here.pinned)).toBe('1 publishing.name_invalid');
    expect(await errorOf('fetch', 'web', ...here.pinned, '--from', 'ftp://x/')).toBe('1 publishing.target_invalid');
    expect(await errorOf('fetch', 'web', ...here.pinned, '--trusted-root', here.file('root.json', '{}'))).toMatch(
      /^13 /,
    );
  });
});

describe('a document', () => {
  test.each([
    ['that is invalid', { name: 7, version: '1' }, '20 cli.sbom_invalid'],
    ['without version', { name: 'web', version: undefined }, '1 publishing.name_invalid'],
    ['whose name is a path', { name: '../../etc/passwd', version: '1' }, '1 publishing.name_invalid'],
    ['whose version is a path', { name: 'web', version: '1/../../2' }, '1 publishing.name_invalid'],
    ['whose version is latest', { name: 'web', version: 'latest' }, '1 publishing.name_invalid'],
    ['whose version has a NUL', { name: 'web', version: '1\u0000' }, '1 publishing.name_invalid'],
    ['whose version has a backslash', { name: 'web', version: '..\\x' }, '1 publishing.name_invalid'],
    ['whose name is encoded', { name: '%2e%2e%2fweb', version: '1' }, '1 publishing.name_invalid'],
    ['whose name has 300 characters', { name: 'x'.repeat(300), version: '1' }, '1 publishing.name_invalid'],
    ['whose name differs in case', { name: 'Web', version: '1.0.0' }, '20 publishing.name_taken'],
  ])('%s is refused', async (_, component, expected) => {
    expect(await errorOf('publish', sbom('web', '1', component), ...CONTEXT)).toBe(expected);
  });

  test('of an npm scope, or with a name of its own, is published under a name that reads back', async () => {
    expect(await publish(sbom('@acme/web', '1.0.0'))).toMatchObject({ artifact: 'acme__web' });
    const named = sbom('Web Shop', '1.0.0', { properties: [{ name: 'colophon:artifact', value: 'webshop' }] });
    expect(await publish(named)).toMatchObject({ artifact: 'webshop' });
    expect(await errorOf('publish', sbom('api', '1'), '--component-name', 'web')).toBe('1 publishing.name_invalid');
    await fetchTo(join(here.folder, 'scoped.json'), 'acme__web');
  });
});

describe('a signature', () => {
  test('that was made before is published, once it verified', async () => {
    const file = sbom('given', '1.0.0');
    const bundle = join(here.folder, 'given.sigstore.json');
    await here.document('sign-blob', file, '--bundle', bundle, ...CONTEXT);
    const other = sbom('given', '2.0.0');
    expect(await errorOf('publish', other, '--bundle', bundle)).toBe('12 artifact.mismatch');
    const attested = join(here.folder, 'given.run.json');
    const predicate = here.file('predicate.json', { any: 'thing' });
    await here.document(
      'attest-blob',
      file,
      '--predicate',
      predicate,
      '--bundle',
      attested,
      '--no-evidence',
      ...CONTEXT,
    );
    expect(await errorOf('publish', file, '--bundle', attested)).toBe('12 signature.not_a_signature');
    expect(await errorOf('publish', file, '--bundle', join(here.folder, 'none'))).toBe('1 cli.file_unreadable');
    expect(await here.document('sbom', 'publish', file, '--bundle', bundle)).toMatchObject({ is_new: true });
    expect(readFileSync(join(served, 'given-1.0.0.cdx.json.sigstore.json'))).toEqual(readFileSync(bundle));
  });

  test('is fetched from a stranger without the login of a publisher', async () => {
    const seen: Array<string | undefined> = [];
    const { url } = await startPeer(onTestFinished, (request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    const env = { ...here.env, COLOPHON_PUBLISH_AUTHORIZATION: 'Bearer publisher' };
    const fetchFrom = (...more: string[]) =>
      runLine(['sbom', 'fetch', 'web', '--from', url, ...here.pinned, ...more], env);
    expect((await fetchFrom()).exitCode).toBe(11);
    expect(new Set(seen)).toEqual(new Set([undefined]));
    await fetchFrom('--authorization-file', here.file('login', 'Bearer reader'));
    expect(seen.at(-1)).toBe('Bearer reader');
    await runLine(['sbom', 'retention', 'check', '--from', url], env);
    expect(seen.at(-1)).toBe('Bearer publisher');
  });

  test('by a key is published and fetched with it; nobody is named', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = here.file('key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    const pub = here.file('key.pub', createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string);
    const record = await here.document('sbom', 'publish', sbom('keyed', '1.0.0'), '--key', key);
    expect(record.publication.signed_by).toBeUndefined();
    const out = join(here.folder, 'keyed.json');
    expect(await here.document('sbom', 'fetch', 'keyed', '--key', pub, '--out', out)).toMatchObject({ ok: true });
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
      type: 'spki',
      format: 'pem',
    });
    const otherKey = here.file('other.pub', stranger as string);
    expect(await errorOf('fetch', 'keyed', '--key', otherKey, '--out', out)).toMatch(/^1[23] /);
    // A publisher who follows the layout alone has a .sig and neither bundle nor index.
    const copy = join(here.folder, 'bare');
    for (const name of ['keyed-1.0.0.cdx.json', 'keyed-1.0.0.cdx.json.sig', 'keyed-latest.cdx.json']) {
      cpSync(join(served, name), join(copy, '.well-known/sbom', name));
    }
    expect(await here.document('sbom', 'fetch', 'keyed', '--from', copy, '--key', pub, '--out', out)).toMatchObject({
      ok: true,
    });
    expect(await errorOf('fetch', 'keyed', '--from', copy, '--key', otherKey)).toBe('12 publishing.digest_mismatch');
    // Node's decoder stops at the first `=`; cosign refuses such a file, so nobody else would believe it.
    const bare = join(copy, '.well-known/sbom', 'keyed-1.0.0.cdx.json.sig');
    const signature = readFileSync(bare, 'utf8').trim();
    chmodSync(bare, 0o644);
    writeFileSync(bare, `${signature}====\nbW9yZQ==`);
    expect(await errorOf('fetch', 'keyed', '--from', copy, '--key', pub)).toBe('12 publishing.digest_mismatch');
    writeFileSync(bare, `${signature.replace(/.{64}/g, '$&\n')}\n`);
    expect(await here.document('sbom', 'fetch', 'keyed', '--from', copy, '--key', pub, '--out', out)).toMatchObject({
      ok: true,
    });
    expect(await errorOf('fetch', 'keyed', '--from', copy, ...here.pinned)).toBe('10 publishing.signature_missing');
    const noKey = here.file('no-key.pem', 'no key');
    for (const from of [[], ['--from', copy]]) {
      expect(await errorOf('fetch', 'keyed', ...from, '--key', noKey)).toBe('1 cli.file_unreadable');
    }
  });

  test('fails with its services, and leaves nothing in the place', async () => {
    const place = join(here.folder, 'empty');
    const down = ['--fulcio-url', 'http://127.0.0.1:9', '--rekor-url', 'http://127.0.0.1:9'];
    expect(await errorOf('publish', sbom('down', '1'), '--to', place, ...CONTEXT, ...down)).toMatch(/^3 signing\./);
    expect(existsSync(place)).toBe(false);
  });
});

describe('what was lost', () => {
  test('is noticed, comes back from a backup, and verifies', async () => {
    const backup = join(here.folder, 'backup');
    cpSync(join(here.dataDir, 'sboms'), backup, { recursive: true });
    rmSync(join(served, 'web-1.0.0.cdx.json'));
    chmodSync(join(served, 'web-1.0.0.cdx.json.sig'), 0o644);
    writeFileSync(join(served, 'web-1.0.0.cdx.json.sig'), 'c2ln');
    rmSync(join(served, 'index.json'));
    expect(await errorOf('retention', 'check')).toBe('11 publishing.not_found');
    const { restored_files } = await here.document('sbom', 'retention', 'restore', '--from', backup);
    expect([...restored_files].sort()).toEqual(['web-1.0.0.cdx.json', 'web-1.0.0.cdx.json.sig']);
    expect(await here.document('sbom', 'retention', 'check')).toMatchObject({ ok: true });
    await fetchTo(join(here.folder, 'restored.json'), 'web@1.0.0', '--from', here.url);
    expect(statSync(join(served, 'web-1.0.0.cdx.json')).mode & 0o777).toBe(0o444);
  });
});

test.each([
  [['publish', '--retain-years', '2'], '1 publishing.retention_too_short'],
  [['publish', '--retain-years', 'x'], '1 cli.usage'],
  [['publish', '--to', 's3://bucket/x'], '4 publishing.target_unauthorized'],
  [['publish', '--to', 'https://user@host/'], '1 publishing.target_invalid'],
])('%j is %s', async ([command, ...flags], expected) => {
  expect(await errorOf(command as string, sbom('flags', '1'), ...CONTEXT, ...flags)).toBe(expected);
});

describe('the settings of an S3 store', () => {
  const OWN = '[default]\nregion = eu-own-1\nendpoint_url = http://127.0.0.1:9\n';
  const login = { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK' };
  const file = (text: string | Uint8Array) => here.file(`aws-${next++}`, text);
  async function published(env: NodeJS.ProcessEnv) {
    const line = ['sbom', 'publish', sbom('store', '1'), ...CONTEXT, '--to', 's3://own-bucket/x', '-o', 'json'];
    const { exitCode, stdout } = await runLine(line, { ...here.env, HOME: here.folder, ...login, ...env });
    return [exitCode, JSON.parse(stdout).error.code, stdout.includes('amazonaws')];
  }

  test.each<[string, () => NodeJS.ProcessEnv]>([
    ['a folder for a file', () => ({ AWS_CONFIG_FILE: here.folder })],
    ['UTF-16 with a mark', () => ({ AWS_CONFIG_FILE: file(Buffer.from(`\uFEFF${OWN}`, 'utf16le')) })],
    ['UTF-16 without one', () => ({ AWS_CONFIG_FILE: file(Buffer.from(OWN, 'utf16le')) })],
    ['no such file', () => ({ AWS_CONFIG_FILE: join(here.folder, 'nowhere') })],
    ['no such file of logins', () => ({ AWS_SHARED_CREDENTIALS_FILE: join(here.folder, 'nowhere') })],
    ['a misspelt profile', () => ({ AWS_CONFIG_FILE: file(OWN), AWS_PROFILE: 'prdo' })],
    ['no such section', () => ({ AWS_CONFIG_FILE: file('[default]\nservices = own\n') })],
  ])('that cannot be read, or are not there, are not taken for none: %s', async (_, env) => {
    expect(await published(env())).toEqual([1, 'publishing.settings_invalid', false]);
  });

  test.each([
    ['of the profile', OWN],
    ['of its services', '[default]\nservices = own\n[services own]\ns3 =\n  endpoint_url = http://127.0.0.1:9\n'],
  ])('name the own store, which is asked: %s', async (_, text) => {
    const peer = await startPeer(onTestFinished, (_, response) => response.writeHead(403).end());
    const config = file(text.replace('http://127.0.0.1:9', peer.url));
    await published({ AWS_CONFIG_FILE: config });
    expect(peer.requests.length).toBeGreaterThan(0);
  });
});

test('the own server takes nothing by PUT, and says where to publish', async () => {
  const refusal = await here.refusal('sbom', 'publish', sbom('put', '1'), '--to', here.url);
  expect(refusal).toMatchObject({
    exitCode: 20,
    code: 'publishing.target_refused',
    expected: expect.stringContaining('folder'),
  });
});
