/** A kind of object whose images are known: a Pod, or what makes Pods from a template. */
export type CoveredKind = {
  /** Group and version as an object writes them, e.g. `apps/v1`; `v1` for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The plural under which the API serves it, e.g. `deployments`. */
  readonly resource: string;
  /** The names on the way from the object to the specification of its Pods. */
  readonly podSpec: readonly string[];
};

const TEMPLATE = ['spec', 'template', 'spec'] as const;

/** A Pod itself. */
export const POD: CoveredKind = { apiVersion: 'v1', kind: 'Pod', resource: 'pods', podSpec: ['spec'] };

/** Every kind of Kubernetes 1.36 from which containers are started. */
export const COVERED_KINDS: readonly CoveredKind[] = [
  POD,
  { apiVersion: 'v1', kind: 'PodTemplate', resource: 'podtemplates', podSpec: ['template', 'spec'] },
  { apiVersion: 'v1', kind: 'ReplicationController', resource: 'replicationcontrollers', podSpec: TEMPLATE },
  { apiVersion: 'apps/v1', kind: 'DaemonSet', resource: 'daemonsets', podSpec: TEMPLATE },
  { apiVersion: 'apps/v1', kind: 'Deployment', resource: 'deployments', podSpec: TEMPLATE },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', resource: 'replicasets', podSpec: TEMPLATE },
  { apiVersion: 'apps/v1', kind: 'StatefulSet', resource: 'statefulsets', podSpec: TEMPLATE },
  { apiVersion: 'batch/v1', kind: 'CronJob', resource: 'cronjobs', podSpec: ['spec', 'jobTemplate', ...TEMPLATE] },
  { apiVersion: 'batch/v1', kind: 'Job', resource: 'jobs', podSpec: TEMPLATE },
];

/** The covered kind that an object says it is of; names are compared exactly, as the API server does. */
export function coveredKind(apiVersion: unknown, kind: unknown): CoveredKind | undefined {
  return COVERED_KINDS.find((known) => known.apiVersion === apiVersion && known.kind === kind);
}

/** The covered kind that the API serves under a plural. */
export function coveredResource(apiVersion: string, resource: string): CoveredKind | undefined {
  return COVERED_KINDS.find((known) => known.apiVersion === apiVersion && known.resource === resource);
}

/** Group and version as an object writes them. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}
