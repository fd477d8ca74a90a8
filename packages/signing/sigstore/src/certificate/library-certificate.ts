import { type DerElement, readDerElements, readDerSequence } from '@colophon/encoding';
import { ASN1Obj, EXTENSION_OID_SCT, X509Certificate } from '@sigstore/core';

/** Tag of the extensions in the body of a certificate. */
const EXTENSIONS = 0xa3;

/**
 * The library's certificate, which writes its parts anew each time it is asked for one of them: a verification spends
 * most of its time on that. What it would write is what was read (both are DER), so the bytes are kept. Whether another
 * certificate signed it stays as it is, so it is found out once.
 * @throws DerError, or the library's own error, for bytes that are no certificate
 */
export function libraryCertificate(der: Uint8Array): X509Certificate {
  const certificate = parseWithKeptParts(der);
  assertParts(certificate);
  const [body] = readDerSequence(der);
  keepBytes(certificate.root, der);
  keepBytes(certificate.root.subs[0], body?.bytes);
  certificate.clone = () => copyOf(certificate);
  const verify = certificate.verify.bind(certificate);
  // Weak: a pinned authority outlives the certificates that the library tries it with.
  const verdicts = new WeakMap<X509Certificate, boolean>();
  certificate.verify = (issuer = certificate) => {
    const verdict = verdicts.get(issuer) ?? verify(issuer);
    verdicts.set(issuer, verdict);
    return verdict;
  };
  return certificate;
}

/**
 * The library looks for a part by its place when it is asked for the part. So all are asked for here, where what is missing is
 * an error of reading.
 * @throws the library's own error
 */
function assertParts({
  issuer,
  subject,
  publicKey,
  notBefore,
  notAfter,
  signatureValue,
  extensions,
}: X509Certificate): void {
  for (const part of [issuer, subject, publicKey, notBefore, notAfter, signatureValue, extensions])
    if (part === undefined) throw new TypeError('a part of the certificate is missing');
}

/** The same certificate, in which the library finds no timestamps: it would refuse those of logs that it does not know. */
export function withoutScts(certificate: X509Certificate): X509Certificate {
  const view: X509Certificate = Object.create(certificate);
  view.clone = () => {
    const copy = certificate.clone();
    const at = copy.extensions.findIndex(({ subs }) => subs[0]?.toOID() === EXTENSION_OID_SCT);
    if (at >= 0) copy.extensions.splice(at, 1);
    return copy;
  };
  return view;
}

/**
 * A copy with a list of extensions of its own, out of which the library takes one: its body is then written anew, of
 * parts that both have in common.
 */
function copyOf({ root }: X509Certificate): X509Certificate {
  const [body, ...signature] = root.subs;
  const fields = body?.subs.map((field) =>
    field.tag.isContextSpecific(3) ? withSubs(field, field.subs.map(copyOfPart)) : field,
  );
  return new X509Certificate(withSubs(root, body === undefined ? [] : [withSubs(body, fields ?? []), ...signature]));
}

function copyOfPart(part: ASN1Obj): ASN1Obj {
  return withSubs(part, part.subs);
}

function withSubs({ tag, value }: ASN1Obj, subs: readonly ASN1Obj[]): ASN1Obj {
  return new ASN1Obj(tag, value, [...subs]);
}

/** Keeps the bytes of everything below the body of the certificate, down to the single extension. */
function parseWithKeptParts(der: Uint8Array): X509Certificate {
  const certificate = X509Certificate.parse(Buffer.from(der));
  const fields = readDerElements(readDerSequence(der)[0]?.content ?? new Uint8Array());
  fields.forEach((field, index) => {
    const part = certificate.root.subs[0]?.subs[index];
    if (field.tag !== EXTENSIONS) keepBytes(part, field.bytes);
    else keepExtensions(part?.subs[0]?.subs, readDerSequence(field.content));
  });
  return certificate;
}

/** Their identifiers too: for each extension that the library looks for, it reads those of all others. */
function keepExtensions(extensions: readonly ASN1Obj[] | undefined, elements: readonly DerElement[]): void {
  elements.forEach(({ bytes }, index) => {
    const extension = extensions?.[index];
    keepBytes(extension, bytes);
    const [identifier] = extension?.subs ?? [];
    if (identifier === undefined) return;
    const oid = identifier.toOID();
    identifier.toOID = () => oid;
  });
}

function keepBytes(part: ASN1Obj | undefined, bytes: Uint8Array | undefined): void {
  if (part === undefined || bytes === undefined) return;
  // A copy each time: callers may write into what they get.
  part.toDER = () => Buffer.from(bytes);
}
