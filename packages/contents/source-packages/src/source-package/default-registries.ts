import type { SourceType } from './package-reference.ts';

/** Where each package manager asks when nobody configured anything. */
export const DEFAULT_REGISTRIES: Readonly<Record<SourceType, string>> = {
  npm: 'https://registry.npmjs.org/',
  pypi: 'https://pypi.org/simple/',
  cargo: 'https://index.crates.io/',
  golang: 'https://proxy.golang.org/',
  maven: 'https://repo1.maven.org/maven2/',
  github: 'https://codeload.github.com/',
};
