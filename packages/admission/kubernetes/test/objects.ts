import { COVERED_KINDS, type CoveredKind } from '@colophon/kubernetes';
import fc from 'fast-check';

/** Images as they may be written, some of them alike, some pinned, some no references. */
export const image: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('nginx', 'nginx:1.27', 'registry.example/acme/web:1', 'registry.example/acme/web:2'),
  fc.string({ unit: fc.constantFrom(...'abcdefghij'), minLength: 1, maxLength: 8 }),
);

const name = fc.constantFrom('web', 'log', 'init', 'data', 'a');
const container = fc.record({ name, image });
const containers = (minLength: number) =>
  fc.uniqueArray(container, { minLength, maxLength: 4, selector: (one) => one.name });
const volume = fc.oneof(
  fc.record({ name, image: fc.record({ reference: image }) }),
  fc.record({ name, emptyDir: fc.constant({}) }),
);

/** The specification of a Pod as the API server takes it, as far as images go. */
export const podSpec = fc.record(
  {
    containers: containers(1),
    initContainers: containers(0),
    ephemeralContainers: containers(0),
    volumes: fc.uniqueArray(volume, { maxLength: 3, selector: (one) => one.name }),
  },
  { requiredKeys: ['containers'] },
);

/** Any kind that is covered. */
export const kind: fc.Arbitrary<CoveredKind> = fc.constantFrom(...COVERED_KINDS);

/** An object of a kind, with a specification of its Pods. */
export function objectOf({ apiVersion, kind, podSpec: names }: CoveredKind, spec: unknown): object {
  const below = names.reduceRight((value, key) => ({ [key]: value }), spec) as object;
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'default' }, ...below };
}

/** The AdmissionReview of a change or a creation of an object of a kind. */
export function reviewOf(kind: CoveredKind, request: object): object {
  const [group, version] = kind.apiVersion.includes('/') ? kind.apiVersion.split('/') : ['', kind.apiVersion];
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      kind: { group, version, kind: kind.kind },
      resource: { group, version, resource: kind.resource },
      userInfo: { username: 'jane@example.com' },
      ...request,
    },
  };
}
