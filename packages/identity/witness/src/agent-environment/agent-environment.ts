import { isHandedOn } from './handed-on.ts';

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

/** The variable that clients read a credential from, where they have to have one to start. */
const CREDENTIAL_VARIABLE: Readonly<Record<ProviderApi, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
};

/** What stands in place of a credential that the witness adds: clients refuse to start without any. */
const PLACEHOLDER = 'added-by-the-witness';

type Environment = Readonly<Record<string, string | undefined>>;

/** The address of an API as the user's environment has it, else the provider's own. */
export function addressOf(api: ProviderApi, env: Environment): string {
  return BASE_URL_VARIABLES[api].map((name) => env[name]).find(Boolean) ?? PROVIDER_ADDRESSES[api];
}

/** Where an agent finds the witness, and whether the witness adds the credentials. */
export type AgentSetting = {
  readonly baseUrls: { readonly [api in ProviderApi]?: string };
  readonly addsCredentials: boolean;
};

/**
 * The environment of an agent: the user's, with the base URLs of the witness. Where the witness adds the credentials, the
 * agent gets of the user's what is known to hold none, and a placeholder: it is another user. The witness is reached without
 * a proxy.
 */
export function agentEnvironment(env: Environment, setting: AgentSetting): NodeJS.ProcessEnv {
  const withheld = new Set(withheldNames(env, setting));
  const kept: Environment = Object.fromEntries(Object.entries(env).filter(([name]) => !withheld.has(name)));
  const changed: NodeJS.ProcessEnv = { ...kept, ...variablesOf(setting) };
  const hosts = Object.values(setting.baseUrls).map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''));
  for (const name of ['NO_PROXY', 'no_proxy']) {
    const before = kept[name];
    // Of all hosts, which it means only where it stands alone.
    if (before === '*') continue;
    // A variable that is there in one spelling only stays alone: clients differ in which one wins.
    if (before === undefined && kept[name === 'NO_PROXY' ? 'no_proxy' : 'NO_PROXY'] !== undefined) continue;
    changed[name] = [...new Set([before, ...hosts].filter(Boolean))].join(',');
  }
  return changed;
}

/** The names of what an agent does not get, in their order: none where it has credentials of its own. */
export function withheldNames(env: Environment, setting: AgentSetting): string[] {
  if (!setting.addsCredentials) return [];
  const own = variablesOf(setting);
  return Object.entries(env)
    .filter(([name, value]) => value !== undefined && !Object.hasOwn(own, name) && !isHandedOn(name, value))
    .map(([name]) => name)
    .sort();
}

/** What the witness says to the clients of each API. */
function variablesOf({ baseUrls, addsCredentials }: AgentSetting): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const api of PROVIDER_APIS) {
    const url = baseUrls[api];
    if (url === undefined) continue;
    for (const name of BASE_URL_VARIABLES[api]) variables[name] = url;
    if (addsCredentials) variables[CREDENTIAL_VARIABLE[api]] = PLACEHOLDER;
  }
  return variables;
}
