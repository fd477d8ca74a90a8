import { membersIn, shownAddress } from '@colophon/peer';
import { type Finding, fault, fine } from './finding.ts';
import { type Questions, saidBy, silenceOf } from './questions.ts';
import { unreachable } from './unreachable.ts';

/** Whether an authority could read the issuer's documents, and verify its tokens by them. */
export async function probeIssuer(issuerUrl: string, questions: Questions): Promise<readonly Finding[]> {
  const url = `${issuerUrl.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await questions.ask('issuer', url);
  if (!answer.isOk) {
    const found = {
      code: 'doctor.issuer_unreachable',
      refusal: 'signing.token_unavailable',
      message: `the issuer's discovery document cannot be fetched: ${saidBy(url, answer)}`,
      expected: url,
      advice: 'start the issuer: colophon up, or colophon serve --config colophon.yaml',
    } as const;
    return [unreachable('issuer', found, silenceOf(answer))];
  }
  const document = membersIn(answer.body);
  const { issuer, jwks_uri: jwksUri, id_token_signing_alg_values_supported: algorithms } = document;
  if (issuer !== issuerUrl) {
    return [
      fault('issuer', {
        code: 'doctor.issuer_differs',
        refusal: 'signing.ca_refused',
        message: 'the discovery document names another issuer, and Fulcio compares byte for byte',
        expected: issuerUrl,
        found: typeof issuer === 'string' ? issuer.slice(0, 200) : 'no issuer',
        file: 'colophon.yaml, and issuer-url of fulcio.yaml',
        advice: 'write the issuer in each file exactly as its discovery document does',
      }),
    ];
  }
  return [await probeKeys(jwksUri, algorithms, issuerUrl, questions)];
}

async function probeKeys(
  jwksUri: unknown,
  algorithms: unknown,
  issuerUrl: string,
  questions: Questions,
): Promise<Finding> {
  const wrong = (message: string, found?: string): Finding =>
    fault('issuer', {
      code: 'doctor.issuer_keys',
      refusal: 'signing.ca_refused',
      message,
      ...(found === undefined ? {} : { found }),
      advice: 'look at the log of the issuer, and at: colophon keys list',
    });
  if (typeof jwksUri !== 'string' || !URL.canParse(jwksUri) || new URL(jwksUri).origin !== new URL(issuerUrl).origin) {
    return wrong('the discovery document names no key set of the issuer');
  }
  const answer = await questions.ask('issuer', jwksUri);
  if (!answer.isOk) return wrong(`the key set cannot be fetched: ${saidBy(jwksUri, answer)}`);
  const { keys } = membersIn(answer.body);
  const listed = Array.isArray(algorithms) ? algorithms : ['RS256'];
  const usable = (Array.isArray(keys) ? keys : []).filter((key: { alg?: unknown } | null) => listed.includes(key?.alg));
  if (usable.length > 0)
    return fine(
      'issuer',
      `${issuerUrl}: ${usable.length} key${usable.length === 1 ? '' : 's'} for ${listed.join(', ')}`,
    );
  return wrong('no key of the key set is for an algorithm that the discovery document lists', shownAddress(jwksUri));
}
