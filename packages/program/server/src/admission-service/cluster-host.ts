/** Of a cluster that was given no other. */
const DEFAULT_DOMAIN = 'cluster.local';

/**
 * Namespaces of those hosts that are Services or Pods of a cluster, each once. A host may be that of an image pattern: a
 * namespace with a star in it is none that can be named.
 * @see https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/
 */
export function clusterNamespacesOf(hosts: readonly string[]): string[] {
  return [...new Set(hosts.flatMap(namespacesIn).filter((name) => /^[a-z0-9-]+$/.test(name)))];
}

function namespacesIn(host: string): string[] {
  const [name = ''] = host.toLowerCase().split(':');
  const labels = name.replace(/\.$/, '').split('.');
  return labels.flatMap((label, index) => {
    const domain = labels.slice(index + 1).join('.');
    const isDefault = domain === DEFAULT_DOMAIN;
    // `name.namespace.svc` in whatever domain the cluster has; longer names, as Pods have, may be public ones in another.
    const isService = /^svc(?:\*|$)/.test(label) && (index === 2 || (index > 2 && (domain === '' || isDefault)));
    const isPod = label === 'pod' && index === 2 && isDefault;
    return isService || isPod ? (labels[index - 1] as string) : [];
  });
}
