import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST, NAMES, ROOT } from '../names.ts';
import { sourceCommit } from '../source-time.ts';
import { RELEASE_FOLDER } from './artifacts.ts';
import { runBuiltProgram } from './built-program.ts';
import { CHECKSUMS_FILE } from './checksums.ts';
import { withDryRunAuthority } from './dry-run-authority.ts';
import { signRelease } from './signatures.ts';

/** Addresses and names of nobody: a dry run is the work of no agent, and no person looked at it. */
const REVIEWER = 'reviewer@dry-run.example';
const REPOSITORY = `dry-run/${NAMES.program}`;

/** Signs a release as if it were one, with an authority of its own, whose trusted root is written beside. */
export async function signDryRun(artifacts: readonly string[]): Promise<void> {
  const repository = ['--repo', REPOSITORY];
  const context = {
    'agent-name': 'release-dry-run',
    'agent-version': MANIFEST.version,
    'model-id': 'no-model',
    'model-provider': 'nobody',
    // What a release run is told, and what it has to keep to.
    prompt: join(ROOT, 'docs/release.md'),
    'policy-pack': join(ROOT, 'CONTRIBUTING.md'),
    'human-reviewer': REVIEWER,
  };
  const flags = Object.entries(context).flatMap(([name, value]) => [`--${name}`, value]);
  await withDryRunAuthority(async ({ env, trustedRoot }) => {
    await signRelease(artifacts, [...flags, ...repository], env);
    const reviewed = [...repository, '--commit-sha', sourceCommit(), join(RELEASE_FOLDER, CHECKSUMS_FILE)];
    await runBuiltProgram(['review', 'approve', '--reviewer', REVIEWER, ...reviewed], env);
    copyFileSync(trustedRoot, join(RELEASE_FOLDER, 'trusted_root.json'));
  });
}
