import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTrustedRoot, verifyBundle } from '@colophon/sigstore';
import type { BundleKind } from './bundle-kind.ts';

const PREFIX = 'sigstore+sigstore-conformance--';
const CASES = [
  ['happy-path-v0.3-new-mediaType', 'public Sigstore: file'],
  ['happy-path-intoto-in-dsse-v3', 'public Sigstore: statement'],
  ['rekor2-timestamp-with-embedded-cert', 'staging Sigstore: file, Rekor v2 and timestamp'],
] as const;

/**
 * Bundles of the public instances, whose authority is on P-384 and whose log is large: from sigstore-conformance, below
 * `COLOPHON_DATA`. None, with a note on the terminal, where that is missing.
 */
export function publicKinds(count: number): readonly BundleKind[] {
  const folder = join(
    process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../shared/data'),
    'sigstore-bundle',
  );
  if (!existsSync(folder)) {
    console.log('public Sigstore is left out: COLOPHON_DATA names no folder with sigstore-bundle');
    return [];
  }
  const read = (name: string, file: string) => readFileSync(join(folder, name, PREFIX + file));
  const artifact = readFileSync(join(folder, `${PREFIX}a.txt`));
  return CASES.map(([name, title]) => {
    const roots = existsSync(join(folder, name, `${PREFIX}trusted_root.json`))
      ? name
      : 'trust-root-tlog-validity-end-inclusive';
    const root = JSON.parse(read(roots, 'trusted_root.json').toString());
    // The borrowed root ends its log, which is what its own case is about.
    if (roots !== name) for (const { publicKey } of root.tlogs) delete publicKey.validFor.end;
    const trust = loadTrustedRoot(JSON.stringify(root));
    const bundle = read(name, 'bundle.sigstore.json');
    const digest = { sha256: createHash('sha256').update(artifact).digest('hex') };
    const verify = () => verifyBundle({ bundle, artifact: digest, trust, policy: 'gated-elsewhere' });
    return { name: title, verifications: Array.from({ length: count }, () => verify) };
  });
}
