import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST, NAMES, ROOT } from '../names.ts';
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
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const source = ['--repo', REPOSITORY, '--commit-sha', commit];
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
    await signRelease(artifacts, [...flags, ...source], env);
    const approval = ['review', 'approve', '--reviewer', REVIEWER, ...source, join(RELEASE_FOLDER, CHECKSUMS_FILE)];
    await runBuiltProgram(approval, env);
    copyFileSync(trustedRoot, join(RELEASE_FOLDER, 'trusted_root.json'));
  });
}
