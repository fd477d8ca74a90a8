import { decodeBase64, encodeBase64, formatPem } from '@colophon/encoding';
import { type YamlValue, yamlText } from './yaml-text.ts';

/** What of a `trusted_root.json` is written down elsewhere; its reader has checked it. */
export type TrustedRootDocument = {
  readonly certificateAuthorities?: readonly AuthorityDocument[] | null;
  readonly tlogs?: readonly LogDocument[] | null;
  readonly ctlogs?: readonly LogDocument[] | null;
  readonly timestampAuthorities?: readonly AuthorityDocument[] | null;
};
type AuthorityDocument = {
  readonly subject?: { readonly organization?: string | null; readonly commonName?: string | null } | null;
  readonly uri?: string | null;
  readonly certChain: { readonly certificates: readonly { readonly rawBytes: string }[] };
};
type LogDocument = { readonly baseUrl?: string | null; readonly publicKey: { readonly rawBytes: string } };

/** Stands where policy-controller demands an address and the trusted root has none. */
const NO_ADDRESS = 'https://unknown.invalid';
/** The same for a name. */
const NO_NAME = 'unknown';

/**
 * The TrustRoot of policy-controller that holds the keys of a trusted root.
 * @see github.com/sigstore/policy-controller pkg/apis/policy/v1alpha1, TrustRoot
 */
export function trustRoot(name: string, root: TrustedRootDocument): string {
  const of = (list: readonly AuthorityDocument[] | null | undefined) => atLeastOne((list ?? []).map(authority));
  const logs = (list: readonly LogDocument[] | null | undefined) => atLeastOne((list ?? []).map(log));
  return yamlText({
    apiVersion: 'policy.sigstore.dev/v1alpha1',
    kind: 'TrustRoot',
    metadata: { name },
    spec: {
      sigstoreKeys: {
        certificateAuthorities: of(root.certificateAuthorities),
        tLogs: logs(root.tlogs),
        ctLogs: logs(root.ctlogs),
        timestampAuthorities: of(root.timestampAuthorities),
      },
    },
  });
}

/** Where certificates come from, and where they and signatures are logged. */
export function servicesOf(root: TrustedRootDocument): {
  readonly fulcioUrl: string;
  readonly rekorUrl: string;
  readonly hasCtLog: boolean;
} {
  return {
    fulcioUrl: root.certificateAuthorities?.at(-1)?.uri || NO_ADDRESS,
    rekorUrl: root.tlogs?.at(-1)?.baseUrl || NO_ADDRESS,
    hasCtLog: (root.ctlogs ?? []).length > 0,
  };
}

function authority({ subject, uri, certChain }: AuthorityDocument): YamlValue {
  return {
    subject: { organization: subject?.organization || NO_NAME, commonName: subject?.commonName || NO_NAME },
    uri: uri || NO_ADDRESS,
    certChain: pem(
      'CERTIFICATE',
      certChain.certificates.map(({ rawBytes }) => rawBytes),
    ),
  };
}

function log({ baseUrl, publicKey }: LogDocument): YamlValue {
  return {
    baseURL: baseUrl || NO_ADDRESS,
    hashAlgorithm: 'sha-256',
    publicKey: pem('PUBLIC KEY', [publicKey.rawBytes]),
  };
}

/** Bytes are base64 in Kubernetes, also those of PEM. */
function pem(label: string, list: readonly string[]): string {
  const text = list.map((base64) => formatPem(label, decodeBase64(base64) as Uint8Array)).join('');
  return encodeBase64(new TextEncoder().encode(text));
}

function atLeastOne(list: readonly YamlValue[]): readonly YamlValue[] | undefined {
  return list.length === 0 ? undefined : list;
}
