import { findPemBlocks, type PemBlock } from '@colophon/encoding';
import { membersIn, shownAddress, underBase } from '@colophon/peer';
import { type Examined, FULCIO_FILE, rootsOf, signingConfigOf } from './examined.ts';
import { type Finding, fault, fine } from './finding.ts';
import { type Answered, type Questions, saidBy, silenceOf } from './questions.ts';
import { unreachable } from './unreachable.ts';

/** The audience that our tokens have where nothing else is configured. */
const AUDIENCE = 'sigstore';

/** Whether the authority would certify tokens of this issuer, and whether its certificates are trusted. */
export async function probeAuthority(examined: Examined, questions: Questions): Promise<readonly Finding[]> {
  const { fulcioUrl } = examined.services;
  const [configurationUrl, bundleUrl] = ['/api/v2/configuration', '/api/v2/trustBundle'].map((path) =>
    underBase(fulcioUrl, path),
  ) as [string, string];
  const configuration = await questions.ask('certificate authority', configurationUrl);
  if (!configuration.isOk) return [unusable(configurationUrl, configuration, examined)];
  const bundle = await questions.ask('certificate authority', bundleUrl);
  const findings = [...issuerFindings(membersIn(configuration.body)['issuers'], examined)];
  const served = bundle.isOk ? signersIn(membersIn(bundle.body)['chains']) : [];
  if (served.length === 0) findings.push(unusable(bundleUrl, bundle, examined));
  else findings.push(...chainFindings(served, examined));
  return findings.length > 0
    ? findings
    : [fine('authority', `${shownAddress(fulcioUrl)} certifies tokens of this issuer, and its root is trusted`)];
}

function unusable(url: string, answer: Answered, examined: Examined): Finding {
  const isDown = answer.status === undefined || answer.status >= 500;
  const found = {
    code: isDown ? 'doctor.authority_unreachable' : 'doctor.authority_unknown',
    refusal: isDown ? 'signing.ca_unavailable' : 'signing.ca_refused',
    message: isDown ? saidBy(url, answer) : `what answers is no Fulcio: ${saidBy(url, answer)}`,
    file: signingConfigOf(examined),
    advice: isDown ? 'start Fulcio, or correct caUrls' : 'correct caUrls',
  } as const;
  return unreachable('authority', found, silenceOf(answer));
}

type ListedIssuer = { readonly issuerUrl?: unknown; readonly audience?: unknown; readonly challengeClaim?: unknown };

function* issuerFindings(listed: unknown, { issuerUrl }: Examined): Generator<Finding> {
  const issuers = (Array.isArray(listed) ? listed : []) as readonly (ListedIssuer | null)[];
  const own = issuers.find((one) => one?.issuerUrl === issuerUrl);
  if (own === undefined || own === null) {
    const near = issuers.find((one) => String(one?.issuerUrl).replace(/\/$/, '') === issuerUrl.replace(/\/$/, ''));
    yield fault('authority', {
      code: 'doctor.issuer_not_trusted',
      refusal: 'signing.ca_refused',
      message: 'the authority does not know this issuer',
      expected: issuerUrl,
      found: near ? String(near.issuerUrl).slice(0, 200) : `${issuers.length} others`,
      file: FULCIO_FILE,
      advice: 'give Fulcio the file that colophon init wrote, and start it again',
    });
    return;
  }
  if (own.audience !== AUDIENCE) {
    yield fault('authority', {
      code: 'doctor.audience_differs',
      refusal: 'signing.ca_refused',
      message: 'the authority expects another audience than the tokens have',
      expected: AUDIENCE,
      found: String(own.audience).slice(0, 200),
      file: FULCIO_FILE,
      advice: `client-id: ${AUDIENCE}`,
    });
  }
  if (own.challengeClaim !== 'sub') {
    yield fault('authority', {
      code: 'doctor.challenge_differs',
      refusal: 'signing.ca_refused',
      message:
        'the authority wants proof of possession over another claim than sub: this issuer has another type there',
      expected: 'sub',
      found: String(own.challengeClaim).slice(0, 200),
      file: FULCIO_FILE,
      advice: 'type: ci-provider, with ci-provider: agent-issuer',
    });
  }
}

/** The certificates that an authority says it signs with. */
function signersIn(chains: unknown): readonly PemBlock[] {
  return (Array.isArray(chains) ? chains : []).flatMap((chain: { certificates?: unknown } | null) => {
    const [first] = Array.isArray(chain?.certificates) ? chain.certificates : [];
    return findPemBlocks(String(first), ['CERTIFICATE']) ?? [];
  });
}

function* chainFindings(served: readonly PemBlock[], examined: Examined): Generator<Finding> {
  const pinned = examined.trust.roots.flatMap(({ authorityCertificates }) => authorityCertificates);
  if (served.some(({ der }) => pinned.some((one) => Buffer.compare(one, der) === 0))) return;
  yield fault('authority', {
    code: 'doctor.authority_not_pinned',
    refusal: 'certificate.untrusted',
    message: 'no trusted root has the certificate that this authority signs with',
    file: rootsOf(examined),
    advice: 'colophon init … --replace, after comparing the new certificates with whoever runs the authority',
  });
}
