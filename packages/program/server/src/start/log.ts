import type { FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info';

/**
 * Lines of JSON on standard error; bodies, tokens and secrets are in none.
 * @param always fields that every line has at its moment
 */
export function openLog(level: LogLevel = 'silent', always?: () => object): FastifyBaseLogger {
  const options = { level, ...(always === undefined ? {} : { mixin: always }) };
  return pino(options, pino.destination({ fd: 2, sync: true }));
}
