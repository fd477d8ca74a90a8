import type { ClusterClient, ClusterObject, ClusterResource } from '@colophon/cluster';
import { decodeBase64, encodeBase64 } from '@colophon/encoding';
import { isJsonObject } from '@colophon/json';
import { certificatesIn, pemOf, trustedAuthorities } from './authorities.ts';

/** Kinds of objects that say which webhooks an API server calls. */
export const CONFIGURATION_KINDS = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const;

/** What became of one configuration. */
export type TrustedConfiguration = {
  readonly kind: (typeof CONFIGURATION_KINDS)[number];
  readonly name: string;
  /** Webhooks in it; undefined where the cluster has no such configuration. */
  readonly webhooks: number | undefined;
  readonly changed: boolean;
};

type Trust = Parameters<typeof trustedAuthorities>[1];

/**
 * Has every webhook of a configuration trust the authorities that are needed. Nothing is written where they are trusted.
 * @throws ClusterError; `cluster.conflict` where somebody else changed it meanwhile
 */
export async function trustInConfiguration(
  cluster: Pick<ClusterClient, 'find' | 'mergePatch'>,
  kind: TrustedConfiguration['kind'],
  name: string,
  trust: Trust,
): Promise<TrustedConfiguration> {
  const resource = configurations(kind);
  const found = await cluster.find(resource, name);
  if (found === undefined) return { kind, name, webhooks: undefined, changed: false };
  const webhooks = webhooksIn(found);
  const trusting = webhooks.map((webhook) => trustingWebhook(webhook, trust));
  const changed = trusting.some((webhook, index) => webhook !== webhooks[index]);
  if (changed) {
    // The list is written as a whole, over the version that was read and over no other.
    const { resourceVersion } = found.metadata;
    await cluster.mergePatch(resource, name, { metadata: { resourceVersion }, webhooks: trusting });
  }
  return { kind, name, webhooks: webhooks.length, changed };
}

/** Where configurations of a kind are. */
export function configurations(kind: TrustedConfiguration['kind']): ClusterResource {
  return { group: 'admissionregistration.k8s.io', version: 'v1', plural: `${kind.toLowerCase()}s` };
}

function webhooksIn(configuration: ClusterObject): readonly unknown[] {
  const webhooks = configuration['webhooks'];
  return Array.isArray(webhooks) ? webhooks : [];
}

/** The same webhook where it trusts what it should. */
function trustingWebhook(webhook: unknown, trust: Trust): unknown {
  const client = isJsonObject(webhook) ? webhook['clientConfig'] : undefined;
  if (!isJsonObject(webhook) || !isJsonObject(client)) return webhook;
  const written = typeof client['caBundle'] === 'string' ? client['caBundle'] : '';
  const listed = certificatesIn(new TextDecoder('latin1').decode(decodeBase64(written) ?? new Uint8Array()));
  const wanted = trustedAuthorities(listed, trust);
  const isSame =
    wanted.length === listed.length && wanted.every(({ raw }, at) => raw.equals(listed[at]?.raw as Buffer));
  if (isSame) return webhook;
  const caBundle = encodeBase64(new TextEncoder().encode(pemOf(wanted)));
  return { ...webhook, clientConfig: { ...client, caBundle } };
}
