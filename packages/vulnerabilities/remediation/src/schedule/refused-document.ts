import type { Kind } from '@colophon/fault';

/** What a feed or a scanner gave is refused or cannot be read; the code is that of who read it. */
export class RefusedDocument extends Error {
  readonly code: string;
  readonly kind: Kind = 'refused';

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
