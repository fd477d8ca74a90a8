import { GateBusyError, type RememberedDecision } from '@colophon/gate';
import { RegistryClient, RegistryError } from '@colophon/sigstore';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { applyPatch } from '../../../kubernetes/test/json-patch.ts';
import { type Policy, parsePolicy } from '../../../policy/src/index.ts';
import { container, pod, review, simplePod } from '../../test/objects.ts';
import { ReviewHandler, type ReviewHandlerOptions, type WebhookRules } from './review-handler.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const APP = `ghcr.io/acme/app@${DIGEST}`;
const POLICY = policyOf(
  'version: 1\nname: shop\nimages: ["ghcr.io/acme/**"]\nagent: { issuer: https://i.example, subject: agent:a }',
);
const ADMITTED: RememberedDecision = {
  admitted: true,
  reasons: [],
  warnings: [],
  agents: [],
  reviewers: [],
  excused: [],
};
const REFUSED: RememberedDecision = {
  ...ADMITTED,
  admitted: false,
  reasons: [{ code: 'admission.review_missing', message: 'No review was found for the image.', policy: 'shop' }],
};

function policyOf(text: string): Policy {
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

/** A registry whose every tag is one image, or that fails. */
function registryOf(resolve: () => Promise<string>): RegistryClient {
  return Object.assign(new RegistryClient(), {
    resolve: async (image: object) => ({ ...image, digest: await resolve(), mediaType: 'x', size: 1 }),
  });
}

type SetUp = {
  verdict?: RememberedDecision | (() => Promise<RememberedDecision>);
  mode?: WebhookRules['mode'];
  resolve?: () => Promise<string>;
  more?: Partial<ReviewHandlerOptions>;
};

function setUp({ verdict = ADMITTED, mode = 'enforce', resolve = async () => DIGEST, more = {} }: SetUp = {}) {
  const asked: string[] = [];
  const onDecision = vi.fn<ReviewHandlerOptions['onDecision']>();
  const onUnread = vi.fn();
  const onError = vi.fn();
  const rules: WebhookRules = {
    policies: [POLICY],
    trust: undefined as never,
    fingerprint: 'f',
    mode,
    excludedNamespaces: new Set(['kube-system']),
  };
  const handler = new ReviewHandler({
    gate: {
      decide: async (reference) => {
        asked.push(reference);
        return { verdict: typeof verdict === 'function' ? await verdict() : verdict, cached: false };
      },
    },
    rules: () => rules,
    registryFor: () => ({ client: registryOf(resolve), credential: '' }),
    now: () => new Date('2026-11-28T10:00:00Z'),
    onDecision,
    onUnread,
    onError,
    ...more,
  });
  return { handler, asked, onDecision, onUnread, onError };
}

const REQUEST = {
  uid: 'u-1',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  name: '',
  namespace: 'shop',
  operation: 'CREATE',
  userInfo: { username: 'alice' },
  object: simplePod(APP),
};
const answerOf = async (
  handler: ReviewHandler,
  webhook: 'mutate' | 'validate',
  request: object,
  timeoutMs = 100_000,
) => {
  const { status, body } = await handler.answer(webhook, review(request), timeoutMs);
  return { status, ...JSON.parse(body).response };
};
const refusalOf = async (handler: ReviewHandler, webhook: 'mutate' | 'validate', request: object) => {
  const { body } = await handler.answer(webhook, review(request), 100_000);
  const { allowed, status } = JSON.parse(body).response;
  return { allowed, message: status?.message };
};
const validate = async (options: SetUp, request: object = {}, timeoutMs?: number) =>
  answerOf(setUp(options).handler, 'validate', { ...REQUEST, ...request }, timeoutMs);
const DEPLOYMENT = {
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  object: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [container('web', 'ghcr.io/acme/app:v1')] } } },
  },
};

describe('the validating webhook', () => {
  it('allows what the gate admits, and says why not what it refuses', async () => {
    expect(await validate({})).toEqual({ status: 200, uid: 'u-1', allowed: true });
    const refused = await validate({ verdict: REFUSED });
    expect([refused.allowed, refused.status.message ?? refused.status]).toEqual([false, expect.anything()]);
    const { body } = await setUp({ verdict: REFUSED }).handler.answer('validate', review(REQUEST), 1000);
    expect(JSON.parse(body).response.status.message).toBe(
      `spec.containers[web] ${APP}: admission.review_missing: No review was found for the image. (policy shop)`,
    );
  });

  it('resolves nothing of a Pod', async () => {
    const resolve = vi.fn(async () => DIGEST);
    const { handler, asked } = setUp({ resolve });
    const { body } = await handler.answer('validate', review({ ...REQUEST, object: simplePod() }), 1000);
    expect(JSON.parse(body).response.status.message).toContain('webhook.image_not_pinned');
    expect([asked, resolve.mock.calls]).toEqual([[], []]);
  });

  it('judges a workload by what its tag means now, and never changes it', async () => {
    const { handler, asked } = setUp();
    expect(await answerOf(handler, 'validate', { ...REQUEST, ...DEPLOYMENT })).toEqual({
      status: 200,
      uid: 'u-1',
      allowed: true,
    });
    expect(asked).toEqual([`ghcr.io/acme/app:v1@${DIGEST}`]);
    expect(await answerOf(handler, 'mutate', { ...REQUEST, ...DEPLOYMENT })).toEqual({
      status: 200,
      uid: 'u-1',
      allowed: true,
    });
  });

  it('lets a template leave its image to its Pods, and no Pod', async () => {
    const { handler, asked, onDecision } = setUp({ verdict: REFUSED });
    const template = (spec: object) => ({
      ...DEPLOYMENT,
      object: { ...DEPLOYMENT.object, spec: { template: { spec } } },
    });
    const open = { containers: [{ name: 'web' }], volumes: [{ name: 'model', image: {} }] };
    expect((await answerOf(handler, 'validate', { ...REQUEST, ...template(open) })).allowed).toBe(true);
    expect([asked, onDecision.mock.calls]).toEqual([[], []]);
    const one = { ...open, containers: [container('web', APP)] };
    expect((await answerOf(handler, 'validate', { ...REQUEST, ...template(one) })).allowed).toBe(false);
    expect(asked).toEqual([APP]);
    for (const webhook of ['validate', 'mutate'] as const) {
      const { allowed, message } = await refusalOf(handler, webhook, { ...REQUEST, object: pod(one) });
      expect([allowed, message]).toEqual([
        false,
        'kubernetes.object_malformed: The images of the object cannot be found. ' +
          '(found /spec/volumes/0/image/reference kubernetes.image_missing)',
      ]);
    }
  });

  it('takes integers of 64 bits', async () => {
    const text = new TextDecoder().decode(review(REQUEST));
    const long = text.replace('"containers":', '"terminationGracePeriodSeconds":9223372036854775807,"containers":');
    const { body } = await setUp().handler.answer('validate', new TextEncoder().encode(long), 1000);
    expect([long.length > text.length, JSON.parse(body).response]).toEqual([true, { uid: 'u-1', allowed: true }]);
  });

  it('asks once for an image that stands in two places, and names both', async () => {
    const { handler, asked, onDecision } = setUp({ verdict: REFUSED });
    const object = pod({ containers: [container('a', APP), container('b', APP)] });
    await handler.answer('validate', review({ ...REQUEST, object }), 1000);
    expect(asked).toEqual([APP]);
    expect(onDecision.mock.calls[0]?.[0].images.map(({ place }) => place)).toEqual([
      'spec.containers[a]',
      'spec.containers[b]',
    ]);
  });

  it('asks no registry for what no policy covers', async () => {
    const resolve = vi.fn(async () => DIGEST);
    const { handler } = setUp({ resolve, verdict: REFUSED });
    await answerOf(handler, 'mutate', { ...REQUEST, object: simplePod('evil.example/x:1') });
    await answerOf(handler, 'validate', { ...REQUEST, object: simplePod('evil.example/x:1') });
    expect(resolve).not.toHaveBeenCalled();
  });

  it('passes by exceptions and audits with a warning', async () => {
    const warnings = [
      {
        code: 'admission.exception',
        message: 'The image passes by an exception of the policy, although evidence is missing.',
        found:
          'until 2026-11-21T22:00:00Z, by platform team: hotfix of the checkout; instead of admission.no_signature',
        policy: 'production',
      },
      { code: 'admission.review_missing', message: 'No review.' },
    ] as const;
    const { warnings: said } = await validate({ verdict: { ...ADMITTED, warnings } });
    const image = APP.replace(/(@sha256:.{12}).*/, '$1…');
    expect(image).toMatch(/…$/);
    // All of it: an API server cuts what is longer than 256 characters.
    expect(said).toEqual([
      `would be refused: spec.containers[web] ${image}: admission.review_missing: No review.`,
      `spec.containers[web] ${image}: admission.exception ${warnings[0].found} (policy production)`,
    ]);
  });

  it('tells a contradiction that a policy only warns of, and calls it no refusal', async () => {
    const found = 'model.id: x and m';
    const told = {
      code: 'admission.contradiction_seen',
      message: 'They cannot all be true.',
      found,
      policy: 'production',
    } as const;
    const refused = { code: 'admission.contradiction', message: 'They cannot all be true.' } as const;
    const { allowed, warnings } = await validate({ verdict: { ...ADMITTED, warnings: [told, refused] as const } });
    expect([allowed, warnings?.map((text: string) => text.replace(/^(would be refused: )?.*?: /, '$1'))]).toEqual([
      true,
      [
        'would be refused: admission.contradiction: They cannot all be true.',
        `admission.contradiction_seen ${found} (policy production)`,
      ],
    ]);
  });

  it('looks at no namespace that is excluded by name', async () => {
    expect((await validate({ verdict: REFUSED }, { namespace: 'kube-system' })).allowed).toBe(true);
    expect((await validate({ verdict: REFUSED }, { namespace: 'kube-system2' })).allowed).toBe(false);
  });
});

describe('the mutating webhook', () => {
  it('pins every tag of a Pod', async () => {
    const object = pod({
      containers: [container('a', 'ghcr.io/acme/app:v1'), container('b', APP)],
      initContainers: [container('c', 'ghcr.io/acme/app')],
    });
    const { patch } = await answerOf(setUp().handler, 'mutate', { ...REQUEST, object });
    const after = JSON.stringify(applyPatch(object, JSON.parse(atob(patch))));
    expect(after).toContain(`"ghcr.io/acme/app:v1@${DIGEST}"`);
    expect(after).toContain(`"ghcr.io/acme/app@${DIGEST}"`);
  });

  it('refuses where the registry fails, with its code', async () => {
    const resolve = async () => {
      throw new RegistryError('registry.unreachable', 'cannot reach ghcr.io');
    };
    const { handler, onDecision } = setUp({ resolve });
    const { body } = await handler.answer('mutate', review({ ...REQUEST, object: simplePod() }), 1000);
    expect(JSON.parse(body).response.status.message).toContain('registry.unreachable: cannot reach ghcr.io.');
    expect(onDecision.mock.calls[0]?.[0]).toMatchObject({ webhook: 'mutate', admitted: false });
  });

  it('changes nothing in an audit', async () => {
    const audit = setUp({ mode: 'audit' });
    expect(await answerOf(audit.handler, 'mutate', { ...REQUEST, object: simplePod() })).toEqual({
      status: 200,
      uid: 'u-1',
      allowed: true,
    });
    const answer = await answerOf(setUp({ mode: 'audit', verdict: REFUSED }).handler, 'validate', {
      ...REQUEST,
      object: simplePod(),
    });
    expect([answer.allowed, answer.warnings[0]]).toEqual([
      true,
      expect.stringContaining('would be refused: spec.containers[web]'),
    ]);
  });
});

describe('whatever goes wrong refuses, in time', () => {
  it('a registry or store that does not answer', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const never = () => new Promise<RememberedDecision>(() => {});
    let answered = '';
    void setUp({ verdict: never })
      .handler.answer('validate', review(REQUEST), 50)
      .then(({ body }) => {
        answered = body;
      });
    await vi.advanceTimersByTimeAsync(49);
    expect(answered).toBe('');
    await vi.advanceTimersByTimeAsync(1);
    expect(JSON.parse(answered).response.status.message).toContain('webhook.timeout');
  });

  it('an error that nobody foresaw', async () => {
    const { handler, onError } = setUp({ verdict: () => Promise.reject(new Error('bug')) });
    const answer = await answerOf(handler, 'validate', REQUEST);
    expect([answer.allowed, onError.mock.calls.length]).toEqual([false, 1]);
    const broken = setUp({
      more: {
        rules: () => {
          throw new Error('no rules');
        },
      },
    });
    expect((await answerOf(broken.handler, 'validate', REQUEST)).allowed).toBe(false);
  });

  it('more images at once than the gate takes on', async () => {
    const busy = async () => {
      throw new GateBusyError();
    };
    const { handler, onError } = setUp({ verdict: busy });
    expect((await refusalOf(handler, 'validate', REQUEST)).message).toContain('webhook.overloaded');
    expect(onError).not.toHaveBeenCalled();
  });

  it('more tags at once than it resolves; images that are pinned are none of them', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { handler } = setUp({ resolve: () => promise, more: { mostTags: 1 } });
    const tagged = (tag: string) => ({ ...REQUEST, object: simplePod(`ghcr.io/acme/app:${tag}`) });
    const first = answerOf(handler, 'mutate', tagged('v1'));
    expect((await refusalOf(handler, 'mutate', tagged('v2'))).message).toContain('webhook.overloaded');
    expect((await answerOf(handler, 'mutate', REQUEST)).allowed).toBe(true);
    expect((await answerOf(handler, 'validate', REQUEST)).allowed).toBe(true);
    resolve(DIGEST);
    expect((await first).allowed).toBe(true);
    expect((await answerOf(handler, 'mutate', tagged('v2'))).allowed).toBe(true);
  });

  it('a review that cannot be read, and tells of it, for no record says what it was about', async () => {
    const { handler, onUnread, onDecision } = setUp({ mode: 'audit' });
    await handler.answer('validate', review({ ...REQUEST, dryRun: 'x' }), 1000);
    await handler.answerUnread(review(REQUEST), 'too-large');
    expect(onUnread.mock.calls).toEqual([
      ['u-1', 'kubernetes.review_malformed'],
      ['u-1', 'webhook.review_too_large'],
    ]);
    expect(onDecision).not.toHaveBeenCalled();
  });

  it('a body that is no review', async () => {
    const { handler } = setUp();
    const { status, body } = await handler.answer('validate', new TextEncoder().encode('{}'), 1000);
    expect([status, JSON.parse(body)]).toMatchObject([400, { kind: 'Status', status: 'Failure', code: 400 }]);
    expect((await refusalOf(handler, 'validate', { ...REQUEST, dryRun: 'x' })).allowed).toBe(false);
    const { message } = await refusalOf(handler, 'validate', { ...REQUEST, dryRun: 'x', object: 1 });
    expect(message).toContain(
      'found /request/object admission_review.field_type; /request/dryRun admission_review.field_type',
    );
  });

  it('a review that cannot be read to its end: without an answer it would come in where a webhook that fails is ignored', async () => {
    const text = new TextDecoder().decode(review(REQUEST));
    const twice = new TextEncoder().encode(text.replace('"image":', '"image":"a","image":'));
    for (const webhook of ['validate', 'mutate'] as const) {
      const { status, body } = await setUp().handler.answer(webhook, twice, 1000);
      expect([status, JSON.parse(body).response]).toMatchObject([200, { uid: 'u-1', allowed: false }]);
      expect(JSON.parse(body).response.status.message).toContain('json.duplicate_key');
    }
  });

  it.each([
    ['too-large', 'webhook.review_too_large', /at most 41943040 bytes, with at most 1000000 values/],
    ['no-room', 'webhook.overloaded', /try again/],
  ] as const)('a review of which only the beginning is there: %s', async (why, code, words) => {
    const beginning = review(REQUEST).subarray(0, 100);
    const unread = await setUp().handler.answerUnread(beginning, why);
    const { uid, allowed, status } = JSON.parse(unread?.body ?? '').response;
    expect([unread?.status, uid, allowed, status.message.split(':')[0]]).toEqual([200, 'u-1', false, code]);
    expect(status.message).toMatch(words);
    const audited = await setUp({ mode: 'audit' }).handler.answerUnread(beginning, why);
    expect(JSON.parse(audited?.body ?? '').response).toEqual({
      uid: 'u-1',
      allowed: true,
      warnings: [expect.stringContaining(`would be refused: ${code}`)],
    });
    expect(await setUp().handler.answerUnread(new TextEncoder().encode('{}'), why)).toBeUndefined();
  });

  it('an image with a NUL character, and nothing else with one', async () => {
    const { handler, onDecision } = setUp();
    const { allowed, message } = await refusalOf(handler, 'validate', { ...REQUEST, object: simplePod(`${APP}\0`) });
    expect([allowed, message]).toEqual([false, expect.stringContaining('/spec/containers/0/image kubernetes.nul')]);
    expect(JSON.stringify(onDecision.mock.lastCall?.[0])).not.toContain('\\u0000');
    const object = pod({ containers: [{ ...container('web', APP), args: Array(30).fill('\0') }] });
    expect((await answerOf(handler, 'validate', { ...REQUEST, object })).allowed).toBe(true);
  });

  it.each([
    ['an operation', { operation: 'CONNECT' }, 'kubernetes.operation_not_covered'],
    ['a subresource', { subResource: 'scale' }, 'kubernetes.kind_not_covered'],
    [
      'a kind',
      {
        kind: { group: '', version: 'v1', kind: 'Service' },
        resource: { group: '', version: 'v1', resource: 'services' },
      },
      'kubernetes.kind_not_covered',
    ],
    ['an object of another kind', { object: { ...simplePod(APP), kind: 'Service' } }, 'kubernetes.object_malformed'],
    ['no object', { object: null }, 'kubernetes.object_malformed'],
  ])('%s that it does not know', async (_title, more, code) => {
    for (const webhook of ['validate', 'mutate'] as const) {
      const { allowed, message } = await refusalOf(setUp().handler, webhook, { ...REQUEST, ...more });
      expect([allowed, message.split(':')[0]]).toEqual([false, code]);
    }
  });

  it('an object with more images than are judged, and judges none of them', async () => {
    const crowd = (count: number) =>
      pod({
        containers: Array.from({ length: count }, (_, index) => container(`c${index}`, `ghcr.io/acme/a${index}:v1`)),
      });
    const request = { ...REQUEST, object: crowd(50_000) };
    const covers = vi.spyOn(POLICY.images[0]!, 'covers');
    const resolve = vi.fn(async () => DIGEST);
    const { handler, asked, onDecision } = setUp({ resolve });
    for (const webhook of ['validate', 'mutate'] as const) {
      expect(await refusalOf(handler, webhook, request)).toEqual({
        allowed: false,
        message:
          'kubernetes.too_many_images: The object has more images than are judged of one object. ' +
          '(expected at most 256; found 50000)',
      });
    }
    expect([asked, resolve.mock.calls, covers.mock.calls]).toEqual([[], [], []]);
    expect(onDecision.mock.lastCall?.[0]).toMatchObject({ admitted: false, images: [{ place: 'object', image: '' }] });
    const audited = await answerOf(setUp({ mode: 'audit' }).handler, 'validate', request);
    expect([audited.allowed, audited.warnings]).toEqual([
      true,
      [expect.stringContaining('would be refused: kubernetes.too_many_images')],
    ]);
    covers.mockRestore();
  });

  it('a new image in an object that is being deleted', async () => {
    const deleting = { deletionTimestamp: '2026-11-28T10:00:00Z', finalizers: ['a.example/b'] };
    const update = (image: string) => ({
      ...REQUEST,
      operation: 'UPDATE',
      oldObject: simplePod(APP, deleting),
      object: simplePod(image, { ...deleting, finalizers: [] }),
    });
    const { handler } = setUp({ verdict: REFUSED });
    expect((await answerOf(handler, 'validate', update(APP))).allowed).toBe(true);
    expect((await refusalOf(handler, 'validate', update(`ghcr.io/acme/b@${DIGEST}`))).allowed).toBe(false);
  });

  it('in a line for each reason, of which no text from outside makes one', async () => {
    const lineStarts = async (webhook: 'validate' | 'mutate', options: SetUp, object: object) => {
      const { allowed, message } = await refusalOf(setUp(options).handler, webhook, { ...REQUEST, object });
      return [allowed, ...message.split('\n').map((line: string) => line.slice(0, line.indexOf(':')))];
    };
    const forged = 'evil.example/x\nspec.containers[y] good.example/y: admitted';
    const both = pod({ containers: [container('a\nb', forged), container('c', APP)] });
    const policy = { ...REFUSED, reasons: [{ ...REFUSED.reasons[0]!, policy: 'a\nb: c' }] };
    expect(await lineStarts('validate', { verdict: policy }, both)).toEqual([
      false,
      'spec.containers[a\\u000ab] evil.example/x\\u{a}spec.containers[y] good.example/y',
      'spec.containers[c] ghcr.io/acme/app@sha256',
    ]);
    const resolve = () => Promise.reject(new RegistryError('registry.unreachable', 'a\nb'));
    expect(await lineStarts('mutate', { resolve }, simplePod())).toEqual([
      false,
      'spec.containers[web] ghcr.io/acme/app',
    ]);
  });

  it('never by what else an object has: the API server drops items of a Pod', async () => {
    const { handler, asked } = setUp();
    const object = { ...simplePod(APP), items: [simplePod('evil.example/x:1')] };
    expect((await answerOf(handler, 'validate', { ...REQUEST, object })).allowed).toBe(true);
    expect(asked).toEqual([APP]);
  });

  it('an image of blanks', async () => {
    const { handler } = setUp({
      more: {
        gate: { decide: (reference) => Promise.reject(new RegistryError('registry.reference_invalid', reference)) },
      },
    });
    const { message } = await refusalOf(handler, 'validate', { ...REQUEST, object: simplePod(' ') });
    expect(message).toContain('registry.reference_invalid');
  });

  it('never an allow by an exception: whatever is asked', async () => {
    const { handler } = setUp({ verdict: () => Promise.reject(new Error('bug')) });
    const member = fc.constantFrom(
      'uid',
      'kind',
      'namespace',
      'operation',
      'object',
      'oldObject',
      'subResource',
      'dryRun',
      'name',
    );
    await fc.assert(
      fc.asyncProperty(member, fc.jsonValue({ maxDepth: 3 }), async (name, value) => {
        const { status, body } = await handler.answer('validate', review({ ...REQUEST, [name]: value }), 1000);
        const isDelete = name === 'operation' && value === 'DELETE';
        const isExcluded = name === 'namespace' && value === 'kube-system';
        if (status === 200 && !isDelete && !isExcluded) expect(JSON.parse(body).response.allowed).toBe(false);
      }),
    );
  });
});

describe('what policies cover that audit alone', () => {
  const audited = policyOf(
    'version: 1\nname: trial\nmode: audit\nimages: ["ghcr.io/acme/**"]\nagent: { issuer: https://i.example, subject: agent:a }',
  );
  const rulesOf = (policies: readonly Policy[]): WebhookRules => ({
    policies,
    trust: undefined as never,
    fingerprint: 'f',
    mode: 'enforce',
    excludedNamespaces: new Set(),
  });
  const down = () => Promise.reject(new RegistryError('registry.unreachable', 'the registry does not answer'));
  const of = (options: SetUp, policies: readonly Policy[] = [audited]) =>
    setUp({ ...options, more: { rules: () => rulesOf(policies), ...options.more } });
  const tagged = { ...REQUEST, object: simplePod('ghcr.io/acme/app:v1') };

  it('is not changed, and is judged by what its tag means now', async () => {
    const { handler, asked } = of({});
    expect(await answerOf(handler, 'mutate', tagged)).toEqual({ status: 200, uid: 'u-1', allowed: true });
    expect(await answerOf(handler, 'validate', tagged)).toEqual({ status: 200, uid: 'u-1', allowed: true });
    expect(asked).toEqual([`ghcr.io/acme/app:v1@${DIGEST}`]);
  });

  it.each<[string, SetUp]>([
    ['registry.unreachable', { resolve: down }],
    ['registry.unreachable', { verdict: down }],
    ['webhook.internal', { verdict: () => Promise.reject(new Error('bug')) }],
    ['webhook.timeout', { verdict: () => new Promise(() => {}) }],
    ['webhook.overloaded', { more: { mostTags: 0 } }],
  ])('stays in where nothing could be decided, and says so: %s', async (code, options) => {
    const { handler, onDecision } = of(options);
    expect((await answerOf(handler, 'mutate', tagged)).allowed).toBe(true);
    const { allowed, warnings } = await answerOf(handler, 'validate', tagged, 50);
    expect([allowed, warnings]).toEqual([
      true,
      [expect.stringContaining(`would be refused: spec.containers[web] ghcr.io/acme/app:v1: ${code}`)],
    ]);
    expect(onDecision.mock.lastCall?.[0]).toMatchObject({
      admitted: true,
      images: [{ admitted: true, reasons: [], warnings: [{ code }], policies: ['trial'] }],
    });
  });

  it('is kept out as soon as one of them enforces', async () => {
    const { handler } = of({ resolve: down }, [audited, POLICY]);
    for (const webhook of ['mutate', 'validate'] as const) {
      expect((await refusalOf(handler, webhook, tagged)).allowed).toBe(false);
    }
  });
});

it('refuses nothing in an audit, not even what it cannot read or fails at', async () => {
  const { handler } = setUp({ mode: 'audit' });
  const unread = await answerOf(handler, 'validate', { ...REQUEST, dryRun: 'x' });
  const failed = await answerOf(
    setUp({
      mode: 'audit',
      more: {
        registryFor: () => {
          throw new Error('bug');
        },
      },
    }).handler,
    'validate',
    REQUEST,
  );
  expect(
    [unread, failed].map(({ allowed, warnings }) => [allowed, warnings[0].split(':').slice(0, 2).join(':')]),
  ).toEqual([
    [true, 'would be refused: kubernetes.review_malformed'],
    [true, 'would be refused: webhook.internal'],
  ]);
});

describe('what is written down', () => {
  it('is each decision, with who asked and who makes the Pod', async () => {
    const { handler, onDecision } = setUp({ verdict: REFUSED });
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'u', controller: true };
    const object = simplePod(APP, { name: '', generateName: 'web-1-', ownerReferences: [owner] });
    await handler.answer('validate', review({ ...REQUEST, object }), 1000);
    expect(onDecision.mock.calls[0]?.[0]).toEqual({
      id: 'u-1',
      time: '2026-11-28T10:00:00.000Z',
      webhook: 'validate',
      operation: 'CREATE',
      object: { kind: 'Pod', namespace: 'shop', name: 'web-1-', owner: 'ReplicaSet/web-1' },
      user: 'alice',
      mode: 'enforce',
      admitted: false,
      enforced: true,
      images: [
        {
          place: 'spec.containers[web]',
          image: APP,
          policies: ['shop'],
          admitted: false,
          reasons: REFUSED.reasons,
          warnings: [],
          agents: [],
          reviewers: [],
          cached: false,
        },
      ],
    });
  });

  it('has no NUL and no half of a character: who reads it would refuse it', async () => {
    const { handler, onDecision } = setUp({ verdict: REFUSED });
    const owner = { apiVersion: 'v1', kind: 'A\0', name: 'b', uid: 'u', controller: true };
    const metadata = { name: '', generateName: 'web\0-', ownerReferences: [owner] };
    const image = `${'a'.repeat(4095)}🙂`;
    await handler.answer('validate', review({ ...REQUEST, object: simplePod(image, metadata) }), 1000);
    const { object, images } = onDecision.mock.calls[0]![0];
    expect([object.name, object.owner]).toEqual(['web\ufffd-', 'A\ufffd/b']);
    expect(images[0]?.image).toBe(`${'a'.repeat(4095)}\ufffd`);
  });

  it('is nothing of a dry run, of what passes, and of what is not judged', async () => {
    const { handler, onDecision } = setUp({ verdict: REFUSED });
    await handler.answer('validate', review({ ...REQUEST, dryRun: true }), 1000);
    await handler.answer('validate', review({ ...REQUEST, namespace: 'kube-system' }), 1000);
    await handler.answer('validate', review({ ...REQUEST, operation: 'DELETE' }), 1000);
    await handler.answer('validate', review({ ...REQUEST, operation: 'CONNECT' }), 1000);
    expect(onDecision).not.toHaveBeenCalled();
  });

  it('names every image, and cuts names without end', async () => {
    const { handler, onDecision } = setUp();
    const containers = Array.from({ length: 256 }, (_, index) =>
      container(`c${index}`, index === 255 ? 'x'.repeat(9000) : APP),
    );
    await handler.answer('validate', review({ ...REQUEST, object: pod({ containers }) }), 1000);
    const { images } = onDecision.mock.calls[0]![0];
    expect([images.length, images[255]?.image]).toEqual([256, 'x'.repeat(4096)]);
    containers.push(container('c256', APP));
    await handler.answer('validate', review({ ...REQUEST, object: pod({ containers }) }), 1000);
    expect(onDecision.mock.calls[1]![0].images).toMatchObject([{ reasons: [{ code: 'kubernetes.too_many_images' }] }]);
  });
});
