import { X509Certificate } from 'node:crypto';
import { ClusterClient, clusterConnection } from '@colophon/cluster';
import { type ApiRequest, startApiServer, type WrongApiAnswer } from '@colophon/testkit';
import { onTestFinished } from 'vitest';
import { certificatesIn } from '../src/certificates/authorities.ts';
import { type CertificateWish, keepCertificates } from '../src/certificates/keep-certificates.ts';

export const WISH: CertificateWish = {
  namespace: 'colophon-system',
  service: 'colophon-admission',
  secret: 'colophon-admission-tls',
  configuration: 'colophon-admission',
  lifetimeSeconds: 90 * 86_400,
};
export const SECRET = '/api/v1/namespaces/colophon-system/secrets/colophon-admission-tls';
export const CONFIGURATIONS = ['validating', 'mutating'].map(
  (kind) => `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/colophon-admission`,
) as [string, string];

export type SecretData = { readonly 'tls.crt': string; readonly 'tls.key': string; readonly 'ca.crt': string };

/** A cluster with both webhook configurations, three webhooks in all, and what runs of the command do there. */
export async function certificateCluster(time: { now: Date }) {
  let before: (request: ApiRequest) => WrongApiAnswer | undefined | Promise<WrongApiAnswer | undefined> = () =>
    undefined;
  const server = await startApiServer(onTestFinished, { before: (request) => before(request) });
  const client = new ClusterClient(clusterConnection(server.url, {}), { timeoutMs: 100_000 });
  const service = { name: 'colophon-admission', namespace: 'colophon-system' };
  const webhook = (name: string) => ({ name, clientConfig: { service: { ...service, path: `/${name}` } } });
  server.put(CONFIGURATIONS[0], { webhooks: [webhook('validate'), webhook('other')] });
  server.put(CONFIGURATIONS[1], { webhooks: [webhook('mutate')] });

  const secret = () => server.objects.get(SECRET)?.['data'] as SecretData | undefined;
  const text = (value = '') => Buffer.from(value, 'base64').toString();
  const bundles = () =>
    CONFIGURATIONS.flatMap((path) => {
      const webhooks = server.objects.get(path)?.['webhooks'] as ReadonlyArray<{
        clientConfig?: { caBundle?: string };
      }>;
      return webhooks.map(({ clientConfig }) => certificatesIn(text(clientConfig?.caBundle)));
    });
  return {
    server,
    client,
    run: (wish = WISH) => keepCertificates(client, wish, { now: () => time.now }),
    /** What happens before each question is answered. */
    disturb(how: typeof before = () => undefined) {
      before = how;
    },
    secret,
    leaf: () => new X509Certificate(text(secret()?.['tls.crt'])),
    key: () => text(secret()?.['tls.key']),
    authority: () => text(secret()?.['ca.crt']),
    /** Of each webhook. */
    bundles,
    /** Whether every webhook trusts a certificate now. */
    isTrusted: (certificate: X509Certificate) =>
      bundles().every((bundle) =>
        bundle.some(
          (one) =>
            one.validFromDate <= time.now &&
            time.now < one.validToDate &&
            certificate.checkIssued(one) &&
            certificate.verify(one.publicKey),
        ),
      ),
    writes: () =>
      server.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
  };
}
