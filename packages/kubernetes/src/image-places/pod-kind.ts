/** A kind of object whose images are known: a Pod, or what Pods are made from. */
export type PodKind = {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural by which the API server names it. */
  readonly resource: string;
  /** Members that lead to the Pod's `spec`. */
  readonly path: readonly string[];
};

const TEMPLATE = ['spec', 'template', 'spec'];

/** The kinds of Kubernetes' own API that hold a Pod or a Pod template. */
export const POD_KINDS: readonly PodKind[] = [
  { group: '', version: 'v1', kind: 'Pod', resource: 'pods', path: ['spec'] },
  { group: '', version: 'v1', kind: 'PodTemplate', resource: 'podtemplates', path: ['template', 'spec'] },
  { group: '', version: 'v1', kind: 'ReplicationController', resource: 'replicationcontrollers', path: TEMPLATE },
  { group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', path: TEMPLATE },
  { group: 'apps', version: 'v1', kind: 'StatefulSet', resource: 'statefulsets', path: TEMPLATE },
  { group: 'apps', version: 'v1', kind: 'DaemonSet', resource: 'daemonsets', path: TEMPLATE },
  { group: 'apps', version: 'v1', kind: 'ReplicaSet', resource: 'replicasets', path: TEMPLATE },
  { group: 'batch', version: 'v1', kind: 'Job', resource: 'jobs', path: TEMPLATE },
  { group: 'batch', version: 'v1', kind: 'CronJob', resource: 'cronjobs', path: ['spec', 'jobTemplate', ...TEMPLATE] },
];

/** The kind of an object by its `apiVersion` and `kind`; undefined for every other. */
export function podKindOf(apiVersion: unknown, kind: unknown): PodKind | undefined {
  return POD_KINDS.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
}

/** `v1`, `apps/v1`. */
export function apiVersionOf({ group, version }: Pick<PodKind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}
