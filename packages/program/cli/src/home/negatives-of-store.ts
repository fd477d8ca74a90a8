import { existsSync, readFileSync } from 'node:fs';
import type { NegativesSource } from '@colophon/admission';
import { negativesOfIssuer } from '@colophon/gate';
import { dataPaths } from '@colophon/server/data-folder';
import type { Command } from 'commander';
import { dataFlag, type Session } from '../program/program.ts';
import { dataFolder } from './home.ts';
import { knownIssuerUrl } from './issuer-url.ts';

/**
 * The list of the configured evidence store, for policies that name none: of the server that $COLOPHON_ISSUER names, else of
 * the data folder whose roots are trusted.
 */
export function negativesOfStore(
  trustedRoots: readonly string[],
  command: Command,
  { env }: Session,
): NegativesSource | undefined {
  const data = dataFlag(command);
  const own = dataPaths(dataFolder(env, data)).trustedRoot;
  const isOwn = trustedRoots.some((file) => isSameContent(file, own));
  const issuer = env['COLOPHON_ISSUER'] || isOwn ? knownIssuerUrl(env, data) : undefined;
  return issuer === undefined ? undefined : negativesOfIssuer(issuer);
}

/** However the file is named, and wherever a copy of it lies: the same roots have the same store. */
function isSameContent(file: string, other: string): boolean {
  return existsSync(other) && readFileSync(file).equals(readFileSync(other));
}
