import { isJsonObject } from '@colophon/json';
import { jsonIn, type PeerAnswer, peerReason, shownAddress } from '@colophon/peer';
import { ClusterError, type ClusterErrorCode } from '../cluster-error/cluster-error.ts';
import { type ClusterResource, resourceName } from '../resource/cluster-resource.ts';

/** What was asked, as RBAC names it. */
export type ClusterQuestion = {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch';
  readonly resource: ClusterResource;
  readonly name?: string;
};

const CODES: Readonly<Record<number, ClusterErrorCode>> = {
  401: 'cluster.unauthorized',
  403: 'cluster.forbidden',
  404: 'cluster.not_found',
  409: 'cluster.conflict',
  410: 'cluster.list_expired',
  429: 'cluster.unreachable',
};

const MESSAGES: Readonly<Partial<Record<ClusterErrorCode, string>>> = {
  'cluster.unauthorized': 'the API server does not accept the credential',
  'cluster.not_found': 'the cluster has no such object',
  'cluster.exists': 'the object was created meanwhile',
  'cluster.conflict': 'the object was changed meanwhile',
  'cluster.list_expired': 'the list took too long',
  'cluster.unreachable': 'the API server cannot answer now',
  'cluster.refused': 'the API server refuses this',
};

/** The error that an answer means which is no success. @see Kubernetes API conventions, Response Status Kind */
export function refusalOf(answer: PeerAnswer, { verb, resource, name }: ClusterQuestion): ClusterError {
  const { status, body } = answer;
  const code = codeOf(status, jsonIn(body));
  const what = resourceName(resource, name);
  const where = resource.namespace === undefined ? '' : ` in namespace ${resource.namespace}`;
  const facts = { checked: shownAddress(answer.url), found: `HTTP ${status}: ${peerReason(body)}` };
  if (code !== 'cluster.forbidden') {
    return new ClusterError(code, `${MESSAGES[code]}: ${what}${where}`, facts);
  }
  const group = resource.group === '' ? '' : `.${resource.group}`;
  const inNamespace = resource.namespace === undefined ? '' : ` --namespace ${resource.namespace}`;
  const asked = name === undefined ? `${resource.plural}${group}` : `${resource.plural}${group}/${name}`;
  return new ClusterError(code, `this service account may not ${verb} ${what}${where}`, {
    ...facts,
    expected: `a Role or ClusterRole with the verb ${verb} for ${what}`,
    next: `kubectl auth can-i ${verb} ${asked}${inNamespace} --as SERVICE_ACCOUNT`,
  });
}

function codeOf(status: number, said: unknown): ClusterErrorCode {
  if (status === 409 && isJsonObject(said) && said['reason'] === 'AlreadyExists') return 'cluster.exists';
  return CODES[status] ?? (status >= 500 ? 'cluster.unreachable' : 'cluster.refused');
}
