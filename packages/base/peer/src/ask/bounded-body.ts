/** The first bytes of a body, and whether it has more of them, declared or sent; what is beyond is not read. */
export type BoundedBody = { readonly bytes: Uint8Array; readonly isCut: boolean };

/** Reads a body up to so many bytes. */
export async function readUpTo(response: Response, mostBytes: number): Promise<BoundedBody> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop cancels the rest of the body.
    if (length > mostBytes) break;
  }
  const bytes = new Uint8Array(Math.min(length, mostBytes));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, bytes.length - at), at);
    at += chunk.length;
  }
  return { bytes, isCut: length > mostBytes };
}

/** Whether an answer itself says that its body is larger. */
export function declaresMoreThan({ headers }: Response, mostBytes: number): boolean {
  return Number(headers.get('content-length') ?? 0) > mostBytes;
}
