import { createHash } from 'node:crypto';

/** `sha256:<hex>` of a file, by Node: outputs of scanners have hundreds of megabytes. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
