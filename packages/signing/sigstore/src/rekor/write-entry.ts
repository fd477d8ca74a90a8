import { formatPem } from '@colophon/encoding';
import type { JsonObject, JsonValue } from '@colophon/json';
import { type Digest, parseLogEntryId } from '@colophon/notation';
import { peerReason, underBase } from '@colophon/peer';
import type { ServiceOptions } from '../service/ask-service.ts';
import { ask, invalidAnswer, jsonOf, refusedBy } from '../sign/ask.ts';
import { bundleEntryOfV1, type LogEntryJson } from './log-entry-json.ts';

/** What is to be logged: a signature over content by a certificate or key. */
export type EntryProposal = {
  readonly signature: Buffer;
  /** Of the signed bytes. */
  readonly signedDigest: Buffer;
  readonly digestAlgorithm: Digest['algorithm'];
  /** The envelope's JSON, for a statement. */
  readonly envelope?: JsonObject;
  /** The signer, as PEM and as DER. */
  readonly verifier: {
    readonly kind: 'x509Certificate' | 'publicKey';
    readonly der: Buffer;
    readonly keyDetails: string;
  };
};

/**
 * Writes to Rekor and gives back its entry in the form of bundles; what it proves is not verified here. Version 2
 * knows no envelopes: there the entry is about the bytes that an envelope's signature is over.
 * @throws SigningError `signing.log_unavailable`, `signing.log_refused`, `signing.log_answer_invalid`
 * @see contract §1 step 4
 */
export function writeEntry(
  rekorUrl: string,
  majorVersion: 1 | 2,
  proposal: EntryProposal,
  options: ServiceOptions,
): Promise<LogEntryJson> {
  return majorVersion === 2 ? writeV2(rekorUrl, proposal, options) : writeV1(rekorUrl, proposal, options);
}

async function writeV1(rekorUrl: string, proposal: EntryProposal, options: ServiceOptions): Promise<LogEntryJson> {
  const url = underBase(rekorUrl, '/api/v1/log/entries');
  let answer = await ask('log', url, proposalV1(proposal), options, { accepts: [409] });
  if (answer.status === 409) {
    // The entry is there already (a repeated request); only its id is taken from the answer, never an address.
    const uuid = answer.headers.get('location')?.split('/').at(-1) ?? '';
    if (parseLogEntryId(uuid) === undefined) throw invalidAnswer('log', url, 'an entry exists, but not where');
    answer = await ask('log', `${url}/${uuid}`, undefined, options);
  }
  const found = bundleEntryOfV1(jsonOf('log', url, answer));
  if (found === undefined) throw invalidAnswer('log', url, 'no log entry with promise and proof');
  return found.entry;
}

function proposalV1({ signature, signedDigest, digestAlgorithm, envelope, verifier }: EntryProposal): JsonValue {
  const label = verifier.kind === 'publicKey' ? 'PUBLIC KEY' : 'CERTIFICATE';
  const verifierText = Buffer.from(formatPem(label, verifier.der)).toString('base64');
  if (envelope !== undefined) {
    const proposedContent = { envelope: JSON.stringify(envelope), verifiers: [verifierText] };
    return { apiVersion: '0.0.1', kind: 'dsse', spec: { proposedContent } };
  }
  return {
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: digestAlgorithm, value: signedDigest.toString('hex') } },
      signature: { content: signature.toString('base64'), publicKey: { content: verifierText } },
    },
  };
}

async function writeV2(
  rekorUrl: string,
  { signature, signedDigest, verifier }: EntryProposal,
  options: ServiceOptions,
): Promise<LogEntryJson> {
  const url = underBase(rekorUrl, '/api/v2/log/entries');
  const request = {
    hashedRekordRequestV002: {
      digest: signedDigest.toString('base64'),
      signature: {
        content: signature.toString('base64'),
        verifier: { keyDetails: verifier.keyDetails, [verifier.kind]: { rawBytes: verifier.der.toString('base64') } },
      },
    },
  };
  const outcome = await ask('log', url, request, options, { accepts: [409] });
  if (!outcome.isOk) {
    // The entry of an attempt whose answer was lost: version 2 gives nobody an entry that is there already. Only another
    // signature is another entry. Without an earlier attempt it is the caller's own, and no other signature helps.
    const { status, attempts } = outcome;
    throw refusedBy('log', url, peerReason(outcome.body), { isDown: attempts > 1, status, attempts });
  }
  const answer = jsonOf('log', url, outcome);
  // Taken over as they are: the bundle's own parser says whether they have the right form.
  const fields = ['logIndex', 'logId', 'kindVersion', 'integratedTime', 'inclusionProof', 'canonicalizedBody'];
  const known = fields.filter((name) => (answer[name] ?? null) !== null);
  return Object.fromEntries(known.map((name) => [name, answer[name] as JsonValue]));
}
