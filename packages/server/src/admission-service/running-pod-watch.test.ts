import type { ClusterObject } from '@colophon/cluster';
import { RegistryError } from '@colophon/sigstore';
import type { RejectedRun } from '@colophon/webhook';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type NegativesSource, type Policy, parsePolicy } from '../../../admission/src/index.ts';
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

/** A cluster in which two Pods run, the image of the second of which its registry no longer has. */
function watch({
  pods = [APP, GONE].map(podOf),
  policies = [policyOf()],
  isAudit = false,
}: {
  readonly pods?: readonly ClusterObject[];
  readonly policies?: readonly Policy[];
  readonly isAudit?: boolean;
} = {}) {
  let sequence = 1;
  let rejected: readonly string[] = [];
  let scans = 0;
  const told: string[] = [];
  let withdrawals: readonly string[] = [];
  const asked: string[] = [];
  const viewed: string[] = [];
  const onScanned = vi.fn();
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
        return { verdict: { admitted: reasons.length === 0, reasons, warnings, verdicts: [] }, cached: false };
      },
    },
    lists: {
      view: async ({ from }: NegativesSource) => {
        viewed.push(from);
        const words = from.includes('f.example')
          ? { rejections: [], withdrawals }
          : { rejections: rejected, withdrawals: [] };
        return { kind: 'list', list: { sequence, ...words } };
      },
    },
    rules: () => rules,
    registry: undefined,
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
  const { scans, signAgain, viewed, watching, withdraw } = watch({ policies });
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
  const { signAgain, told, watching } = watch({ isAudit: true });
  signAgain([APP]);
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual([APP]);
  await watching.close();
});

test('an image that is pinned to an index is asked about by the manifest that runs, too', async () => {
  const manifest = `sha256:${'c'.repeat(64)}`;
  const containerStatuses = [{ name: 'web', image: 'app', imageID: `ghcr.io/acme/app@${manifest}` }];
  const { asked, signAgain, told, watching } = watch({ pods: [{ ...podOf(APP, 0), status: { containerStatuses } }] });
  signAgain([`ghcr.io/acme/app@${manifest}`]);
  await vi.advanceTimersByTimeAsync(0);
  expect([asked, told]).toEqual([[APP, `ghcr.io/acme/app@${manifest}`], [APP]]);
  await watching.close();
});

test('an image that cannot be decided about is tried again after minutes, not at every look', async () => {
  const { onError, onScanned, scans, watching } = watch();
  await vi.advanceTimersByTimeAsync(4 * MINUTE);
  expect([scans(), onError.mock.calls.length, onScanned.mock.calls]).toEqual([1, 1, [[0]]]);
  await vi.advanceTimersByTimeAsync(2 * MINUTE);
  expect(scans()).toBe(2);
  await watching.close();
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(scans()).toBe(2);
});
