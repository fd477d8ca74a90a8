import { X509Certificate } from 'node:crypto';
import { type ClusterClient, ClusterError, type ClusterObject, type ClusterResource } from '@colophon/cluster';
import { encodeBase64 } from '@colophon/encoding';
import { WebhookError } from '../webhook-error/webhook-error.ts';
import { type HeldCertificate, heldCertificate, type RenewalReason } from './held-certificate.ts';
import { makeServingCertificate, type ServingCertificate } from './serving-certificate.ts';
import { CONFIGURATION_KINDS, type TrustedConfiguration, trustInConfiguration } from './webhook-trust.ts';

/** Which certificate a webhook serves by, and who has to trust it. */
export type CertificateWish = {
  readonly namespace: string;
  readonly service: string;
  readonly secret: string;
  /** Name of both webhook configurations. */
  readonly configuration: string;
  readonly lifetimeSeconds: number;
};

/** What was done. */
export type KeptCertificates = {
  /** Why a certificate was made; undefined where the one that was there stays. */
  readonly renewal: RenewalReason | undefined;
  readonly names: readonly string[];
  readonly expiresAt: Date;
  /** SHA-256 of the certificate, hex. */
  readonly sha256: string;
  readonly configurations: readonly TrustedConfiguration[];
};

type CertificateCluster = Pick<ClusterClient, 'find' | 'create' | 'replace' | 'mergePatch'>;

/** Runs at once disturb each other at most so often: of two that write, one gets through. */
const MOST_ATTEMPTS = 5;

/**
 * Keeps a webhook's certificate in a Secret, and its authority in the webhook configurations. First every webhook trusts the
 * new authority beside the old one, and only then the Secret is replaced: wherever a run ends, the API server trusts what
 * is served. Of two runs at once one writes the Secret, and the other one starts over.
 * @throws WebhookError `webhook.configuration_missing`, `webhook.secret_foreign`; ClusterError
 */
export async function keepCertificates(
  cluster: CertificateCluster,
  wish: CertificateWish,
  clock: { now(): Date },
): Promise<KeptCertificates> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await keepOnce(cluster, wish, clock.now());
    } catch (error) {
      const isDisturbed =
        error instanceof ClusterError && (error.code === 'cluster.conflict' || error.code === 'cluster.exists');
      if (!isDisturbed || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

async function keepOnce(cluster: CertificateCluster, wish: CertificateWish, now: Date): Promise<KeptCertificates> {
  const names = dnsNamesOf(wish);
  const found = await cluster.find(secretsOf(wish), wish.secret);
  if (found !== undefined && found['type'] !== SECRET_TYPE) throw foreignSecret(wish, found);
  const held = heldCertificate(found, names, now);
  if (held.renewal === undefined) {
    const configurations = await trustEverywhere(cluster, wish, { served: held.authorities, now });
    return kept(held.certificate as X509Certificate, held, names, configurations);
  }
  const made = makeServingCertificate(names, { now, lifetimeSeconds: wish.lifetimeSeconds });
  const next = new X509Certificate(made.authority);
  const trusting = await trustEverywhere(cluster, wish, { served: held.authorities, next, now }, { mayMiss: true });
  await writeSecret(cluster, wish, found, made);
  // Whatever put a configuration back meanwhile, such as an upgrade of a chart, has not seen the new authority.
  const trusted = await trustEverywhere(cluster, wish, { served: [...held.authorities, next], now });
  const configurations = trusted.map((one, at) => ({ ...one, changed: one.changed || trusting[at]?.changed === true }));
  return kept(new X509Certificate(made.certificate), held, names, configurations);
}

/** How an API server calls the Service, and how others in the cluster may. */
function dnsNamesOf({ service, namespace }: CertificateWish): string[] {
  return [
    service,
    `${service}.${namespace}`,
    `${service}.${namespace}.svc`,
    `${service}.${namespace}.svc.cluster.local`,
  ];
}

const SECRET_TYPE = 'kubernetes.io/tls';

function secretsOf({ namespace }: CertificateWish): ClusterResource {
  return { group: '', version: 'v1', plural: 'secrets', namespace };
}

async function trustEverywhere(
  cluster: CertificateCluster,
  { configuration }: CertificateWish,
  trust: Parameters<typeof trustInConfiguration>[3],
  { mayMiss = false } = {},
): Promise<TrustedConfiguration[]> {
  const trusted: TrustedConfiguration[] = [];
  for (const kind of CONFIGURATION_KINDS) {
    trusted.push(await trustInConfiguration(cluster, kind, configuration, trust));
  }
  const missing = trusted.filter(({ webhooks }) => webhooks === undefined);
  if (missing.length > 0 && !mayMiss) throw missingConfiguration(missing);
  return trusted;
}

async function writeSecret(
  cluster: CertificateCluster,
  wish: CertificateWish,
  found: ClusterObject | undefined,
  { certificate, key, authority }: ServingCertificate,
): Promise<void> {
  const data = { 'tls.crt': base64(certificate), 'tls.key': base64(key), 'ca.crt': base64(authority) };
  if (found !== undefined) {
    await cluster.replace(secretsOf(wish), { ...found, data });
    return;
  }
  const { secret: name, namespace } = wish;
  const labels = { 'app.kubernetes.io/name': 'colophon-admission' };
  const metadata = { name, namespace, labels };
  await cluster.create(secretsOf(wish), { apiVersion: 'v1', kind: 'Secret', type: SECRET_TYPE, metadata, data });
}

function base64(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}

function kept(
  { validToDate, fingerprint256 }: X509Certificate,
  { renewal }: HeldCertificate,
  names: readonly string[],
  configurations: readonly TrustedConfiguration[],
): KeptCertificates {
  const sha256 = fingerprint256.replaceAll(':', '').toLowerCase();
  return { renewal, names, expiresAt: validToDate, sha256, configurations };
}

function foreignSecret({ secret, namespace }: CertificateWish, { type }: ClusterObject): WebhookError {
  return new WebhookError('webhook.secret_foreign', `the Secret ${secret} in ${namespace} holds something else`, {
    expected: `type ${SECRET_TYPE}`,
    found: typeof type === 'string' ? `type ${type}` : 'no type',
    next: 'colophon admission certificates --secret NAME',
  });
}

function missingConfiguration(missing: readonly TrustedConfiguration[]): WebhookError {
  const names = missing.map(({ kind, name }) => `${kind} ${name}`).join(' and ');
  return new WebhookError('webhook.configuration_missing', `the cluster has no ${names}; the certificate is there`, {
    expected: 'both webhook configurations',
    next: 'kubectl apply -f admission.yaml    (the manifest that has them; then run this again)',
  });
}
