/** Why there is no answer; `network` comes with the system's own code. */
export type SilenceKind = 'timeout' | 'too-large' | 'redirect' | 'bad-port' | 'network';

/**
 * A peer did not answer, or not within the limits. The message names the system's code or a reason of ours: the
 * messages of fetch say only that it failed, and may hold a header that was sent.
 */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly kind: SilenceKind;
  /** Who was asked, after redirects. */
  readonly url: URL;

  constructor(kind: SilenceKind, message: string, url: URL) {
    super(message);
    this.kind = kind;
    this.url = url;
  }

  /** Whether asking again may help. Whatever was too large, or was not even sent, is so again. */
  get isPassing(): boolean {
    return this.kind === 'network' || this.kind === 'timeout';
  }

  /** What a failed fetch, or a body that broke off, means. */
  static from(error: unknown, url: URL): NoAnswer {
    const { name, cause } = (error ?? {}) as { name?: string; cause?: { code?: unknown; message?: unknown } };
    if (name === 'TimeoutError') return new NoAnswer('timeout', 'timeout', url);
    // fetch sends nothing to ports of other protocols, such as 6000.
    if (cause?.message === 'bad port') return new NoAnswer('bad-port', 'a port that HTTP is not sent to', url);
    return new NoAnswer('network', typeof cause?.code === 'string' ? cause.code : 'no connection', url);
  }
}
