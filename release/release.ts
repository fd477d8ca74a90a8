// Makes a release in dist/release: every artifact, their checksums, and signatures by the program that was just built.
//   npm run release -- --dry-run [--tag TAG]
//   npm run release -- [--tag TAG] [--executable FILE]... -- FLAGS OF colophon sign-blob
import { buildArtifacts, RELEASE_FOLDER } from './candidate/artifacts.ts';
import { assertTagOf, changesOf } from './candidate/changelog.ts';
import { writeChecksums } from './candidate/checksums.ts';
import { parseCommandLine } from './candidate/command-line.ts';
import { signDryRun } from './candidate/dry-run.ts';
import { signRelease } from './candidate/signatures.ts';
import { assertSourceOf } from './candidate/tagged-source.ts';
import { MANIFEST } from './names.ts';

const { dryRun, tag, executables, signer } = parseCommandLine(
  process.argv.slice(2),
  `v${MANIFEST.version}`,
  process.env,
);
assertTagOf(MANIFEST.version, tag);
if (!dryRun) assertSourceOf(tag);
await buildArtifacts(changesOf(MANIFEST.version), executables);
const artifacts = await writeChecksums(RELEASE_FOLDER);
if (dryRun) await signDryRun(artifacts);
else await signRelease(artifacts, signer);
