import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createIdentityPolicy,
  LogClient,
  loadTrustedRoot,
  SigningError,
  type SigningErrorCode,
  signBlob,
  verifyBundle,
} from '@colophon/sigstore';
import { freePort } from '@colophon/testkit';
import { afterEach, expect, test } from 'vitest';
import { FULL_REQUEST, type Installation, startColophon } from './colophon-up.ts';

const KILLS = 20;
/** Callers that ask for tokens, and callers that sign: a token, a certificate and a log entry each time. */
const CALLERS = { minting: 6, signing: 2 };
const MOST_REQUESTS = 500;

/** What a signer is told whose services are gone. */
const GONE: readonly SigningErrorCode[] = [
  'signing.token_unavailable',
  'signing.ca_unavailable',
  'signing.log_unavailable',
];

let installation: Installation | undefined;
afterEach(() => installation?.stop());

test(`after ${KILLS} kills at random moments under load, every token, certificate and log entry that a caller received is kept`, async () => {
  const port = await freePort();
  installation = await startColophon({ port });
  const tokens: string[] = [];
  const bundles: Array<{ artifact: Uint8Array; bundle: Uint8Array }> = [];
  // A machine that is busy signs more slowly, and is killed later: most kills meet a signature under way or made.
  const began = performance.now();
  const peers = { fulcioUrl: installation.issuer, rekorUrl: installation.issuer, retries: 0 };
  await signBlob({ ...peers, artifact: Buffer.from('first'), identityToken: () => mint(peers.fulcioUrl, 'first') });
  const longest = Math.max(300, 2 * (performance.now() - began));
  for (let kill = 0; kill < KILLS; kill++) {
    const { issuer, process: server, folder } = installation;
    const exited = new Promise((resolve) => server.once('exit', resolve));
    const receiveToken = async (agentVersion: string) => {
      const token = await mint(issuer, agentVersion);
      tokens.push(token);
      return token;
    };
    const callers = [
      ...Array.from({ length: CALLERS.minting }, (_, caller) =>
        untilGone(async (request) => void (await receiveToken(`${kill}.${caller}.${request}`))),
      ),
      ...Array.from({ length: CALLERS.signing }, (_, caller) =>
        untilGone(async (request) => {
          const artifact = Buffer.from(`artifact ${kill}.${caller}.${request}`);
          const identityToken = () => receiveToken(`${kill}.signer-${caller}.${request}`);
          bundles.push({ artifact, ...(await signBlob({ ...peers, artifact, identityToken })) });
        }),
      ),
    ];
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * longest));
    server.kill('SIGKILL');
    await exited;
    await Promise.all(callers);
    installation = await startColophon({ port, folder });
  }

  for (const command of ['ledger', 'log']) {
    const verified = await installation.colophon([command, 'verify', '--output', 'json']);
    expect(verified, verified.stdout + verified.stderr).toMatchObject({ code: 0 });
  }
  const exported = join(installation.folder, 'ledger.json');
  expect((await installation.colophon(['ledger', 'export', '--out', exported])).code).toBe(0);
  const inLedger = new Set(
    (JSON.parse(readFileSync(exported, 'utf8')) as Array<{ jti: string }>).map(({ jti }) => jti),
  );
  expect(tokens.length).toBeGreaterThan(KILLS);
  expect(tokens.map(jtiOf).filter((jti) => !inLedger.has(jti))).toEqual([]);

  const trust = loadTrustedRoot(readFileSync(join(installation.trust, 'trusted_root.json')));
  const policy = createIdentityPolicy({ issuer: installation.issuer, subject: `agent:${FULL_REQUEST.agent_name}` });
  const log = new LogClient({ rekorUrl: installation.issuer, trust });
  expect(bundles.length).toBeGreaterThan(KILLS / 4);
  for (const { artifact, bundle } of bundles) {
    const { signature } = verifyBundle({ bundle, artifact, trust, policy });
    expect(inLedger).toContain(signature.certificate_identity.jti);
    const { log_index: logIndex, body } = await log.entryByIndex(signature.log_entry.log_index);
    expect({ logIndex, body }).toEqual({ logIndex: signature.log_entry.log_index, body: loggedBodyOf(bundle) });
  }
});

/** Asks again and again until nobody answers any more. Being told anything else is a failure. */
async function untilGone(ask: (request: number) => Promise<void>): Promise<void> {
  for (let request = 0; request < MOST_REQUESTS; request++) {
    try {
      await ask(request);
    } catch (error) {
      const isGone =
        error instanceof SigningError
          ? GONE.includes(error.code) && error.status === undefined
          : error instanceof TypeError;
      if (isGone) return;
      throw error;
    }
  }
}

/** @throws TypeError, as fetch does, where nobody answers */
async function mint(issuer: string, agentVersion: string): Promise<string> {
  const response = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...FULL_REQUEST, agent_version: agentVersion }),
  });
  if (!response.ok) throw new Error(`the issuer answered ${response.status}: ${await response.text()}`);
  return response.text();
}

function jtiOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).jti;
}

function loggedBodyOf(bundle: Uint8Array): unknown {
  const { verificationMaterial } = JSON.parse(Buffer.from(bundle).toString());
  return JSON.parse(Buffer.from(verificationMaterial.tlogEntries[0].canonicalizedBody, 'base64').toString());
}
