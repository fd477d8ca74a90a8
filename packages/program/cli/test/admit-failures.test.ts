import { cleanupAt } from '@colophon/testkit';
// Whatever fails while an image is looked at, and wherever: nothing is admitted that was not seen whole, and what is
// refused stays refused.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let policy: string;
const by = (name: string) => ['--reviewer', `${name}@example.com`, '--commit-sha', COMMIT];

beforeAll(async () => {
  here = await install(cleanup);
  policy = here.file('policy.yaml', policyText(here.url, here.registry));
});
afterEach(() => {
  vi.unstubAllGlobals();
});

type Answer = (whole: () => Promise<Response>) => Promise<Response>;

/** What goes wrong with every request to one address. */
const FAILURES: Readonly<Record<string, Answer>> = {
  'the connection fails': () => Promise.reject(new TypeError('fetch failed')),
  'the server fails': () => Promise.resolve(new Response('{"errors":[]}', { status: 500 })),
  'nobody may read it': () => Promise.resolve(new Response('{"errors":[]}', { status: 403 })),
  'the answer is cut off': async (whole) => changed(await whole(), (bytes) => bytes.slice(0, bytes.length >> 1)),
  'the answer is another one': async (whole) => changed(await whole(), () => Buffer.from('{"a":1}')),
};

/** The answer with another body. One that says that nothing is there needs none to say it, and fails instead. */
async function changed(answer: Response, change: (bytes: Uint8Array) => Uint8Array): Promise<Response> {
  if (!answer.ok) throw new TypeError('fetch failed');
  const { status } = answer;
  // Whoever answers in place of a registry gives no digest.
  const headers = { 'content-type': answer.headers.get('content-type') ?? '' };
  return new Response(Buffer.from(change(new Uint8Array(await answer.arrayBuffer()))), { status, headers });
}

const SAYS_THERE_IS_NONE: Answer = () => Promise.resolve(new Response('{"errors":[]}', { status: 404 }));

/** Every address that is asked, in order; `failing` answers for the one that is `at`. */
function watched(at?: string, failing?: Answer): Set<string> {
  vi.unstubAllGlobals();
  const { fetch } = globalThis;
  const asked = new Set<string>();
  vi.stubGlobal('fetch', (...call: Parameters<typeof fetch>) => {
    const address = `${call[1]?.method ?? 'GET'} ${call[0] instanceof Request ? call[0].url : String(call[0])}`;
    asked.add(address);
    const whole = () => fetch(...call);
    return address === at && failing !== undefined ? failing(whole) : whole();
  });
  return asked;
}

async function admits(image: string): Promise<boolean> {
  const { exitCode } = await here.run('admit', image, '--policy', policy);
  return exitCode === 0;
}

test('an image is admitted only where everything that was asked for answered', async () => {
  const image = await here.push('webshop-failures');
  await here.document('sign', ...CONTEXT, image);
  await here.document('review', 'approve', image, ...by('alice'));
  // The list is signed for whoever asks first, by a server that is in this process too.
  expect(await admits(image)).toBe(true);
  const asked = watched();
  expect(await admits(image)).toBe(true);
  const addresses = [...asked];
  expect(addresses.length).toBeGreaterThan(5);
  for (const [what, failing] of Object.entries(FAILURES)) {
    for (const address of addresses) {
      watched(address, failing);
      expect([what, address, await admits(image)]).toEqual([what, address, false]);
    }
  }
});

test('a rejected image stays refused, whatever fails or is said not to be there', async () => {
  const image = await here.push('webshop-rejected');
  await here.document('sign', ...CONTEXT, image);
  await here.document('review', 'approve', image, ...by('alice'));
  await here.document('review', 'reject', image, ...by('bob'));
  expect(await admits(image)).toBe(false);
  const asked = watched();
  expect(await admits(image)).toBe(false);
  for (const [what, failing] of Object.entries({ ...FAILURES, 'there is none': SAYS_THERE_IS_NONE })) {
    for (const address of asked) {
      watched(address, failing);
      expect([what, address, await admits(image)]).toEqual([what, address, false]);
    }
  }
});

test('a tag that answers with something else is not written over', async () => {
  const image = await here.push('webshop-extended');
  await here.document('sign', ...CONTEXT, image);
  const [name = '', digest = ''] = image.split('@');
  const tag = `${digest.replace(':', '-')}.sig`;
  const address = `GET ${name.replace(here.registry, `${here.url}/v2`)}/manifests/${tag}`;
  watched(address, FAILURES['the answer is another one']);
  expect((await here.refusal('sign', ...CONTEXT, image)).code).toBe('registry.answer_invalid');
});
