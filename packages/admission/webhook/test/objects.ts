// Objects and reviews as an API server sends them.

type Members = Readonly<Record<string, unknown>>;

export const container = (name: string, image: string) => ({ name, image, resources: {} });

export function pod(spec: Members, metadata: Members = {}): Members {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop', ...metadata }, spec };
}

export const simplePod = (image = 'ghcr.io/acme/app:v1', metadata: Members = {}) =>
  pod({ containers: [container('web', image)] }, metadata);

export function review(asked: object): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: asked }),
  );
}
