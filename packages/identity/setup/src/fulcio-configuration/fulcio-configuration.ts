import { FULCIO_EXTENSION_TEMPLATES, SOURCED_CLAIMS, UNKNOWN } from '@colophon/records';

/** Fulcio's names, in its configuration, for the extensions `1.3.6.1.4.1.57264.1.<n>`. */
const EXTENSION_NAMES: Readonly<Record<number, string>> = {
  2: 'github-workflow-trigger',
  3: 'github-workflow-sha',
  5: 'github-workflow-repository',
  9: 'build-signer-uri',
  10: 'build-signer-digest',
  11: 'runner-environment',
  12: 'source-repository-uri',
  13: 'source-repository-digest',
  18: 'build-config-uri',
  19: 'build-config-digest',
  20: 'build-trigger',
  21: 'run-invocation-uri',
  22: 'source-repository-visibility-at-signing',
  23: 'deployment-environment',
};

const CLAIM = /\{(\w+)\}/g;

// No token is without these two, so they need nothing to fall back on.
const ALWAYS_PRESENT = ['iss', 'sub'];

/** A lone claim is looked up by its name, anything else is a Go template. */
function fulcioTemplate(template: string): string {
  const lone = /^\{(\w+)\}$/.exec(template)?.[1];
  return lone ?? template.replace(CLAIM, '{{ .$1 }}');
}

/** Fulcio's configuration (`--config-path`) for an issuer of ours, as YAML; docs/fulcio.md shows exactly this text. */
export function fulcioConfig(issuerUrl = 'http://localhost:7080'): string {
  const used = Object.values(FULCIO_EXTENSION_TEMPLATES).flatMap((text) =>
    [...text.matchAll(CLAIM)].map(([, c]) => c!),
  );
  const rank = (claim: string) => (SOURCED_CLAIMS as readonly string[]).indexOf(claim) >>> 0;
  const defaults = [...new Set(used)]
    .filter((claim) => !ALWAYS_PRESENT.includes(claim))
    .sort((a, b) => rank(a) - rank(b));
  return [
    'oidc-issuers:',
    `  ${issuerUrl}:`,
    `    issuer-url: ${issuerUrl}`,
    '    client-id: sigstore # the audience of the tokens',
    '    type: ci-provider',
    '    ci-provider: agent-issuer',
    '    description: Colophon issuer',
    '    contact: security@example.com # your own',
    'ci-issuer-metadata:',
    '  agent-issuer:',
    '    # Fulcio refuses a token that lacks a claim which a template names, so every claim has a value to fall back on.',
    '    default-template-values:',
    ...defaults.map((claim) => `      ${claim}: ${claim === 'key_thumbprint' ? 'none' : UNKNOWN}`),
    '    # From sub and nothing else: proof of possession is over sub, so the name in the certificate is the proven one.',
    '    subject-alternative-name-template: "{{ .sub }}"',
    '    extension-templates:',
    ...Object.entries(FULCIO_EXTENSION_TEMPLATES).map(([number, template]) => {
      const name = EXTENSION_NAMES[Number(number)];
      if (name === undefined) throw new Error(`Fulcio has no extension ${number} that a configuration may set`);
      return `      ${name}: "${fulcioTemplate(template)}" # .${number}`;
    }),
    '',
  ].join('\n');
}
