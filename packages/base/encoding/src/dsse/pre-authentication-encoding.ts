const utf8 = new TextEncoder();

/**
 * What the signatures of an envelope are over: `DSSEv1 <length> <type> <length> <payload>`, lengths in bytes.
 * @see https://github.com/secure-systems-lab/dsse/blob/v1.0.2/protocol.md
 */
export function preAuthenticationEncoding({
  payloadType,
  payload,
}: {
  readonly payloadType: string;
  readonly payload: Uint8Array;
}): Uint8Array<ArrayBuffer> {
  const head = utf8.encode(`DSSEv1 ${utf8.encode(payloadType).length} ${payloadType} ${payload.length} `);
  const encoded = new Uint8Array(head.length + payload.length);
  encoded.set(head);
  encoded.set(payload, head.length);
  return encoded;
}
