import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The file with the digests of all artifacts, as `sha256sum --check` reads it. */
export const CHECKSUMS_FILE = 'SHA256SUMS';

/** Writes it for every file of a folder, and answers with their names in its order. */
export async function writeChecksums(folder: string): Promise<readonly string[]> {
  const names = readdirSync(folder).sort();
  const lines = await Promise.all(names.map(async (name) => `${await sha256Of(join(folder, name))}  ${name}\n`));
  writeFileSync(join(folder, CHECKSUMS_FILE), lines.join(''));
  return names;
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
