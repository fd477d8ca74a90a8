import { LEDGER_CHECKPOINT_PATH, LEDGER_CONSISTENCY_PATH } from '@colophon/pins';
import type { LedgerStorage, TreeHead } from '@colophon/store';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { IssuerError, type IssuerErrorCode } from '../issuer-error/issuer-error.ts';
import type { Clock, Logger } from '../ports/ports.ts';

/** Seconds for which a checkpoint is answered again without a look into the ledger: there is a new one each second at most. */
export const CHECKPOINT_MAX_AGE_SECONDS = 1;
const RETRY_AFTER_SECONDS = 5;
/** A proof between two sizes never changes. */
const PROOF_MAX_AGE_SECONDS = 365 * 24 * 60 * 60;

/** A ledger that is no longer written. */
export type FrozenLedger = {
  readonly origin: string;
  readonly ledger: Pick<LedgerStorage, 'find' | 'erase' | 'tail' | 'consistency'>;
};

export type ServedLedgers = {
  readonly ledger: LedgerStorage;
  readonly origin: string;
  readonly frozenLedgers: readonly FrozenLedger[];
  readonly clock: Clock;
  readonly logger: Logger;
};

/**
 * Mounts what tells anybody that nothing was removed from the ledger: its newest checkpoint (c2sp.org/tlog-checkpoint),
 * and proofs that it continues an older one. Neither says anything of what is in it but how much.
 */
export function mountLedgerHistory(
  scope: FastifyInstance,
  { ledger, origin, frozenLedgers, clock, logger }: ServedLedgers,
): void {
  scope.setErrorHandler((error, _request, reply) => {
    logger.error({ code: 'issuer.ledger_unavailable', err: error }, 'the ledger cannot be read');
    return refuse(reply.header('retry-after', RETRY_AFTER_SECONDS), 'issuer.ledger_unavailable', 'ask again later');
  });
  let kept: { readonly head: TreeHead; readonly until: number } | undefined;
  const newest = async () => {
    const now = clock.now();
    // A clock that was set back must not keep it for longer.
    const isFresh = kept !== undefined && now < kept.until && now >= kept.until - CHECKPOINT_MAX_AGE_SECONDS * 1000;
    if (isFresh) return kept!.head;
    const { head } = await ledger.tail();
    kept = head && { head, until: now + CHECKPOINT_MAX_AGE_SECONDS * 1000 };
    return head;
  };
  const asked = (query: unknown) => {
    const name = (query as Record<string, unknown>)['origin'];
    if (name === undefined || name === origin) return ledger;
    return frozenLedgers.find((one) => one.origin === name)?.ledger;
  };
  scope.get(LEDGER_CHECKPOINT_PATH, async ({ query }, reply) => {
    const meant = asked(query);
    if (meant === undefined) return refuse(reply, 'issuer.ledger_unknown', 'this issuer has no ledger of that name');
    const head = meant === ledger ? await newest() : (await meant.tail()).head;
    if (head === undefined) return refuse(reply, 'issuer.no_checkpoint', 'nothing was issued yet');
    return reply
      .header('cache-control', `public, max-age=${CHECKPOINT_MAX_AGE_SECONDS}`)
      .type('text/plain; charset=utf-8')
      .send(head.note);
  });
  scope.get(LEDGER_CONSISTENCY_PATH, async ({ query }, reply) => {
    const meant = asked(query);
    if (meant === undefined) return refuse(reply, 'issuer.ledger_unknown', 'this issuer has no ledger of that name');
    const [first, second] = [sizeIn(query, 'first'), sizeIn(query, 'second')];
    const proof = first === undefined || second === undefined ? undefined : await meant.consistency(first, second);
    if (proof === undefined) return refuse(reply, 'issuer.tree_size_unknown', 'no checkpoint covers these two sizes');
    return reply
      .header('cache-control', `public, max-age=${PROOF_MAX_AGE_SECONDS}, immutable`)
      .type('application/json')
      .send(JSON.stringify({ first, second, hashes: proof.map((hash) => Buffer.from(hash).toString('hex')) }));
  });
}

function sizeIn(query: unknown, name: string): number | undefined {
  const value = (query as Record<string, unknown>)[name];
  return typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : undefined;
}

function refuse(reply: FastifyReply, code: IssuerErrorCode, detail: string): FastifyReply {
  const status = IssuerError.statusOf(code);
  const title = status === 404 ? 'Not Found' : 'Service Unavailable';
  const problem = { type: 'about:blank', title, status, code, detail };
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problem));
}
