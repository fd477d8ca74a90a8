import { mkdirSync } from 'node:fs';
import { run } from './programs.ts';

/**
 * Makes a database of these OSV records in a folder; answers with the environment in which grype asks it and nobody else.
 * @param built RFC 3339
 */
export async function grypeDatabase(
  folder: string,
  records: Uint8Array | string,
  built = '2026-11-20T00:00:00Z',
): Promise<Record<string, string>> {
  mkdirSync(folder, { recursive: true });
  const { code, stderr } = await run('grype-database', ['-out', folder, '-built', built], {
    input: records.toString(),
  });
  if (code !== 0) throw new Error(`grype-database: ${stderr}`);
  return {
    GRYPE_DB_CACHE_DIR: folder,
    GRYPE_DB_AUTO_UPDATE: 'false',
    GRYPE_DB_VALIDATE_AGE: 'false',
    GRYPE_CHECK_FOR_APP_UPDATE: 'false',
  };
}
