import type { FastifyInstance } from 'fastify';
import { limitLargeBodies } from '../body-budget/body-budget.ts';
import type { ByteBudget } from '../body-budget/byte-budget.ts';
import { guardLoopback } from '../loopback-guard/loopback-guard.ts';
import { limitRequestTime, REQUEST_TIMEOUT_MS } from './request-deadline.ts';

/**
 * What every request passes before a route sees it. The deadline comes first: whoever is refused by the guard may still
 * be sending a body, and must come to an end too.
 */
export function mountFrontDoor(
  app: FastifyInstance,
  { timeoutMs = REQUEST_TIMEOUT_MS, bodies }: { timeoutMs?: number; bodies?: ByteBudget } = {},
): void {
  limitRequestTime(app, timeoutMs);
  guardLoopback(app);
  if (bodies !== undefined) limitLargeBodies(app, bodies);
}
