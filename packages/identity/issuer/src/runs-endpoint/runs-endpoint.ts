import { isUuid } from '@colophon/notation';
import type { FastifyInstance } from 'fastify';
import { IssuerError } from '../issuer-error/issuer-error.ts';
import type { ProvenRecord } from '../ledger/ledger-proof.ts';

export const RUNS_PATH = '/runs/:jti';

const STATUS = IssuerError.statusOf('issuer.run_not_found');

const NOT_FOUND = JSON.stringify({
  type: 'about:blank',
  title: 'Not Found',
  status: STATUS,
  code: 'issuer.run_not_found',
  detail: 'no token with this jti was issued here',
});

/** Mounts `GET /runs/{jti}`: the issuance record with its proof; unknown → RFC 9457 problem. */
export function mountRuns(scope: FastifyInstance, run: (jti: string) => Promise<ProvenRecord | undefined>): void {
  scope.get<{ Params: { jti: string } }>(RUNS_PATH, async (request, reply) => {
    const { jti } = request.params;
    const record = isUuid(jti) ? await run(jti) : undefined;
    reply.header('cache-control', 'no-store');
    if (record === undefined)
      return reply.code(STATUS).header('content-type', 'application/problem+json').send(NOT_FOUND);
    return reply.header('content-type', 'application/json').send(JSON.stringify(record));
  });
}
