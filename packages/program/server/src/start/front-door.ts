import type { BlockList } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { limitLargeBodies } from '../body-budget/body-budget.ts';
import type { ByteBudget } from '../body-budget/byte-budget.ts';
import { guardLoopback } from '../loopback-guard/loopback-guard.ts';
import { guardProxies } from '../proxy-guard/proxy-guard.ts';
import type { ServerErrorCode } from '../server-error/server-error.ts';
import { limitRequestTime, REQUEST_TIMEOUT_MS } from './request-deadline.ts';

/** Who is answered: programs of this machine, named proxies, or whoever reaches the address over TLS. */
export type Guard = 'loopback' | 'public' | { readonly proxies: BlockList };

/** Codes with which a guard refuses. */
export function guardCodes(guard: Guard): readonly ServerErrorCode[] {
  if (guard === 'public') return [];
  if (guard === 'loopback') return ['server.host_not_loopback', 'server.origin_refused', 'server.forwarded_refused'];
  return ['server.proxy_unknown'];
}

/**
 * What every request passes before a route sees it. The deadline comes first: whoever is refused by the guard may still
 * be sending a body, and must come to an end too.
 */
export function mountFrontDoor(
  app: FastifyInstance,
  {
    timeoutMs = REQUEST_TIMEOUT_MS,
    guard = 'loopback',
    bodies,
  }: { readonly timeoutMs?: number; readonly guard?: Guard; readonly bodies?: ByteBudget | undefined } = {},
): void {
  limitRequestTime(app, timeoutMs);
  if (guard === 'loopback') guardLoopback(app);
  else if (guard !== 'public') guardProxies(app, guard.proxies);
  if (bodies !== undefined) limitLargeBodies(app, bodies);
}
