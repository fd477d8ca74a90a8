import { readInstallation } from '@colophon/server/data-folder';
import { dataFolder } from './home.ts';
import { upLine } from './up-line.ts';

/**
 * What to run next where `url` does not answer: the server of this data folder can be started here, and nothing else
 * can. Never throws, because an error is being told.
 */
export function restartOf(env: NodeJS.ProcessEnv, data: string | undefined, url: string): { readonly next?: string } {
  let own: string | undefined;
  try {
    own = readInstallation(dataFolder(env, data))?.issuer_url;
  } catch {
    // A broken data folder has an error of its own, and this is about another.
  }
  if (own === undefined || !URL.canParse(own) || !URL.canParse(url)) return {};
  return new URL(own).origin === new URL(url).origin ? { next: upLine(data) } : {};
}
