/** `name.namespace.svc`, with or without the cluster's domain, and a port. */
const SERVICE_HOST = /^[a-z0-9-]+\.([a-z0-9-]+)\.svc(?:\.|:|$)/;

/** Namespaces of those hosts that are Services of a cluster, each once. */
export function clusterNamespacesOf(hosts: readonly string[]): string[] {
  return [...new Set(hosts.flatMap((host) => SERVICE_HOST.exec(host.toLowerCase())?.[1] ?? []))];
}
