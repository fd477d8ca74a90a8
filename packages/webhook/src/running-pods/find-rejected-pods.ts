import type { ClusterClient, ClusterObject } from '@colophon/cluster';
import type { Occurrence } from '../events/cluster-event.ts';
import type { DecisionReason } from '../reason/webhook-reason.ts';
import { reasonText } from '../review-handler/refusal-message.ts';
import { type RunningImage, runningImages } from './running-images.ts';

/** A rejected image that runs. */
export type RejectedRun = {
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid?: string };
  readonly place: string;
  /** As it stands in the Pod. */
  readonly image: string;
  /** The digest that is rejected. */
  readonly digest: string;
  readonly reasons: readonly DecisionReason[];
};

export type RejectedPodsOptions = {
  readonly cluster: Pick<ClusterClient, 'pages'>;
  /** Names of namespaces whose Pods are not looked at. */
  readonly excludedNamespaces: ReadonlySet<string>;
  /** Why an image is rejected; undefined where it is not. Asked once for each different image of a run. */
  readonly isRejected: (
    image: string,
    digest: string,
  ) => readonly DecisionReason[] | undefined | Promise<readonly DecisionReason[] | undefined>;
  /** Told of each one as it is found. */
  readonly onRejected: (run: RejectedRun) => void;
  readonly signal?: AbortSignal;
};

/** What was looked at. */
export type LookedAtPods = {
  readonly pods: number;
  readonly images: number;
  /** Images of which nobody says the digest in a repository: whether they are rejected is not known. */
  readonly unknown: number;
  readonly rejected: number;
};

/** Namespaces that the API server leaves out itself; the rest is left out here. */
const MOST_SELECTED = 50;

/**
 * Looks at every Pod that has not ended, and tells which have an image that was rejected meanwhile. Nothing is stopped:
 * whether it may go on is for people to decide.
 * @throws ClusterError where the list breaks off; what was found before was told
 */
export async function findRejectedPods(options: RejectedPodsOptions): Promise<LookedAtPods> {
  const { cluster, excludedNamespaces, isRejected, onRejected, signal } = options;
  const answers = new Map<string, Promise<readonly DecisionReason[] | undefined>>();
  const ask = (image: string, digest: string) => {
    const key = JSON.stringify([image, digest]);
    const asked = answers.get(key) ?? Promise.resolve(isRejected(image, digest));
    answers.set(key, asked);
    return asked;
  };
  const count = { pods: 0, images: 0, unknown: 0, rejected: 0 };
  for await (const page of cluster.pages(PODS, { fieldSelector: selectorOf(excludedNamespaces) })) {
    signal?.throwIfAborted();
    for (const pod of page) {
      const subject = subjectOf(pod);
      if (subject === undefined || excludedNamespaces.has(subject.namespace)) continue;
      count.pods += 1;
      for (const image of runningImages(pod)) {
        count.images += 1;
        if (!image.isKnown) count.unknown += 1;
        const run = await rejectedRun(image, subject, ask);
        if (run === undefined) continue;
        count.rejected += 1;
        onRejected(run);
      }
    }
  }
  return count;
}

/** What people should read of it at the Pod. */
export function rejectedRunOccurrence({ pod, place, image, digest, reasons }: RejectedRun, at: Date): Occurrence {
  const why = reasons.map((reason) => reasonText(reason)).join(' ');
  return {
    regarding: { apiVersion: 'v1', kind: 'Pod', ...pod },
    reason: 'RejectedImageRuns',
    image: digest,
    note: `${place} ${image} runs and was rejected: ${why}`,
    at,
  };
}

const PODS = { group: '', version: 'v1', plural: 'pods' };
/** A kubelet says Pending of a Pod whose init containers run, and of one where a single container cannot start. */
const NOT_ENDED = ['status.phase!=Succeeded', 'status.phase!=Failed'];

function selectorOf(excluded: ReadonlySet<string>): string {
  const namespaces = [...excluded].slice(0, MOST_SELECTED).map((name) => `metadata.namespace!=${name}`);
  return [...NOT_ENDED, ...namespaces].join(',');
}

type Ask = (image: string, digest: string) => Promise<readonly DecisionReason[] | undefined>;

async function rejectedRun(
  { place, image, digests }: RunningImage,
  pod: RejectedRun['pod'],
  ask: Ask,
): Promise<RejectedRun | undefined> {
  for (const digest of digests) {
    const reasons = await ask(image, digest);
    if (reasons !== undefined) return { pod, place, image, digest, reasons };
  }
  return undefined;
}

function subjectOf({ metadata: { namespace, name, uid } }: ClusterObject): RejectedRun['pod'] | undefined {
  if (typeof namespace !== 'string' || typeof name !== 'string') return undefined;
  return { namespace, name, ...(typeof uid === 'string' ? { uid } : {}) };
}
