import { receiptAddress } from '@colophon/records';

/** A server of models that requests are passed on to. */
export type Upstream = {
  /** Its part of a base URL that an agent is given. */
  readonly slot: string;
  /** What receipts call it, and what becomes `model_provider`: never an answer's word. */
  readonly name: string;
  /** Its http or https address; requests go to this path and below it. */
  readonly base: URL;
  /** Added to every request in place of what the agent sends; where absent the agent's own passes. */
  readonly credential?: { readonly header: string; readonly value: string };
  /** PEM of the authority that signs its certificate. */
  readonly ca?: string;
};

/** The base URL that an agent is given: the upstream's own path stands at its end, since agents look at it. */
export function agentBaseUrl(witness: string, token: string, { slot, base }: Pick<Upstream, 'slot' | 'base'>): string {
  return `${witness}/${token}/${slot}${base.pathname}`.replace(/\/+$/, '');
}

/** Its address as receipts write it. */
export function upstreamAddress({ base }: Pick<Upstream, 'base'>): string {
  return receiptAddress(base);
}

/** The providers that are known by their own addresses; every other server is the user's own. */
const KNOWN: Readonly<Record<string, string>> = {
  'https://api.anthropic.com': 'anthropic',
  'https://api.openai.com/v1': 'openai',
};

/** What a server is called that nobody named. */
export const SELF_HOSTED = 'self-hosted';

/** The name of a server whose address the agent's user chose. */
export function nameOfAddress(address: string): string {
  return (Object.hasOwn(KNOWN, address) && KNOWN[address]) || SELF_HOSTED;
}
