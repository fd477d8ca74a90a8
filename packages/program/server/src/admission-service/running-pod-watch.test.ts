import type { ClusterObject } from '@colophon/cluster';
import { RegistryError } from '@colophon/sigstore';
import type { RejectedRun } from '@colophon/webhook';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type NegativesSource, type Policy, parsePolicy } from '../../../../admission/policy/src/index.ts';
import { RunningPodWatch, type RunningPodWatchOptions } from './running-pod-watch.ts';

const APP = `ghcr.io/acme/app@sha256:${'a'.repeat(64)}`;
const GONE = `ghcr.io/acme/gone@sha256:${'b'.repeat(64)}`;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function policyOf(store = 'e.example'): Policy {
  const parsed = parsePolicy(
    'version: 1\nimages: ["ghcr.io/acme/**"]\nagent: { issuer: https://i.example, subject: agent:a }\n' +
      `negatives: { from: https://${store}/negatives, signer: { issuer: https://i.example, subject: evidence:a } }`,
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

const podOf = (image: string, index: number): ClusterObject => ({
  metadata: { namespace: 'shop', name: `p${index}` },
  spec: { containers: [{ name: 'web', image }] },
});

const ISSUER = 'https://i.example';
const listed = (image: string) => ({
  id: '1'.repeat(64),
  content: '2'.repeat(64),
  person: { issuer: ISSUER, address: 'bob@example.com' },
  subject: 'reviewer:bob@example.com',
  certificate_identity: { issuer: ISSUER, subject: 'reviewer:bob@example.com', claims: {}, sources: {} },
  integrated_at: '2026-11-28T10:00:00Z',
  images: [image.slice(-'sha256:'.length - 64)],
  commits: [],
});

/** A cluster in which two Pods run, the image of the second of which its registry no longer has. */
function watch({
  pods = [APP, GONE].map(podOf),
  policies = [policyOf()],
  isAudit = false,
  rejects = [],
}: {
  readonly pods?: readonly ClusterObject[];
  readonly policies?: readonly Policy[];
  readonly isAudit?: boolean;
  /** The images that the list rejects at first. */
  readonly rejects?: readonly string[];
} = {}) {
  let sequence = 1;
  let rejected = rejects;
  let scans = 0;
  const told: string[] = [];
  let withdrawals: readonly string[] = [];
  const asked: string[] = [];
  const viewed: string[] = [];
  const onScanned = vi.fn<RunningPodWatchOptions['onScanned']>();
  const onError = vi.fn();
  const rules = { policies, fingerprint: 'f', excludedNamespaces: new Set<string>() };
  const options = {
    cluster: {
      async *pages() {
        scans += 1;
        yield pods;
      },
    },
    gate: {
      decide: async (reference: string) => {
        asked.push(reference);
        if (reference === GONE) throw new RegistryError('registry.not_found', 'gone');
        const found = rejected.includes(reference) ? [{ code: 'admission.run_not_approved', message: 'No.' }] : [];
        const [reasons, warnings] = isAudit ? [[], found] : [found, []];
        return {
          verdict: { admitted: reasons.length === 0, reasons, warnings, agents: [], reviewers: [], excused: [] },
          cached: false,
        };
      },
    },
    lists: {
      view: async ({ from }: NegativesSource) => {
        viewed.push(from);
        const words = from.includes('f.example')
          ? { rejections: [], withdrawals }
          : { rejections: rejected.map(listed), withdrawals: [] };
        return { kind: 'list', list: { sequence, ...words } };
      },
    },
    rules: () => rules,
    registry: undefined,
    now: () => new Date(),
    onRejected: ({ image }: RejectedRun) => told.push(image),
    onScanned,
    onError,
  } as unknown as RunningPodWatchOptions;
  const watching = new RunningPodWatch(options);
  return {
    watching,
    told,
    asked,
    viewed,
    onScanned,
    onError,
    scans: () => scans,
    signAgain: (images = rejected) => {
      sequence += 1;
      rejected = images;
    },
    withdraw: (images: readonly string[]) => {
      withdrawals = images;
    },
  };
}
const MINUTE = 60_000;

test('a rejection is told soon, and Pods are not looked at again because the same list was signed again', async () => {
  const { told, scans, signAgain, watching } = watch();
  await vi.advanceTimersByTimeAsync(0);
  expect([told, scans()]).toEqual([[], 1]);
  signAgain([APP]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect([told, scans()]).toEqual([[APP], 2]);
  signAgain();
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect([told, scans()]).toEqual([[APP], 2]);
  await watching.close();
});

test('a list is read once however many policies name it, and every list counts', async () => {
  const policies = [policyOf(), policyOf('f.example'), policyOf(), policyOf()];
  const { scans, signAgain, viewed, watching, withdraw } = watch({ policies, pods: [podOf(APP, 0)] });
  await vi.advanceTimersByTimeAsync(0);
  expect(viewed).toEqual(['https://e.example/negatives', 'https://f.example/negatives']);
  signAgain([APP]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(scans()).toBe(2);
  withdraw([APP]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(scans()).toBe(3);
  await watching.close();
});

test('a rejected image that only audits cover is told too', async () => {
  const { told, watching } = watch({ isAudit: true, rejects: [APP] });
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual([APP]);
  await watching.close();
});

test('an image that is pinned to an index is asked about by the manifest that runs, too', async () => {
  const manifest = `sha256:${'c'.repeat(64)}`;
  const containerStatuses = [{ name: 'web', image: 'app', imageID: `ghcr.io/acme/app@${manifest}` }];
  const pods = [{ ...podOf(APP, 0), status: { containerStatuses } }];
  const { asked, told, watching } = watch({ pods, rejects: [`ghcr.io/acme/app@${manifest}`] });
  await vi.advanceTimersByTimeAsync(0);
  expect([asked, told]).toEqual([[APP, `ghcr.io/acme/app@${manifest}`], [APP]]);
  await watching.close();
});

test('a rejected image that its registry no longer has is told by the list, and needs no other look', async () => {
  const { onError, onScanned, scans, told, watching } = watch({ rejects: [GONE] });
  await vi.advanceTimersByTimeAsync(30 * MINUTE);
  expect([told, scans(), onError.mock.calls]).toEqual([[GONE], 1, []]);
  expect(onScanned.mock.calls).toMatchObject([[{ rejected: 1, undecided: 0 }]]);
  await watching.close();
});

test('an image whose name cannot be read is undecided, and one that no policy covers is nobody’s', async () => {
  const pods = [`ghcr.io/acme/app@sha512:${'a'.repeat(128)}`, 'elsewhere.example/app:1'].map(podOf).map((pod) => ({
    ...pod,
    status: { containerStatuses: [{ name: 'web', imageID: APP }] },
  }));
  const { onScanned, watching } = watch({ pods });
  await vi.advanceTimersByTimeAsync(0);
  expect(onScanned.mock.calls).toEqual([[{ pods: 2, images: 1, rejected: 0, undecided: 1, unknown: 0 }]]);
  await watching.close();
});

test('an image that cannot be decided about is tried again after minutes, not at every look', async () => {
  const { onError, onScanned, scans, watching } = watch();
  await vi.advanceTimersByTimeAsync(4 * MINUTE);
  expect([scans(), onError.mock.calls.length]).toEqual([1, 1]);
  expect(onError.mock.calls[0]).toMatchObject([{ code: 'registry.not_found' }, GONE]);
  expect(onScanned.mock.calls).toEqual([[{ pods: 2, images: 2, rejected: 0, undecided: 1, unknown: 0 }]]);
  await vi.advanceTimersByTimeAsync(2 * MINUTE);
  expect(scans()).toBe(2);
  await watching.close();
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(scans()).toBe(2);
});
