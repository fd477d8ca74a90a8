import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { makeIssuerKey, mintToken, SIX_FIELDS, selfSigned } from '@colophon/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveConfiguration } from '../src/start/serve-configuration.ts';
import { type Configuration, githubCaller, jobClaims, type RunningIssuer, runIssuer } from './running-issuer.ts';

const STALE = { configuration: 'stale' };
const BUILDER = { name: 'builder', apiKey: true, may: { agents: [SIX_FIELDS.agent_name] } };

/** Writes, and waits until the server has said what it thinks of it. */
async function change(issuer: RunningIssuer, configuration: string | Configuration): Promise<Record<string, unknown>> {
  return said(issuer, () => issuer.write(configuration));
}

async function said(issuer: RunningIssuer, act: () => void): Promise<Record<string, unknown>> {
  const seen = issuer.lines().length;
  const found = () =>
    issuer
      .lines()
      .slice(seen)
      .find(({ msg }) => /configuration|stays/.test(String(msg)));
  act();
  await expect.poll(found).toBeDefined();
  return found()!;
}

const authorizationOf = (issuer: RunningIssuer) => JSON.parse(issuer.tokens().at(-1)!.authorization!);
const hashOf = (issuer: RunningIssuer) =>
  `sha256:${createHash('sha256').update(readFileSync(issuer.file)).digest('hex')}`;

/** YAML that names itself again and again. */
const BOMB = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from('bcdefghij', (name, i) => {
  const before = 'abcdefghij'[i];
  return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`;
}).join('\n')}\n`;

describe('a file that is no configuration', () => {
  it.each<[string, (issuer: RunningIssuer) => string]>([
    ['is empty', () => ''],
    ['is no YAML', () => ':\n\t- {'],
    ['is cut in the middle', ({ configuration }) => JSON.stringify(configuration).slice(0, -40)],
    ['has a key that nobody knows', ({ configuration }) => JSON.stringify({ ...configuration, caller: [] })],
    ['has a key twice', ({ configuration }) => JSON.stringify(configuration).replace('{', '{"agents":[],')],
    [
      'has one bad entry among good ones',
      ({ configuration }) =>
        JSON.stringify({ ...configuration, callers: [...configuration['callers'], { name: 'x', may: {} }] }),
    ],
    ['is huge', ({ configuration }) => `${JSON.stringify(configuration)}\n#${'x'.repeat(17 * 1024 * 1024)}`],
    ['grows when it is read', () => BOMB],
    ['is nested deeply', () => '['.repeat(100_000)],
    ['is another kind of document', () => '- issuer: http://localhost:1\n'],
    ['has a tag that would run something', () => 'issuer: !!js/function "function () {}"\n'],
  ])('is refused whole, and the one before stays in force, where it %s', async (_what, text) => {
    const issuer = await runIssuer(onTestFinished);
    const bearer = await issuer.createKey('builder');
    const inForce = hashOf(issuer);
    expect(await change(issuer, text(issuer))).toMatchObject({ code: 'server.configuration_invalid', ...STALE });
    expect((await issuer.ask({ bearer })).status).toBe(200);
    expect(authorizationOf(issuer)).toMatchObject({ configuration: inForce });
    expect((await issuer.ask({})).code).toBe('caller.credential_missing');
    expect(issuer.lines().at(-1)).toMatchObject({ code: 'caller.credential_missing', ...STALE });
    // Mended again, no line says so any more.
    const mended = await change(issuer, { ...issuer.configuration, models: [{ id: 'x', provider: 'y' }] });
    expect(mended).toMatchObject({ msg: 'the configuration was changed', hash: hashOf(issuer) });
    expect(mended).not.toHaveProperty('configuration');
    expect((await issuer.ask({ bearer })).status).toBe(200);
    expect(authorizationOf(issuer)).toMatchObject({ configuration: hashOf(issuer) });
  });

  it('keeps no revoked key in force: within five seconds it is refused', async () => {
    const issuer = await runIssuer(onTestFinished);
    const [bearer, kept] = [await issuer.createKey('builder'), await issuer.createKey('builder')];
    await change(issuer, 'broken');
    expect((await issuer.ask({ bearer })).status).toBe(200);
    await issuer.desk((desk) => desk.revokeKey(bearer.split('_')[1]!));
    const code = async () => (await issuer.ask({ bearer })).code;
    await expect.poll(code).toBe('caller.api_key_revoked');
    expect((await issuer.ask({ bearer: kept })).status).toBe(200);
    await issuer.desk((desk) => desk.revokeCaller('builder'));
    await expect.poll(async () => (await issuer.ask({ bearer: kept })).code).toBe('caller.revoked');
  });

  it('is told apart from one that is gone, and from one that comes back as it was', async () => {
    const issuer = await runIssuer(onTestFinished);
    const bearer = await issuer.createKey('builder');
    const gone = await said(issuer, () => unlinkSync(issuer.file));
    expect(gone).toMatchObject({ code: 'server.configuration_invalid', ...STALE });
    expect((await issuer.ask({ bearer })).status).toBe(200);
    expect(await change(issuer, issuer.configuration)).toMatchObject({ hash: hashOf(issuer) });
  });

  it('is one with bytes that are no UTF-8: two files would have one hash', async () => {
    const issuer = await runIssuer(onTestFinished);
    const withComment = (byte: number) =>
      Buffer.concat([Buffer.from(JSON.stringify(issuer.configuration)), Buffer.from([0x0a, 0x23, 0x20, byte, 0x0a])]);
    expect(await said(issuer, () => writeFileSync(issuer.file, withComment(0x7e)))).toMatchObject({
      hash: hashOf(issuer),
    });
    expect(await said(issuer, () => writeFileSync(issuer.file, withComment(0xff)))).toMatchObject({
      code: 'server.configuration_invalid',
      ...STALE,
    });
  });
});

describe('a change of the file', () => {
  it('that takes the last caller away opens nothing', async () => {
    const issuer = await runIssuer(onTestFinished);
    const bearer = await issuer.createKey('builder');
    await change(issuer, { ...issuer.configuration, callers: [] });
    expect((await issuer.ask({ bearer })).code).toBe('caller.unknown');
    expect((await issuer.ask({})).code).toBe('caller.credential_missing');
    expect(issuer.tokens()).toEqual([]);
  });

  it('that adds the first caller does not look as if it were in force: nobody would be asked who they are', async () => {
    const issuer = await runIssuer(onTestFinished, () => ({ callers: [] }));
    expect((await issuer.ask({})).status).toBe(200);
    expect(await change(issuer, { ...issuer.configuration, callers: [BUILDER] })).toMatchObject({
      code: 'server.configuration_invalid',
      msg: expect.stringContaining('started again'),
      ...STALE,
    });
  });

  it.each<[string, Configuration]>([
    ['data', { data: '/tmp/elsewhere' }],
    ['issuer', { issuer: 'https://agents.example.com', callers: [BUILDER] }],
    ['listen', { listen: { address: '127.0.0.1', port: 1 } }],
    ['tokens', { tokens: { algorithm: 'RS256' } }],
    ['roles', { roles: ['issuer', 'sboms'] }],
    ['limits', { limits: { requestsPerSecond: 1 } }],
  ])('of what is fixed says to start again: %s', async (name, changes) => {
    const issuer = await runIssuer(onTestFinished);
    const bearer = await issuer.createKey('builder');
    const line = await change(issuer, {
      ...issuer.configuration,
      ...changes,
      models: [{ id: SIX_FIELDS.model_id, provider: 'other' }],
    });
    expect(line).toMatchObject({ code: 'server.configuration_invalid', ...STALE });
    expect(line['msg']).toMatch(new RegExp(`changes .*${name}.*started again`));
    // Nothing of it counts, the part that is not fixed neither.
    expect((await issuer.ask({ bearer })).claims).not.toHaveProperty('model_provider');
  });

  it('takes rights away from the next request on', async () => {
    const issuer = await runIssuer(onTestFinished, () => ({ agents: undefined }));
    const bearer = await issuer.createKey('builder');
    expect((await issuer.ask({ bearer })).status).toBe(200);
    await change(issuer, { ...issuer.configuration, callers: [{ ...BUILDER, may: { agents: ['other'] } }] });
    expect((await issuer.ask({ bearer })).code).toBe('caller.agent_not_allowed');
    await change(issuer, { ...issuer.configuration, callers: [{ ...BUILDER, name: 'another' }] });
    expect((await issuer.ask({ bearer })).code).toBe('caller.unknown');
  });

  it('does not reach a request that began before it, and its row names the file that it began under', async () => {
    const key = makeIssuerKey();
    const held: Array<() => void> = [];
    const forge = createServer(({ url: path }, response) => {
      const url = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
      const send = () =>
        response.end(JSON.stringify(path === '/jwks' ? { keys: [key.jwk] } : { issuer: url, jwks_uri: `${url}/jwks` }));
      if (path === '/jwks') held.push(send);
      else send();
    });
    await new Promise<void>((resolve) => forge.listen({ host: '127.0.0.1', port: 0 }, resolve));
    onTestFinished(() => void forge.close());
    const forgeUrl = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
    const issuer = await runIssuer(onTestFinished, (url) => ({ callers: [githubCaller(forgeUrl, url)] }));
    const began = hashOf(issuer);
    const asked = issuer.ask({ bearer: mintToken(key, jobClaims(issuer.url, { iss: forgeUrl })) });
    await expect.poll(() => held.length).toBe(1);
    await change(issuer, {
      ...issuer.configuration,
      callers: [githubCaller(forgeUrl, issuer.url, { may: { agents: ['other'] } })],
      agents: [{ name: 'other' }],
    });
    held[0]!();
    expect((await asked).status).toBe(200);
    expect(authorizationOf(issuer)).toMatchObject({ configuration: began, caller: 'actions' });
    const next = await issuer.ask({ bearer: mintToken(key, jobClaims(issuer.url, { iss: forgeUrl })) });
    expect(next.code).toBe('caller.agent_not_allowed');
  });

  it('is seen where the file is a link to a folder that is exchanged', async () => {
    const issuer = await runIssuer(onTestFinished);
    const bearer = await issuer.createKey('builder');
    const folder = dirname(issuer.file);
    const version = (name: string, configuration: Configuration) => {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'colophon.yaml'), JSON.stringify(configuration));
    };
    version('..1', issuer.configuration);
    version('..2', { ...issuer.configuration, callers: [{ ...BUILDER, may: { agents: [] } }] });
    symlinkSync('..1', join(folder, '..data'));
    symlinkSync('..data/colophon.yaml', `${issuer.file}.link`);
    renameSync(`${issuer.file}.link`, issuer.file);
    expect((await issuer.ask({ bearer })).status).toBe(200);
    await said(issuer, () => {
      symlinkSync('..2', join(folder, '..data.new'));
      renameSync(join(folder, '..data.new'), join(folder, '..data'));
    });
    expect((await issuer.ask({ bearer })).code).toBe('caller.agent_not_allowed');
  });
});

describe('a file that is being written', () => {
  it('counts for nothing between two writes, where what stands there so far is a wider file than the old and the new', async () => {
    const issuer = await runIssuer(onTestFinished);
    const bearer = await issuer.createKey('builder');
    const { callers: _callers, ...others } = issuer.configuration;
    const head = Object.entries(others).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    const may = ['      agents: [code-writer]\n', '      models: [none-of-ours]\n'].map((line) =>
      line.replace('code-writer', SIX_FIELDS.agent_name),
    );
    const lines = [...head, 'callers:\n', '  - name: builder\n', '    apiKey: true\n', '    may:\n', ...may];
    const text = lines.join('');
    await change(issuer, text);
    const before = issuer.lines().length;
    let written = 0;
    // Between any two looks the writer has written once more.
    const writing = setInterval(() => {
      written += 1;
      writeFileSync(issuer.file, `${lines.slice(0, -1).join('')}#${' '.repeat(written)}`);
    }, 1);
    onTestFinished(() => clearInterval(writing));
    await expect.poll(() => written).toBeGreaterThan(100);
    expect((await issuer.ask({ bearer })).code).toBe('caller.model_not_allowed');
    clearInterval(writing);
    await change(issuer, `${text}# and so on\n`);
    expect((await issuer.ask({ bearer })).code).toBe('caller.model_not_allowed');
    const said = issuer.lines().slice(before);
    expect(said.filter(({ msg }) => msg === 'the configuration was changed')).toHaveLength(1);
  });
});

describe('a file without callers', () => {
  it('has its registries and its demands in force all the same', async () => {
    const claims = { required: ['repo'] };
    const issuer = await runIssuer(onTestFinished, () => ({
      callers: [],
      agents: [
        { name: SIX_FIELDS.agent_name, id: 'agent-1' },
        { name: 'sleeping', state: 'suspended' },
      ],
      models: [{ id: 'large-*', provider: 'vendor' }],
      claims,
    }));
    const ask = (changes: object) => issuer.ask({ body: { ...SIX_FIELDS, repo: 'acme/shop', ...changes } });
    expect((await ask({ agent_name: 'sleeping' })).code).toBe('issuance.agent_inactive');
    expect((await ask({ agent_name: 'other' })).code).toBe('issuance.agent_unregistered');
    expect((await ask({ model_provider: 'other' })).code).toBe('issuance.claim_contradicted');
    expect((await ask({ repo: undefined })).code).toBe('issuance.claim_missing');
    expect((await ask({})).claims).toMatchObject({ agent_id: 'agent-1', model_provider: 'vendor' });
    await change(issuer, { ...issuer.configuration, agents: [{ name: 'other' }] });
    expect((await ask({})).code).toBe('issuance.agent_unregistered');
  });
});

describe('a second process', () => {
  it('on the same data is refused, and the first goes on', async () => {
    const issuer = await runIssuer(onTestFinished);
    const bearer = await issuer.createKey('builder');
    const { file } = issuer;
    await expect(serveConfiguration({ file, env: {}, reviewerSecretFile: `${file}.secret` })).rejects.toMatchObject({
      code: 'server.data_folder_in_use',
    });
    expect((await issuer.ask({ bearer })).status).toBe(200);
  });
});

describe('a certificate', () => {
  /** What a new connection is shown. */
  const shown = (port: number) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().fingerprint256);
        socket.destroy();
      });
      socket.on('error', reject);
    });

  it('is renewed with its key, or not at all', async () => {
    const pairs = [selfSigned(), selfSigned(), selfSigned()] as const;
    let files: { readonly cert: string; readonly key: string } | undefined;
    const issuer = await runIssuer(
      onTestFinished,
      (url) => {
        const { port } = new URL(url);
        return {
          listen: { address: '127.0.0.1', port: Number(port), tls: { certificate: 'tls.crt', key: 'file:tls.key' } },
        };
      },
      (folder) => {
        files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
        writeFileSync(files.cert, pairs[0].cert);
        writeFileSync(files.key, pairs[0].key);
      },
    );
    const first = await shown(issuer.port);
    const refusals = () => issuer.lines().filter(({ code }) => code === 'server.tls_unusable').length;
    writeFileSync(files!.cert, pairs[1].cert);
    await expect.poll(refusals).toBe(1);
    expect(await shown(issuer.port)).toBe(first);
    writeFileSync(files!.key, pairs[1].key);
    await expect.poll(() => shown(issuer.port)).not.toBe(first);
    const second = await shown(issuer.port);
    for (const [index, [cert, key]] of [
      ['', pairs[2].key],
      ['no PEM', pairs[2].key],
      [pairs[2].cert, ''],
    ].entries()) {
      writeFileSync(files!.cert, cert!);
      writeFileSync(files!.key, key!);
      await expect.poll(refusals).toBeGreaterThan(1 + index);
      expect(await shown(issuer.port)).toBe(second);
    }
    expect(JSON.stringify(issuer.lines())).not.toContain('PRIVATE KEY');
  });
});
