import { decodeBase64, parsePem } from '@colophon/encoding';
import { isJsonObject, type JsonValue } from '@colophon/json';
import { parseDigest } from '@colophon/notation';
import { parseBundleJson } from '../bundle/bundle-json.ts';
import { DIGEST_NAMES } from '../bundle/message-digest.ts';
import { VerificationError } from './verification-error.ts';

/** What a log entry is about, in whichever kind it was written. */
export type LogEntryBody = {
  readonly signature: Buffer;
  /** DER of the certificate or public key that the log saw. */
  readonly verifier: Buffer;
  /** Of the signed bytes, or of the envelope's payload. */
  readonly digestOf: 'signed' | 'payload';
  /** A SHA-256, SHA-384 or SHA-512, which its length tells apart. */
  readonly digest: Buffer;
};

type Reader = (spec: Fields) => LogEntryBody;

const DIGESTS = Object.keys(DIGEST_NAMES) as (keyof typeof DIGEST_NAMES)[];
const SIGNER_LABELS: readonly string[] = ['CERTIFICATE', 'PUBLIC KEY'];

/** Kinds and versions that Rekor writes for bundles: v1's three, and v2's hashedrekord. */
const READERS: Readonly<Record<string, Reader>> = {
  'hashedrekord/0.0.1': (spec) => ({
    signature: spec.object('signature').bytes('content'),
    verifier: pemToDer(spec.object('signature').object('publicKey').bytes('content')),
    digestOf: 'signed',
    digest: hexDigest(spec.object('data').object('hash')),
  }),
  'dsse/0.0.1': (spec) => ({
    signature: spec.only('signatures').bytes('signature'),
    verifier: pemToDer(spec.only('signatures').bytes('verifier')),
    digestOf: 'payload',
    digest: sha256Hex(spec.object('payloadHash')),
  }),
  'intoto/0.0.2': (spec) => {
    const content = spec.object('content');
    const signature = content.object('envelope').only('signatures');
    return {
      // Base64 of base64, as Rekor has it.
      signature: bytesOf(signature.bytes('sig').toString('latin1')),
      verifier: pemToDer(signature.bytes('publicKey')),
      digestOf: 'payload',
      digest: sha256Hex(content.object('payloadHash')),
    };
  },
  'hashedrekord/0.0.2': (spec) => {
    const record = spec.object('hashedRekordV002');
    const data = record.object('data');
    const digest = data.bytes('digest');
    const name = DIGESTS.find((one) => DIGEST_NAMES[one] === data.text('algorithm'));
    if (parseDigest(`${name}:${digest.toString('hex')}`) === undefined) throw unknownDigest();
    const signature = record.object('signature');
    const verifier = signature.object('verifier');
    const kind = verifier.has('x509Certificate') ? 'x509Certificate' : 'publicKey';
    return {
      signature: signature.bytes('content'),
      verifier: verifier.object(kind).bytes('rawBytes'),
      digestOf: 'signed',
      digest,
    };
  },
};

/**
 * Reads the body that the log hashed.
 * @param kind with its version, e.g. `hashedrekord/0.0.1`: what the bundle claims the body to be.
 * @throws VerificationError `log_entry.malformed`, `bundle.too_large`
 */
export function readLogEntryBody(kind: string, body: Uint8Array): LogEntryBody {
  const json = parseBundleJson(body);
  if (!json.ok) throw malformed('it is not JSON that can be relied on');
  const entry = new Fields(json.value);
  const found = `${entry.text('kind')}/${entry.text('apiVersion')}`;
  const read = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
  if (read === undefined || found !== kind) throw malformed(`its kind is ${found}, the bundle says ${kind}`);
  return read(entry.object('spec'));
}

/** Typed access to a JSON object of the log. */
class Fields {
  readonly #object: { readonly [name: string]: JsonValue };

  constructor(value: JsonValue | undefined) {
    if (value === undefined || !isJsonObject(value)) throw malformed('an object is missing');
    this.#object = value;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#object, name);
  }

  object(name: string): Fields {
    return new Fields(this.#object[name]);
  }

  /** The one element of a list. */
  only(name: string): Fields {
    const list = this.#object[name];
    if (!Array.isArray(list) || list.length !== 1) throw malformed(`${name} is not a list of one`);
    return new Fields(list[0]);
  }

  text(name: string): string {
    const value = this.#object[name];
    if (typeof value !== 'string') throw malformed(`${name} is no text`);
    return value;
  }

  bytes(name: string): Buffer {
    return bytesOf(this.text(name));
  }
}

function sha256Hex(hash: Fields): Buffer {
  if (hash.text('algorithm') !== 'sha256') throw malformed('its digest is not a SHA-256');
  return hexDigest(hash);
}

/** Where keys sign by other digests than SHA-256, the log has the digest that was signed. */
function hexDigest(hash: Fields): Buffer {
  const digest = parseDigest(`${hash.text('algorithm')}:${hash.text('value')}`);
  if (digest === undefined) throw unknownDigest();
  return Buffer.from(digest.hex, 'hex');
}

function unknownDigest(): VerificationError {
  return malformed('its digest is not a SHA-256, SHA-384 or SHA-512');
}

function bytesOf(text: string): Buffer {
  const bytes = decodeBase64(text);
  if (bytes === undefined || bytes.length === 0) throw malformed('base64 is broken');
  return Buffer.from(bytes.buffer);
}

function pemToDer(pem: Buffer): Buffer {
  const [block, ...more] = parsePem(pem.toString('latin1'), 'lax') ?? [];
  if (block === undefined || more.length > 0 || !SIGNER_LABELS.includes(block.label)) {
    throw malformed('it names no single certificate or public key');
  }
  return Buffer.from(block.der.buffer);
}

function malformed(reason: string): VerificationError {
  return new VerificationError('log_entry.malformed', `the log entry cannot be read: ${reason}`);
}
