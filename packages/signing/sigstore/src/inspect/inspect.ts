import { decodeBase64, findPemBlocks } from '@colophon/encoding';
import { isJsonObject, type JsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { type CertificateIdentity, DEFAULT_CLAIM_ARC, fieldBasis, IN_TOTO_PAYLOAD_TYPE } from '@colophon/records';
import { type ParsedBundle, parseBundle } from '../bundle/parse-bundle.ts';
import { readCertificateIdentity } from '../certificate/certificate-identity.ts';
import { bundleEntryOfV1 } from '../rekor/log-entry-json.ts';
import { loadTrustedRoot } from '../trusted-root/load-trusted-root.ts';
import { readStatement, STATEMENT_LIMITS } from '../verify/statement.ts';
import { VerificationError } from '../verify/verification-error.ts';
import { describeCertificate } from './inspect-certificate.ts';
import { inspectToken, looksLikeToken } from './inspect-token.ts';
import { type Inspection, InspectionError, type InspectionKind } from './inspection.ts';

type Content = Inspection['content'];

const NOT_VERIFIED = 'Nothing here is verified: this is what the document says of itself.';

/** What the library reads where a trusted root names no end: the last date that there is. */
const LAST_DATE = 8_640_000_000_000_000;

/**
 * Says what a document is and what stands in it: identity token, certificate (PEM, DER), trusted root, bundle, log
 * entry, DSSE envelope, statement. Verifies nothing.
 * @param claimArc where claims stand in certificates, beside the placeholder.
 * @throws InspectionError `inspect.unrecognized`, `inspect.malformed`
 */
export function inspect(bytes: Uint8Array, claimArc: string = DEFAULT_CLAIM_ARC): Inspection {
  const text = Buffer.from(bytes).toString('latin1').trim();
  if (looksLikeToken(text)) return inspectToken(text);
  return readable(() => {
    if (text.includes('-----BEGIN CERTIFICATE-----')) return found('certificate', describePem(text, claimArc));
    if (bytes[0] === 0x30) return found('certificate', { certificates: [describeCertificate(bytes, claimArc)] });
    return inspectJson(bytes, claimArc);
  });
}

function inspectJson(bytes: Uint8Array, claimArc: string): Inspection {
  const parsed = parseStrictJson(bytes, STATEMENT_LIMITS);
  const value = parsed.ok ? parsed.value : undefined;
  if (value === undefined || !isJsonObject(value)) {
    throw new InspectionError('inspect.unrecognized', 'neither token, certificate, nor JSON that can be relied on');
  }
  const mediaType = typeof value['mediaType'] === 'string' ? value['mediaType'] : '';
  if (mediaType.includes('trustedroot')) return found('trusted-root', describeTrustedRoot(bytes, claimArc));
  if (mediaType.includes('sigstore.bundle')) return found('bundle', describeBundle(parseBundle(bytes), claimArc));
  if (typeof value['payloadType'] === 'string') return found('dsse-envelope', describeEnvelope(value));
  if (value['_type'] !== undefined) {
    const statement = readStatement(IN_TOTO_PAYLOAD_TYPE, bytes);
    return found('statement', {
      ...(statement as unknown as Content),
      basis: fieldBasis(undefined, statement) as JsonObject,
    });
  }
  const entry = bundleEntryOfV1(value);
  if (entry !== undefined) return found('log-entry', { uuid: entry.uuid, ...describeEntry(entry.entry) });
  throw new InspectionError('inspect.unrecognized', 'JSON, but no document that we know');
}

function found(kind: InspectionKind, content: Content): Inspection {
  return { kind, verified: false, notes: [NOT_VERIFIED], content };
}

function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InspectionError) throw error;
    throw new InspectionError('inspect.malformed', (error as Error).message, { cause: error });
  }
}

function describePem(text: string, claimArc: string): Content {
  const blocks = findPemBlocks(text, ['CERTIFICATE']);
  if (blocks === undefined) throw new InspectionError('inspect.malformed', 'a block of PEM cannot be read');
  return { certificates: blocks.map(({ der }) => describeCertificate(der, claimArc)) };
}

function describeTrustedRoot(bytes: Uint8Array, claimArc: string): Content {
  const [{ logs, authorityCertificates, library }] = loadTrustedRoot(bytes).roots;
  const range = ({ start, end }: { start: Date; end: Date }) =>
    end.getTime() === LAST_DATE ? `from ${start.toISOString()}` : `${start.toISOString()} to ${end.toISOString()}`;
  return {
    logs: logs.map(({ baseUrl, logId, validFrom, validUntil }) => ({
      url: baseUrl,
      log_id: Buffer.from(logId).toString('hex'),
      valid: range({ start: validFrom, end: validUntil }),
    })),
    certificate_logs: library.ctlogs.map(({ baseURL, logID, validFor }) => ({
      url: baseURL,
      log_id: logID.toString('hex'),
      valid: range(validFor),
    })),
    certificates: authorityCertificates.map((der) => describeCertificate(der, claimArc)),
    timestamp_authorities: library.timestampAuthorities.map(({ validFor }) => ({ valid: range(validFor) })),
  };
}

function describeBundle({ version, signer, content, logEntries, timestamps }: ParsedBundle, claimArc: string): Content {
  return {
    version,
    signer:
      'certificate' in signer
        ? { certificate: describeCertificate(signer.certificate, claimArc) }
        : { public_key_hint: signer.keyHint },
    content:
      content.$case === 'dsseEnvelope'
        ? describePayload(
            content.dsseEnvelope.payloadType,
            content.dsseEnvelope.payload,
            'certificate' in signer ? signerOf(signer.certificate, claimArc) : undefined,
          )
        : { artifact_digest: artifactDigestOf(content.messageSignature.messageDigest?.digest) },
    log_entries: logEntries.map((entry) => ({
      log_index: Number(entry.logIndex),
      log_id: entry.logId?.keyId.toString('hex') ?? null,
      kind: `${entry.kindVersion?.kind}/${entry.kindVersion?.version}`,
      integrated_at: entry.integratedTime === '0' ? null : utc(Number(entry.integratedTime)),
      has_promise: entry.inclusionPromise !== undefined,
      tree_size: entry.inclusionProof === undefined ? null : Number(entry.inclusionProof.treeSize),
    })),
    timestamp_count: timestamps.length,
  };
}

function artifactDigestOf(digest: Buffer | undefined): string | null {
  return digest === undefined ? null : `sha256:${digest.toString('hex')}`;
}

function describeEnvelope({ payloadType, payload, signatures }: JsonObject): Content {
  if (typeof payload !== 'string' || !Array.isArray(signatures)) {
    throw new InspectionError('inspect.malformed', 'an envelope without payload or signatures');
  }
  // DSSE lets its senders choose the alphabet.
  const bytes = decodeBase64(payload, { alphabet: 'either', padding: 'optional' });
  if (bytes === undefined) throw new InspectionError('inspect.malformed', 'the payload of an envelope is no base64');
  return {
    signature_count: signatures.length,
    ...describePayload(payloadType as string, Buffer.from(bytes)),
  };
}

function describePayload(
  payloadType: string,
  payload: Uint8Array,
  identity?: CertificateIdentity,
): { [field: string]: JsonValue } {
  if (payloadType !== IN_TOTO_PAYLOAD_TYPE) return { payload_type: payloadType, payload_bytes: payload.length };
  const statement = readStatement(payloadType, payload);
  return {
    payload_type: payloadType,
    statement: statement as unknown as JsonValue,
    basis: fieldBasis(identity, statement) as JsonObject,
  };
}

/** Whoever signed; undefined where the certificate names nobody in a way that can be read. */
function signerOf(certificate: Uint8Array, claimArc: string): CertificateIdentity | undefined {
  try {
    return readCertificateIdentity(certificate, claimArc);
  } catch (error) {
    if (error instanceof VerificationError) return undefined;
    throw error;
  }
}

function describeEntry(entry: JsonObject): Content {
  const { logIndex, integratedTime, canonicalizedBody, kindVersion } = entry;
  return {
    log_index: Number(logIndex),
    integrated_at: utc(Number(integratedTime)),
    kind: Object.values(kindVersion as JsonObject).join('/'),
    body: JSON.parse(Buffer.from(decodeBase64(canonicalizedBody as string) ?? []).toString()) as JsonValue,
  };
}

function utc(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
