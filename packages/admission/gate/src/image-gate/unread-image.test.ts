import { type AdmissionProfile, type NegativesView, parsePolicy } from '@colophon/admission';
import { type RegistryClient, RegistryError, type TrustMaterial } from '@colophon/sigstore';
import { expect, test } from 'vitest';
import { admitImage } from './admit-image.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER = `sha256:${'b'.repeat(64)}`;
const ISSUER = 'https://issuer.example';
const REVIEWER = { issuer: ISSUER, subject: 'reviewer:dana@example.com', claims: {}, sources: {} };

const failing = {
  resolve: async () => {
    throw new RegistryError('registry.unavailable', 'the registry does not answer');
  },
} as unknown as RegistryClient;

function policy(exceptions: string, more = '') {
  const parsed = parsePolicy(`version: 1
images: ["registry.example/**"]
agent: { issuer: ${ISSUER}, subject: agent:writer }
${exceptions}
${more}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}
const EXCEPTION = `exceptions: [{ digest: "${DIGEST}", owner: ops, reason: fire, from: 2026-11-21T11:00:00Z, until: 2026-11-21T13:00:00Z }]`;
const EMPTY: NegativesView = { kind: 'registry-only' };
const REJECTED: NegativesView = {
  kind: 'list',
  list: {
    from: 'https://lists.example',
    sequence: 1,
    time: '2026-11-21T11:59:00Z',
    rejections: [
      {
        person: { issuer: ISSUER, address: 'dana@example.com' },
        subject: REVIEWER.subject,
        certificate_identity: REVIEWER,
        integrated_at: '2026-11-21T10:00:00Z',
        images: [DIGEST],
        commits: [],
        content: 'c'.repeat(64),
      },
    ],
    withdrawals: [],
  },
};

type Asked = {
  readonly reference?: string;
  readonly policies?: ReturnType<typeof policy>[];
  readonly view?: NegativesView;
  readonly profile?: AdmissionProfile | undefined;
};
const admit = ({
  reference = `registry.example/app@${DIGEST}`,
  policies = [policy(EXCEPTION)],
  view = EMPTY,
  profile,
}: Asked) =>
  admitImage({
    reference,
    policies,
    profile,
    trust: {} as TrustMaterial,
    registry: failing,
    negatives: async () => view,
    pins: { seen: async () => undefined, keep: async () => {} },
    now: new Date('2026-11-21T12:00:00Z'),
  });

test('an image that the registry does not serve passes by an exception for its very digest alone', async () => {
  const { admitted, digest, valid_until } = await admit({});
  expect([admitted, digest, valid_until]).toEqual([true, DIGEST, '2026-11-21T13:00:00Z']);
  await expect(admit({ reference: 'registry.example/app:v1' })).rejects.toThrow(RegistryError);
  await expect(admit({ policies: [policy('')] })).rejects.toThrow(RegistryError);
  await expect(admit({ policies: [policy(EXCEPTION), policy('')] })).rejects.toThrow(RegistryError);
});

test('a policy in audit mode, which decides nothing, needs no exception for that', async () => {
  const audit = policy('', 'mode: audit');
  const { admitted, warnings } = await admit({ policies: [policy(EXCEPTION), audit] });
  expect([admitted, warnings.map(({ code }) => code)]).toEqual([
    true,
    ['admission.evidence_incomplete', 'admission.no_signature', 'admission.review_missing', 'admission.exception'],
  ]);
  await expect(admit({ policies: [audit] })).rejects.toThrow(RegistryError);
  await expect(admit({ policies: [policy('', EXCEPTION.replace(DIGEST, OTHER)), audit] })).rejects.toThrow(
    RegistryError,
  );
  const excepted = await admit({ policies: [policy(EXCEPTION, 'mode: audit')] });
  expect([excepted.admitted, excepted.warnings.map(({ code }) => code)]).toEqual([true, ['admission.exception']]);
});

test.each<[AdmissionProfile | undefined, string]>([
  [undefined, ''],
  ['spec', ''],
  ['strict', 'profile: spec'],
  [undefined, 'profile: spec'],
])('its rejection in the list still counts: profile %s for a policy with %j', async (profile, more) => {
  const { admitted, reasons, verdicts } = await admit({ policies: [policy(EXCEPTION, more)], view: REJECTED, profile });
  expect(admitted).toBe(false);
  expect(reasons.map(({ code }) => code)).toContain('admission.review_rejected');
  expect(verdicts.map((verdict) => verdict.profile)).toEqual([profile ?? (more === '' ? 'strict' : 'spec')]);
});
