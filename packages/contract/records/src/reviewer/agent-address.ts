/** An agent, and the addresses under which it commits, co-authors and signs. */
type AgentAddresses = {
  readonly agent: string;
  /** Nobody else has these. */
  readonly own: RegExp;
  /** Of a domain that the makers of the agent use too: it says who made a commit, and not that nobody is behind it. */
  readonly domain?: RegExp;
};

const ADDRESSES: readonly AgentAddresses[] = [
  agent('claude', 'noreply@anthropic\\.com', ofGitHub('claude(?:\\[bot\\])?')),
  agent('copilot', 'copilot@github\\.com', ofGitHub('copilot(?:-swe-agent)?(?:\\[bot\\])?')),
  agent('cursor', '(?:cursor)?agent@cursor\\.com', ofGitHub('cursor(?:agent)?(?:\\[bot\\])?')),
  agent('codex', '(?:codex|noreply)@openai\\.com', ofGitHub('chatgpt-codex-connector(?:\\[bot\\])?')),
  agent(
    'gemini',
    'gemini(?:-cli)?(?:-agent)?@google\\.com',
    'gemini-(?:code-assist|cli)(?:-robot)?@google\\.com',
    ofGitHub('gemini-(?:code-assist|cli)(?:-robot)?(?:\\[bot\\])?'),
  ),
  agent('jules', ofGitHub('google-labs-jules(?:\\[bot\\])?')),
  { ...agent('aider', '(?:aider|noreply)@aider\\.chat'), domain: whole('.*@aider\\.chat') },
  agent('devin', 'devin@cognition\\.ai', ofGitHub('devin-ai-integration(?:\\[bot\\])?')),
  agent('amp', 'amp@(?:ampcode|sourcegraph)\\.com'),
  { ...agent('opencode', '(?:opencode|noreply)@opencode\\.ai'), domain: whole('.*@opencode\\.ai') },
  {
    ...agent('windsurf', '(?:windsurf|cascade)@(?:windsurf|codeium)\\.com'),
    domain: whole('.*@(?:windsurf|codeium)\\.com'),
  },
  { ...agent('cline', '(?:cline|noreply)@cline\\.bot'), domain: whole('.*@cline\\.bot') },
  { ...agent('roo-code', '(?:roo|roo-?code|roomote)@roocode\\.com'), domain: whole('.*@roocode\\.com') },
  agent('amazon-q', ofGitHub('amazon-q-developer(?:\\[bot\\])?')),
  { ...agent('kiro', '(?:kiro|kiro-agent|noreply)@kiro\\.dev'), domain: whole('.*@kiro\\.dev') },
  agent('junie', 'junie@jetbrains\\.com'),
  agent('goose', 'goose@block\\.xyz'),
  agent('openhands', 'openhands@all-hands\\.dev', ofGitHub('openhands-agent')),
  agent('droid', ofGitHub('factory-droid(?:\\[bot\\])?')),
  agent('qwen-code', 'qwen-coder@alibabacloud\\.com'),
  agent('replit-agent', '.*-replit-agent@users\\.noreply\\.replit\\.com'),
  agent('crush', 'crush@charm\\.land'),
  agent('mistral-vibe', 'vibe@mistral\\.ai'),
  agent('sweep', ofGitHub('sweep-(?:ai|nightly)(?:\\[bot\\])?')),
  agent('warp', 'agent@warp\\.dev'),
];

/** The agent that commits under an address, also where people of its makers may; undefined for any other address. */
export function agentOfAddress(address: string): string | undefined {
  return ADDRESSES.find(({ own, domain }) => own.test(address) || domain?.test(address))?.agent;
}

/** True for an address that an agent has and nobody else. */
export function isAgentAddress(address: string): boolean {
  return ADDRESSES.some(({ own }) => own.test(address));
}

function agent(name: string, ...own: readonly string[]): AgentAddresses {
  return { agent: name, own: whole(own.join('|')) };
}

/** The private address of a GitHub account, with its number or without. */
function ofGitHub(login: string): string {
  return `(?:[^@]*\\+)?${login}@users\\.noreply\\.github\\.com`;
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 'i');
}
