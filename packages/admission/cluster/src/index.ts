export { ClusterClient } from './client/cluster-client.ts';
export type { ClusterObject } from './client/cluster-object.ts';
export { ClusterError } from './cluster-error/cluster-error.ts';
export { clusterConnection, podNamespace } from './connection/cluster-connection.ts';
export type { ClusterResource } from './resource/cluster-resource.ts';
