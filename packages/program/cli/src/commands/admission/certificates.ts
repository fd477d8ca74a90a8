import { ClusterClient, clusterConnection } from '@colophon/cluster';
import { type CertificateWish, type KeptCertificates, keepCertificates } from '@colophon/webhook/certificates';
import type { CertificatesResult } from '@colophon/webhook/result';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable } from '../../terminal/terminal.ts';
import { parseDuration } from '../../time-words/duration.ts';

type CertificatesFlags = {
  readonly namespace: string;
  readonly service: string;
  readonly secret: string;
  readonly webhookConfiguration: string;
  readonly lifetime: number;
  readonly server?: string;
  readonly output: OutputFormat;
};

const DAY_SECONDS = 86_400;
const DEFAULT_LIFETIME_DAYS = 90;

/** `colophon admission certificates`: what an API server and the webhook know each other by; run again, it changes what is due. */
export function defineAdmissionCertificates(command: Command, session: Session): void {
  const { env, signal } = session;
  command
    .addHelpText(
      'after',
      example('colophon admission certificates', 'colophon admission certificates --server http://127.0.0.1:8001'),
    )
    .option('--namespace <name>', 'namespace of the webhook', parseLabel, 'colophon-system')
    .option('--service <name>', 'Service of the webhook', parseLabel, 'colophon-admission')
    .option('--secret <name>', 'Secret for certificate and key', parseName, 'colophon-admission-tls')
    .option(
      '--webhook-configuration <name>',
      'ValidatingWebhookConfiguration and MutatingWebhookConfiguration',
      parseName,
      'colophon-admission',
    )
    .addOption(
      new Option('--lifetime <time>', 'how long a new certificate counts, e.g. 30d')
        .argParser(parseLifetime)
        .default(DEFAULT_LIFETIME_DAYS * DAY_SECONDS, `${DEFAULT_LIFETIME_DAYS}d`),
    )
    .option('--server <url>', 'API server, e.g. of kubectl proxy (default: that of the Pod’s cluster)')
    .addOption(outputOption())
    .action(async ({ server, output, ...flags }: CertificatesFlags) => {
      const cluster = new ClusterClient(clusterConnection(server, env), { signal });
      const wish: CertificateWish = {
        namespace: flags.namespace,
        service: flags.service,
        secret: flags.secret,
        configuration: flags.webhookConfiguration,
        lifetimeSeconds: flags.lifetime,
      };
      const kept = await keepCertificates(cluster, wish, { now: () => new Date() });
      printResult(session.terminal, output, resultOf(kept, wish), describe);
    });
}

function resultOf(
  { renewal, names, expiresAt, sha256, configurations }: KeptCertificates,
  { namespace, secret }: CertificateWish,
): CertificatesResult {
  return {
    ok: true,
    namespace,
    secret,
    renewed: renewal !== undefined,
    names: [...names],
    expires_at: expiresAt.toISOString().replace(/\.\d+Z$/, 'Z'),
    sha256,
    configurations: configurations.map(({ kind, name, webhooks, changed }) => ({
      kind,
      name,
      webhook_count: webhooks ?? 0,
      changed,
    })),
    ...(renewal === undefined ? {} : { reason: renewal }),
  };
}

function describe({ namespace, secret, renewed, reason, expires_at, configurations }: CertificatesResult): string {
  const words = renewed ? `made (${reason?.replaceAll('_', ' ')})` : 'as it was';
  return formatTable([
    ['certificate', `${words}, expires ${expires_at}`],
    ['secret', `${namespace}/${secret}`],
    ...configurations.map(({ kind, name, webhook_count, changed }) => [
      kind,
      `${name}: ${webhook_count} ${webhook_count === 1 ? 'webhook' : 'webhooks'}, ${changed ? 'changed' : 'as it was'}`,
    ]),
  ]);
}

/** RFC 1123: a part of a DNS name. */
function parseLabel(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError('It is 1 to 63 of a-z 0-9 and -, the first and the last no -.');
}

function parseName(text: string): string {
  if (/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(text) && !text.includes('..')) return text;
  throw new InvalidArgumentError('It is a name of Kubernetes: up to 253 of a-z 0-9 . and -.');
}

function parseLifetime(text: string): number {
  const seconds = parseDuration(text) ?? 0;
  // A CronJob once a day renews it in the last third.
  if (seconds >= 6 * DAY_SECONDS && seconds <= 397 * DAY_SECONDS) return seconds;
  throw new InvalidArgumentError('A time such as 30d is expected, from 6d to 397d.');
}
