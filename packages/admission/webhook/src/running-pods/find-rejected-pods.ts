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

/** Why an image is rejected; undefined where it is not, `undecided` where a rejection may have been missed. */
export type RejectionAnswer = readonly DecisionReason[] | 'undecided' | undefined;

export type RejectedPodsOptions = {
  readonly cluster: Pick<ClusterClient, 'pages'>;
  /** Names of namespaces whose Pods are not looked at. */
  readonly excludedNamespaces: ReadonlySet<string>;
  /** Whether any policy covers an image, by its name alone; others are not looked at. Asked once for each name of a run. */
  readonly isCovered: (image: string) => boolean;
  /** Asked once for each different image of a run. */
  readonly isRejected: (image: string, digest: string) => RejectionAnswer | Promise<RejectionAnswer>;
  /** Told of each one as it is found. */
  readonly onRejected: (run: RejectedRun) => void;
  readonly signal?: AbortSignal;
};

/** What was looked at: Pods, and their images that a policy covers. Of the last three an image is at most one. */
export type LookedAtPods = {
  readonly pods: number;
  readonly images: number;
  readonly rejected: number;
  /** Images that may be rejected: not everything that would say so could be read. */
  readonly undecided: number;
  /** Images that may be rejected: nobody says which digest they have in a repository. */
  readonly unknown: number;
};

/** Namespaces that the API server leaves out itself; the rest is left out here. */
const MOST_SELECTED = 50;

/**
 * Looks at every Pod that has not ended, and tells which have an image that was rejected meanwhile. Nothing is stopped:
 * whether it may go on is for people to decide.
 * @throws ClusterError where the list breaks off; what was found before was told
 */
export async function findRejectedPods(options: RejectedPodsOptions): Promise<LookedAtPods> {
  const { cluster, excludedNamespaces, isCovered, isRejected, onRejected, signal } = options;
  const covered = new Map<string, boolean>();
  const isLookedAt = (image: string) => {
    const answer = covered.get(image) ?? isCovered(image);
    covered.set(image, answer);
    return answer;
  };
  const answers = new Map<string, Promise<RejectionAnswer>>();
  const ask = (image: string, digest: string) => {
    const key = JSON.stringify([image, digest]);
    const asked = answers.get(key) ?? Promise.resolve(isRejected(image, digest));
    answers.set(key, asked);
    return asked;
  };
  const count = { pods: 0, images: 0, rejected: 0, undecided: 0, unknown: 0 };
  for await (const page of cluster.pages(PODS, { fieldSelector: selectorOf(excludedNamespaces) })) {
    signal?.throwIfAborted();
    for (const pod of page) {
      const subject = subjectOf(pod);
      if (subject === undefined || excludedNamespaces.has(subject.namespace)) continue;
      count.pods += 1;
      for (const image of runningImages(pod)) {
        if (!isLookedAt(image.image)) continue;
        count.images += 1;
        const run = await judgedRun(image, subject, ask);
        if (run === undefined) continue;
        if (typeof run === 'string') count[run] += 1;
        else {
          count.rejected += 1;
          onRejected(run);
        }
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
    images: [digest],
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

type Ask = (image: string, digest: string) => Promise<RejectionAnswer>;

/** Of an image that nobody knows, an undecided digest says nothing new: a registry knows no configuration by its digest. */
async function judgedRun(
  { place, image, digests, isKnown }: RunningImage,
  pod: RejectedRun['pod'],
  ask: Ask,
): Promise<RejectedRun | 'undecided' | 'unknown' | undefined> {
  let isUndecided = false;
  for (const digest of digests) {
    const reasons = await ask(image, digest);
    if (reasons === 'undecided') isUndecided = true;
    else if (reasons !== undefined) return { pod, place, image, digest, reasons };
  }
  if (!isKnown) return 'unknown';
  return isUndecided ? 'undecided' : undefined;
}

function subjectOf({ metadata: { namespace, name, uid } }: ClusterObject): RejectedRun['pod'] | undefined {
  if (typeof namespace !== 'string' || typeof name !== 'string') return undefined;
  return { namespace, name, ...(typeof uid === 'string' ? { uid } : {}) };
}
