import { createSigningConfig, createTrustedRoot } from '@colophon/sigstore';
import { fulcioConfig } from '../fulcio-configuration/fulcio-configuration.ts';
import { readChain, type ServiceAddresses, type ServiceKeys } from '../keys/service-keys.ts';

/** A file to be written. */
export type SetupFile = { readonly name: SetupFileName; readonly what: string; readonly content: string };

export const SETUP_FILES = [
  'trusted_root.json',
  'signing_config.json',
  'colophon.yaml',
  'fulcio.yaml',
  'policy.yaml',
  'fulcio-chain.pem',
  'rekor.pub',
  'ctfe.pub',
  'cosign.env',
] as const;
export type SetupFileName = (typeof SETUP_FILES)[number];

/**
 * Everything that a company's services and their clients are configured with.
 * @param place `folder` is absolute: where the files will lie. `registry` is the name of images in the policy; every image
 * where absent. `name` is what results call the root.
 */
export function setupFiles(
  addresses: ServiceAddresses,
  keys: ServiceKeys,
  place: { readonly folder: string; readonly registry?: string | undefined; readonly name: string },
): readonly SetupFile[] {
  const { issuerUrl, fulcioUrl, rekorUrl, timestampUrl } = addresses;
  const validFrom = new Date(readChain(keys.fulcioChain)?.[0].validFrom ?? Number.NaN);
  const services = {
    fulcioUrl,
    oidcUrl: issuerUrl,
    rekorUrl,
    rekorMajorVersion: keys.rekorMajorVersion,
    ...(timestampUrl === undefined ? {} : { tsaUrl: timestampUrl }),
  };
  const trustedRoot = createTrustedRoot({
    certificateChain: keys.fulcioChain,
    fulcioUrl,
    ...(keys.ctKey === undefined ? {} : { ctPublicKey: keys.ctKey, ctUrl: addresses.ctUrl ?? fulcioUrl }),
    rekorPublicKey: keys.rekorKey,
    rekorUrl,
    ...(keys.rekorMajorVersion === 2 ? { rekorOrigin: new URL(rekorUrl).hostname } : {}),
    validFrom,
    ...(keys.timestampChain === undefined || timestampUrl === undefined
      ? {}
      : { timestampAuthority: { url: timestampUrl, certificateChain: keys.timestampChain } }),
  });
  const signingConfig = createSigningConfig(services, validFrom, place.name);
  const hasCtLog = keys.ctKey !== undefined;
  return [
    { name: 'trusted_root.json', what: 'whom everybody trusts', content: json(trustedRoot) },
    { name: 'signing_config.json', what: 'where everybody signs', content: json(signingConfig) },
    {
      name: 'colophon.yaml',
      what: 'both of them, and the issuer',
      content: configuration(issuerUrl, place.name, hasCtLog),
    },
    { name: 'fulcio.yaml', what: 'Fulcio’s --config-path', content: fulcioConfig(issuerUrl) },
    { name: 'policy.yaml', what: 'which images are admitted', content: policy(issuerUrl, place.registry) },
    { name: 'fulcio-chain.pem', what: 'for older clients', content: keys.fulcioChain },
    { name: 'rekor.pub', what: 'for older clients', content: keys.rekorKey },
    ...(keys.ctKey === undefined
      ? []
      : ([{ name: 'ctfe.pub', what: 'for older clients', content: keys.ctKey }] as const)),
    { name: 'cosign.env', what: 'cosign and gitsign', content: cosignSettings(addresses, place.folder, { hasCtLog }) },
  ];
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function configuration(issuerUrl: string, name: string, hasCtLog: boolean): string {
  const root = hasCtLog
    ? `{ name: ${name}, file: trusted_root.json }`
    : `{ name: ${name}, file: trusted_root.json, insecureIgnoreSct: true } # the authority has no CT log`;
  return `# For clients: --config FILE, or $COLOPHON_CONFIG. For the issuer, add listen, data and callers: colophon config example
issuer: ${JSON.stringify(issuerUrl)}
trust:
  roots:
    - ${root}
  signingConfig: signing_config.json
policies: [policy.yaml]
`;
}

function policy(issuerUrl: string, registry: string | undefined): string {
  const issuer = JSON.stringify(issuerUrl);
  return `# colophon admit --policy policy.yaml IMAGE
version: 1
images: [${JSON.stringify(registry === undefined ? '**' : `${registry}/**`)}]
agent: { issuer: ${issuer}, subjectRegExp: "^agent:.*" }
review: { issuer: ${issuer}, subjectRegExp: "^reviewer:.*" }
`;
}

/** cosign takes its files by flags; gitsign, and cosign without them, by variables. */
function cosignSettings(
  { issuerUrl, fulcioUrl, rekorUrl }: ServiceAddresses,
  folder: string,
  { hasCtLog }: { readonly hasCtLog: boolean },
): string {
  const at = (name: SetupFileName) => quoted(`${folder}/${name}`);
  const ignore = hasCtLog ? '' : ' --insecure-ignore-sct';
  return `# . cosign.env
# cosign sign-blob --signing-config ${at('signing_config.json')} --trusted-root ${at('trusted_root.json')} --identity-token TOKEN-FILE --bundle FILE.sigstore.json FILE
# cosign verify-blob --trusted-root ${at('trusted_root.json')}${ignore} --certificate-oidc-issuer ${quoted(issuerUrl)} --certificate-identity agent:NAME --bundle FILE.sigstore.json FILE
export COLOPHON_CONFIG=${at('colophon.yaml')}
export SIGSTORE_ROOT_FILE=${at('fulcio-chain.pem')}
export SIGSTORE_REKOR_PUBLIC_KEY=${at('rekor.pub')}
${hasCtLog ? `export SIGSTORE_CT_LOG_PUBLIC_KEY_FILE=${at('ctfe.pub')}\n` : ''}export GITSIGN_FULCIO_URL=${quoted(fulcioUrl)}
export GITSIGN_FULCIO_ROOT=${at('fulcio-chain.pem')}
export GITSIGN_REKOR_URL=${quoted(rekorUrl)}
export GITSIGN_OIDC_ISSUER=${quoted(issuerUrl)}
`;
}

/** A word of a shell. */
function quoted(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
