/** Whose clients an upstream is for. */
export const PROVIDER_APIS = ['anthropic', 'openai'] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number];

/** The variables that agents and SDKs read the base URL of each API from. */
export const BASE_URL_VARIABLES: Readonly<Record<ProviderApi, readonly string[]>> = {
  anthropic: ['ANTHROPIC_BASE_URL'],
  openai: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
};

/** Where each API is, unless the user's environment says otherwise. */
export const PROVIDER_ADDRESSES: Readonly<Record<ProviderApi, string>> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
};

/** The variables that clients read a credential from. */
const CREDENTIAL_VARIABLES: Readonly<Record<ProviderApi, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_CUSTOM_HEADERS', 'CLAUDE_CODE_OAUTH_TOKEN'],
  openai: ['OPENAI_API_KEY', 'OPENAI_ADMIN_KEY', 'CODEX_API_KEY', 'AZURE_OPENAI_API_KEY'],
};

/** What shows who starts the agent, to the witness, to the issuer and to others. */
const CALLER_VARIABLES = [
  'COLOPHON_WITNESS_CREDENTIAL',
  'COLOPHON_CALLER_CREDENTIAL',
  'COLOPHON_CALLER_CREDENTIAL_FILE',
  'SIGSTORE_ID_TOKEN',
  'COSIGN_PASSWORD',
  'ACTIONS_RUNTIME_TOKEN',
  // With these a step of GitHub Actions asks for its job's token.
  'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
  'ACTIONS_ID_TOKEN_REQUEST_URL',
];

/** What stands in place of a credential that the witness adds: clients refuse to start without any. */
const PLACEHOLDER = 'added-by-the-witness';

type Environment = Readonly<Record<string, string | undefined>>;

/** The address of an API as the user's environment has it, else the provider's own. */
export function addressOf(api: ProviderApi, env: Environment): string {
  return BASE_URL_VARIABLES[api].map((name) => env[name]).find(Boolean) ?? PROVIDER_ADDRESSES[api];
}

/**
 * The environment of an agent: the user's, with the base URLs of the witness. Where the witness adds the credentials, the
 * agent gets none, and nothing that its caller shows who it is with: it is another user. The witness is reached without a
 * proxy.
 */
export function agentEnvironment(
  env: Environment,
  {
    baseUrls,
    addsCredentials,
  }: { readonly baseUrls: { readonly [api in ProviderApi]?: string }; readonly addsCredentials: boolean },
): NodeJS.ProcessEnv {
  const changed: NodeJS.ProcessEnv = { ...env };
  for (const api of PROVIDER_APIS) {
    const url = baseUrls[api];
    if (url !== undefined) for (const name of BASE_URL_VARIABLES[api]) changed[name] = url;
    if (!addsCredentials) continue;
    for (const name of CREDENTIAL_VARIABLES[api]) delete changed[name];
    if (url !== undefined) changed[CREDENTIAL_VARIABLES[api][0]!] = PLACEHOLDER;
  }
  if (addsCredentials) for (const name of CALLER_VARIABLES) delete changed[name];
  const hosts = Object.values(baseUrls).map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''));
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const before = env[name];
    // Of all hosts, which it means only where it stands alone.
    if (before === '*') continue;
    // A variable that is there in one spelling only stays alone: clients differ in which one wins.
    if (before === undefined && env[name === 'NO_PROXY' ? 'no_proxy' : 'NO_PROXY'] !== undefined) continue;
    changed[name] = [...new Set([before, ...hosts].filter(Boolean))].join(',');
  }
  return changed;
}
