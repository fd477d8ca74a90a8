import { MANIFEST, NAMES } from '../names.ts';

/** What the packages are called where they are published. */
export type Published = {
  /** With its at sign. */
  readonly scope: string;
  readonly version: string;
};

export const PUBLISHED: Published = { scope: NAMES.scope, version: MANIFEST.version };

/** The file that `npm pack` writes for a library. */
export function tarballName(name: string, { scope, version }: Published): string {
  return `${scope.slice(1)}-${name}-${version}.tgz`;
}
