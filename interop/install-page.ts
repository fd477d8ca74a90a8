import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Fence, parseFences } from '../tools/doc-fences.ts';
import { type Outcome, run } from './programs.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');
const NODE_FOLDER = dirname(process.execPath);

/**
 * Types all `sh` blocks of a page into one shell in a folder that holds files of a release, as somebody does who has Node.js
 * and no checkout. A block marked `file NAME` is written to that file. Loopback is the only network, so port 7080 is free, and
 * what was started ends with the shell.
 */
export function followPage(
  page: string,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const fences = parseFences(readFileSync(join(DOCS, page), 'utf8'));
  for (const { text, markers } of fences) if (markers[0] === 'file') writeFileSync(join(folder, markers[1]!), text);
  const script = ['/usr/sbin/ip link set lo up', ...fences.map(typed)].join('\n');
  const environment = { HOME: folder, PATH: `${NODE_FOLDER}:/usr/bin:/bin`, NO_COLOR: '1', ...variables };
  const clean = ['-i', ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)];
  const alone = ['/usr/bin/unshare', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  return run('/usr/bin/env', [...clean, ...alone, '/bin/bash', '-euxo', 'pipefail', '-c', script], { cwd: folder });
}

/** A block as a line of the shell: as it stands, or with a refusal that names the code as the only good end. */
export function typed({ language, markers: [marker, code], text }: Fence): string {
  if (language !== 'sh') return '';
  if (marker !== 'refused') return text;
  return `{\n${text}} >refused.log 2>&1 && exit 99\ngrep -F '${code}' refused.log`;
}
