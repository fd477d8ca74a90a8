import { homedir } from 'node:os';

/** The user's folder: `HOME`, else that of the system's list of users. A user who is not in it has `/`, as in a container. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (env['HOME']) return env['HOME'];
  try {
    return homedir();
  } catch {
    return '/';
  }
}
