export { ClusterClient, type JsonPatchStep, type ListOptions } from './client/cluster-client.ts';
export type { ClusterObject, ObjectMetadata } from './client/cluster-object.ts';
export { ClusterError, type ClusterErrorCode } from './cluster-error/cluster-error.ts';
export { type ClusterConnection, clusterConnection, podNamespace } from './connection/cluster-connection.ts';
export type { ClusterResource } from './resource/cluster-resource.ts';
