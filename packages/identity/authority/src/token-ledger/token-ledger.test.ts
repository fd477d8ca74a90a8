import { expect, onTestFinished, test } from 'vitest';
import { certificateRequest } from '../../test/certificate-request.ts';
import { refusalCode } from '../../test/refusal.ts';
import { JSON_TYPE, runAuthority } from '../../test/running-authority.ts';
import { makeSigner, proofOver } from '../../test/signer.ts';
import { agentClaims, makeIssuerKey, mintToken } from '../../test/token-issuer.ts';
import type { TokenLedger, TokenStanding } from './token-ledger.ts';

const signer = makeSigner();

async function authorityWith(tokenLedger: TokenLedger, issuers: readonly string[] = []) {
  const key = makeIssuerKey();
  const keySource = { findKey: () => key.jwk };
  const own = 'http://localhost:7080';
  const running = await runAuthority({ tokenLedger, keySource, trustedIssuers: [own, ...issuers] }, key);
  onTestFinished(() => running.remove());
  const entryCount = async () => (await running.get('/ct/v1/get-sth')).json().tree_size;
  return { ...running, entryCount };
}

/** Asks for a certificate: `certified`, or the code of the refusal. */
const codeOf = (certified: Promise<unknown>) => certified.then(() => 'certified', refusalCode);

test('a row that is erased while its certificate is signed leaves nothing in the log', async () => {
  const answers: TokenStanding[] = ['issued', 'erased'];
  const running = await authorityWith({ standingOf: () => answers.shift()! });
  expect(await codeOf(running.certify(signer))).toBe('authority.token_erased');
  expect(await running.entryCount()).toBe(0);
  expect(answers).toEqual([]);
});

test.each<[TokenStanding, string]>([
  ['issued', 'certified'],
  ['altered', 'authority.token_altered'],
  ['erased', 'authority.token_erased'],
  ['unissued', 'authority.token_unissued'],
])('an issuer elsewhere that says %s is asked once: %s', async (standing, expected) => {
  let asked = 0;
  const running = await authorityWith({
    standingOf: async () => {
      asked += 1;
      return standing;
    },
  });
  expect(await codeOf(running.certify(signer))).toBe(expected);
  expect(asked).toBe(1);
  expect(await running.entryCount()).toBe(expected === 'certified' ? 1 : 0);
});

test.each<[string, TokenLedger['standingOf']]>([
  [
    'throws',
    () => {
      throw new Error('canary');
    },
  ],
  ['rejects', () => Promise.reject(new Error('canary'))],
])('where the ledger %s nothing is certified, and the caller may ask again', async (_how, standingOf) => {
  const running = await authorityWith({ standingOf });
  const answer = await running.post(
    '/api/v2/signingCert',
    certificateRequest(mintToken(running.key), signer),
    JSON_TYPE,
  );
  expect([answer.statusCode, answer.json().details[0].reason]).toEqual([503, 'authority.ledger_unavailable']);
  expect(answer.headers['retry-after']).toBeDefined();
  expect(answer.body).not.toContain('canary');
  expect(await running.entryCount()).toBe(0);
});

test('no ledger is asked about the token of another issuer, nor before a proof holds', async () => {
  const ci = 'https://ci.example';
  const running = await authorityWith({ standingOf: () => Promise.reject(new Error('asked')) }, [ci]);
  const others = agentClaims({ iss: ci, sub: 'spiffe://td/job', agent_name: undefined });
  expect(await codeOf(running.certify(signer, others))).toBe('certified');
  const stolenProof = {
    publicKey: Buffer.from(signer.pem),
    proofOfPossession: proofOver(makeSigner(), 'agent:code-writer'),
  };
  expect(await codeOf(running.authority.issueCertificate(mintToken(running.key), stolenProof))).toBe(
    'authority.proof_invalid',
  );
});

test('an authority that is given no ledger certifies nothing of its own issuer', async () => {
  const key = makeIssuerKey();
  const running = await runAuthority({ tokenLedger: undefined }, key);
  onTestFinished(() => running.remove());
  expect(await codeOf(running.certify(signer))).toBe('authority.token_unissued');
});
