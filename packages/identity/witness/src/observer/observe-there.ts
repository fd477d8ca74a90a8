import { request as requestOverSocket } from 'node:http';
import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { askPeer, NoAnswer, underBase } from '@colophon/peer';
import { PROVIDER_APIS, type ProviderApi } from '../agent-environment/agent-environment.ts';
import { bytesUpTo } from '../body/bytes-up-to.ts';
import type { ReceiptEnvelope } from '../receipt/receipt-envelope.ts';
import { WitnessError } from '../witness-error/witness-error.ts';
import type { AskedRun, Observation } from './observer.ts';

/** Where a witness is controlled: `unix:/run/…/control.sock`, or an http(s) address. */
export type ControlPlace = { readonly address: string; readonly credential: string };

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 1024 * 1024;

/**
 * Has a witness elsewhere observe a run: it adds the credentials of its upstreams, and the agent gets none.
 * @throws WitnessError `witness.unavailable`, `witness.refused`
 */
export async function observeThere(asked: AskedRun, place: ControlPlace): Promise<Observation> {
  const { agentName, agentVersion, promptHash, policyPackHash } = asked;
  const opened = await ask(place, 'POST', '/runs', {
    agent_name: agentName,
    agent_version: agentVersion,
    policy_pack_hash: policyPackHash,
    ...(promptHash === undefined ? {} : { prompt_hash: promptHash }),
  });
  const id = opened['run_id'];
  const urls = opened['base_urls'];
  if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/.test(id) || !isJsonObject(urls ?? null)) throw strange(place);
  const baseUrls: { [api in ProviderApi]?: string } = {};
  for (const api of PROVIDER_APIS) {
    const url = (urls as JsonObject)[api];
    if (typeof url === 'string' && URL.canParse(url)) baseUrls[api] = url;
  }
  return {
    baseUrls,
    addsCredentials: true,
    receipt: async () => envelopeIn(await ask(place, 'GET', `/runs/${id}/receipt`), place),
    async end({ reason, exitCode, signal }) {
      const outcome = { reason, ...(exitCode === undefined ? {} : { exit_code: exitCode }), ...(signal && { signal }) };
      return envelopeIn(await ask(place, 'POST', `/runs/${id}/end`, outcome), place);
    },
    close() {},
  };
}

function envelopeIn(answer: JsonObject, place: ControlPlace): ReceiptEnvelope {
  if (typeof answer['payload'] !== 'string') throw strange(place);
  return answer as unknown as ReceiptEnvelope;
}

async function ask(place: ControlPlace, method: string, path: string, body?: object): Promise<JsonObject> {
  const { status, bytes } = await exchange(place, method, path, body === undefined ? '' : JSON.stringify(body));
  const parsed = parseStrictJson(bytes, { maxBytes: MOST_BYTES, maxDepth: 64 });
  if (!parsed.ok || !isJsonObject(parsed.value)) throw strange(place);
  if (status >= 200 && status < 300) return parsed.value;
  const { code, detail } = parsed.value;
  throw new WitnessError(
    'witness.refused',
    `the witness refused the request: ${String(detail ?? status)} [${String(code)}]`,
    {
      checked: place.address,
    },
  );
}

async function exchange({ address, credential }: ControlPlace, method: string, path: string, body: string) {
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  try {
    if (address.startsWith('unix:'))
      return await overSocket(address.slice('unix:'.length), { method, path, headers }, body);
    const answer = await askPeer(
      underBase(address, path),
      { method, headers, ...(body === '' ? {} : { body: new TextEncoder().encode(body) }) },
      { timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, redirect: 'refused' },
    );
    return { status: answer.status, bytes: answer.body };
  } catch (cause) {
    const reason = cause instanceof NoAnswer ? cause.message : ((cause as NodeJS.ErrnoException).code ?? 'no answer');
    throw new WitnessError('witness.unavailable', `the witness does not answer: ${reason}`, {
      checked: address,
      cause,
    });
  }
}

async function overSocket(
  socketPath: string,
  options: { readonly method: string; readonly path: string; readonly headers: Record<string, string> },
  body: string,
) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; bytes: Uint8Array }>();
  const asked = requestOverSocket({ socketPath, timeout: TIMEOUT_MS, ...options }, (answer) => {
    bytesUpTo(answer, MOST_BYTES).then((bytes) => {
      if (bytes === undefined) reject(new Error('an answer that is too large'));
      else resolve({ status: answer.statusCode ?? 0, bytes });
    }, reject);
  });
  asked.once('timeout', () => asked.destroy(new Error('no answer in time')));
  asked.once('error', reject);
  asked.end(body);
  return promise;
}

function strange({ address }: ControlPlace): WitnessError {
  return new WitnessError('witness.unavailable', 'what answers is no witness', { checked: address });
}
