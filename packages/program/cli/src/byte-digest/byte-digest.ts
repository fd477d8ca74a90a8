import { createHash } from 'node:crypto';

/** `sha256:<hex>` of these bytes, by the engine's own hash: what is read here may be hundreds of megabytes. */
export function digestOfBytes(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
