// Registries as they are: one says that it lists referrers and does not, another lets no tag be moved. What is signed is
// found again, or the command says what is not there.
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
beforeAll(async () => {
  here = await install(cleanup);
});
type Habits = { readonly listsReferrers: boolean; readonly ofMovedTag?: number };

/** Our registry as somebody else's, under an address of its own. */
async function inFrontOf({ listsReferrers, ofMovedTag }: Habits): Promise<string> {
  const server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const part of request) body.push(part as Buffer);
    const url = new URL(request.url as string, here.url);
    const asked = async (method = request.method) =>
      fetch(url, {
        method: method as string,
        headers: Object.fromEntries(
          Object.entries(request.headers)
            .filter(([name]) => ['accept', 'content-type', 'if-match', 'if-none-match'].includes(name))
            .map(([name, value]) => [name, String(value)]),
        ),
        ...(body.length > 0 && method !== 'GET' ? { body: Buffer.concat(body) } : {}),
      });
    const isTag = request.method === 'PUT' && /\/manifests\/(?!sha256:)/.test(url.pathname);
    if (!listsReferrers && url.pathname.includes('/referrers/')) return response.writeHead(404).end();
    if (ofMovedTag !== undefined && isTag && (await asked('GET')).status === 200) {
      return response.writeHead(ofMovedTag).end('{}');
    }
    const answer = await asked();
    const kept = [...answer.headers].filter(([name]) => !['content-length', 'connection'].includes(name));
    const location = answer.headers.get('location');
    const headers = Object.fromEntries(kept.filter(([name]) => name !== 'location'));
    if (location !== null) headers['location'] = location.replace(here.url, '');
    return response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup(() => {
    server.close();
    server.closeAllConnections();
  });
  return `localhost:${(server.address() as AddressInfo).port}`;
}

async function pushedTo(registry: string, name: string): Promise<string> {
  return (await here.push(name)).replace(here.registry, registry);
}

const BY_ALICE = ['--reviewer', 'alice@example.com', '--commit-sha', COMMIT];

test('a signature and a rejection are found though the registry only says that it lists them', async () => {
  const registry = await inFrontOf({ listsReferrers: false });
  const image = await pushedTo(registry, 'webshop-listed');
  const policy = here.file('listed.yaml', policyText(here.url, registry));
  await here.document('sign', ...CONTEXT, '--signature-format', 'bundle', image);
  await here.document('verify', ...here.pinned, image);
  await here.document('review', 'approve', ...BY_ALICE, image);
  await here.document('admit', image, '--policy', policy);
  await here.document('review', 'reject', ...BY_ALICE, '--no-evidence', '--bundle', `${here.folder}/no.json`, image);
  const refused = await here.run('admit', image, '--policy', policy, '--output', 'json');
  expect(JSON.stringify(refused.stdout)).toContain('admission.review_rejected');
});

describe.each([400, 409, 412])('where a tag cannot be moved, and the registry answers %i', (ofMovedTag) => {
  test('the second signature is its bundle, and the command says what is not there', async () => {
    const registry = await inFrontOf({ listsReferrers: true, ofMovedTag });
    const image = await pushedTo(registry, `webshop-immutable-${ofMovedTag}`);
    await here.document('sign', ...CONTEXT, image);
    const second = await here.run('sign', ...CONTEXT.with(1, 'code-fixer'), image);
    expect(second).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('immutable tags') });
    for (const reviewer of ['alice@example.com', 'dana@example.com']) {
      const by = ['--reviewer', reviewer, '--commit-sha', COMMIT];
      expect((await here.run('review', 'approve', ...by, image)).exitCode).toBe(0);
    }
    const pinned = ['--certificate-identity', 'agent:code-fixer', '--certificate-oidc-issuer', here.url];
    const { signatures } = await here.document('verify', ...pinned, image);
    expect(signatures).toHaveLength(1);
  });

  test('and lists no referrers, a signature is refused that nobody would find, and is on disk', async () => {
    const registry = await inFrontOf({ listsReferrers: false, ofMovedTag });
    const image = await pushedTo(registry, `webshop-lost-${ofMovedTag}`);
    await here.document('sign', ...CONTEXT, '--signature-format', 'bundle', image);
    const bundle = `${here.folder}/lost-${ofMovedTag}.json`;
    const refused = await here.refusal('review', 'reject', ...BY_ALICE, '--bundle', bundle, image);
    expect(refused).toMatchObject({ exitCode: 3, code: 'registry.tag_immutable' });
    expect(refused.message).toMatch(/tag sha256-[0-9a-f]{64} .*immutable tags/);
    expect(existsSync(bundle)).toBe(true);
    const { rejections } = await here.document('review', 'list');
    expect(JSON.stringify(rejections)).toContain(image.slice(-64));
  });
});
