import { isJsonObject } from '@colophon/json';

/** An object as the API has it. Whatever lies below the members named here is text from outside. */
export type ClusterObject = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMetadata;
  readonly [member: string]: unknown;
};

export type ObjectMetadata = {
  readonly name?: string;
  readonly namespace?: string;
  /** The version that was read: a write that names it fails once somebody else has written. */
  readonly resourceVersion?: string;
  readonly [member: string]: unknown;
};

/** Whether a value has the shape of an object of the API. */
export function isClusterObject(value: unknown): value is ClusterObject {
  return isJsonObject(value) && isJsonObject(value['metadata']);
}
