// Makes a release in dist/release: every artifact, their checksums, and signatures by the program that was just built.
//   npm run release -- --dry-run [--tag TAG]
//   npm run release -- [--tag TAG] [--executable FILE]... -- FLAGS OF colophon sign-blob
import { parseArgs } from 'node:util';
import { buildArtifacts, RELEASE_FOLDER } from './candidate/artifacts.ts';
import { assertTagOf, changesOf } from './candidate/changelog.ts';
import { writeChecksums } from './candidate/checksums.ts';
import { signDryRun } from './candidate/dry-run.ts';
import { signRelease } from './candidate/signatures.ts';
import { MANIFEST } from './names.ts';

const { values, positionals } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    tag: { type: 'string', default: `v${MANIFEST.version}` },
    executable: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
});
assertTagOf(MANIFEST.version, values.tag);
await buildArtifacts(changesOf(MANIFEST.version), values.executable);
const artifacts = await writeChecksums(RELEASE_FOLDER);
if (values['dry-run']) await signDryRun(artifacts);
else await signRelease(artifacts, positionals);
