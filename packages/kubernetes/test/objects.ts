// Objects and reviews as an API server sends them.
import type { JsonObject, JsonValue } from '@colophon/json';
import type { AdmissionRequest, PatchStep } from '../src/index.ts';

export const container = (name: string, image: string) => ({ name, image, resources: {} });

export function pod(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop', ...metadata }, spec };
}

export const simplePod = (image = 'ghcr.io/acme/app:v1', metadata: JsonObject = {}) =>
  pod({ containers: [container('web', image)] }, metadata);

export function request(more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    subResource: '',
    name: 'web',
    namespace: 'shop',
    operation: 'CREATE',
    user: 'alice',
    object: simplePod(),
    oldObject: undefined,
    dryRun: false,
    ...more,
  };
}

export function review(asked: object): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: asked }),
  );
}

/** Applies a patch as RFC 6902 says, `test` and `replace` only. */
export function patched(object: JsonValue, patch: readonly PatchStep[]): JsonValue {
  const copy = structuredClone(object);
  for (const { op, path, value } of patch) {
    const segments = path.split('/').slice(1);
    const last = segments.pop() as string;
    const holder = segments.reduce((at, segment) => (at as JsonObject)[segment] as JsonValue, copy) as Record<
      string,
      JsonValue
    >;
    if (op === 'test' && holder[last] !== value) throw new Error(`test of ${path} failed`);
    if (op === 'replace') holder[last] = value;
  }
  return copy;
}
