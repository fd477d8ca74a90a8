import type { AdmissionDecisionRecord, DecidedImage } from '@colophon/records';

let requests = 0;

/** One image of a decision: admitted, unless said otherwise. */
export function decidedImage(more: Partial<DecidedImage> = {}): DecidedImage {
  return {
    place: 'spec.containers[web]',
    image: 'ghcr.io/acme/app:v1',
    digest: `sha256:${'a'.repeat(64)}`,
    admitted: true,
    reasons: [],
    warnings: [],
    policies: ['production'],
    agents: ['agent:code-writer'],
    reviewers: ['reviewer:alice@example.com'],
    cached: false,
    ...more,
  };
}

/** One that is refused for these reasons. */
export function refusedImage(codes: readonly string[], more: Partial<DecidedImage> = {}): DecidedImage {
  const reasons = codes.map((code) => ({ code, message: 'It is refused.', policy: 'production' }));
  return decidedImage({ admitted: false, reasons, agents: [], reviewers: [], ...more });
}

/** A decision about a request of its own. */
export function decided(more: Partial<AdmissionDecisionRecord> = {}): AdmissionDecisionRecord {
  requests += 1;
  const images = more.images ?? [decidedImage()];
  return {
    id: `705ab4f5-6393-11e8-b7cc-${requests.toString(16).padStart(12, '0')}`,
    time: '2026-11-28T10:00:00Z',
    webhook: 'validate',
    operation: 'CREATE',
    object: { kind: 'Pod', namespace: 'shop', name: 'web-7c9', owner: 'ReplicaSet/web-7c9' },
    user: 'system:serviceaccount:kube-system:replicaset-controller',
    mode: 'enforce',
    admitted: images.every(({ admitted }) => admitted),
    enforced: true,
    images,
    ...more,
  };
}

/** Decisions as a webhook's log has them. */
export function logOf(records: readonly unknown[]): Buffer {
  return Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}
