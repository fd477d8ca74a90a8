import { createHash } from 'node:crypto';
import type { NewDecision } from '@colophon/store';

/** Of one in ten decisions in which an image is refused: a common reason; one in ten thousand has a rare one. */
export const COMMON_REASON = 'admission.review_missing';
export const RARE_REASON = 'admission.review_rejected';

/** The digest of one of 5,000 images. */
export function imageDigest(index: number): string {
  return `sha256:${createHash('sha256').update(`image ${index}`).digest('hex')}`;
}

/** A webhook's decision about one pod, in one of 50 namespaces. */
export function createDecision(index: number): NewDecision {
  const random = createHash('sha256').update(`decision ${index}`).digest();
  const hex = random.toString('hex');
  const time = 1_780_000_000_000 + index * 1000;
  const admitted = index % 10 !== 0;
  const codes = admitted ? [] : index % 10_000 === 0 ? [COMMON_REASON, RARE_REASON] : [COMMON_REASON];
  const object = { kind: 'Pod', namespace: `team-${random[0]! % 50}`, name: `web-${hex.slice(0, 10)}` };
  const user = 'system:serviceaccount:kube-system:replicaset-controller';
  const request = { id: hex, webhook: 'validate', operation: 'CREATE', object, user, mode: 'enforce', enforced: true };
  const reasons = codes.map((code) => ({ code, message: 'No review of this image counts.', policy: 'production' }));
  const image = {
    place: 'spec.containers[web]',
    image: `registry.example/app-${random[1]}:v1`,
    digest: imageDigest(random.readUInt16BE(2) % 5000),
    cached: random[4]! < 128,
  };
  const names = {
    policies: ['production'],
    agents: admitted ? [`agent:agent-${random[5]! % 20}`] : [],
    reviewers: admitted ? [`reviewer:reviewer-${random[6]! % 50}@example.com`] : [],
  };
  const { policies: policy, agents: agent, reviewers: reviewer } = names;
  const { id: request_uid, object: _, ...columns } = request;
  return {
    ...columns,
    ...object,
    request_uid,
    time,
    admitted,
    imported_at: time,
    request: JSON.stringify({ ...request, time: new Date(time).toISOString(), admitted }),
    images: [
      {
        ...image,
        image_admitted: admitted,
        detail: JSON.stringify({ ...image, ...names, admitted, reasons, warnings: [] }),
        lists: { reason: codes, policy, agent, reviewer },
      },
    ],
  };
}
