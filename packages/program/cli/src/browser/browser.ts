import { spawn } from 'node:child_process';

/** What opens an address on each platform; the address is one argument, and no shell reads it. */
const OPENERS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHERWISE = ['xdg-open'] as const;

/**
 * Opens an address in the browser of the person at this machine, where there is one. Whether it did nobody knows, so the
 * address is always printed too.
 */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): void {
  const { protocol } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return;
  const [program, ...args] = OPENERS[platform] ?? OTHERWISE;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
