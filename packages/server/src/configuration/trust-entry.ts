import { basename } from 'node:path';
import type { TrustedRootFile, TrustRule } from './configuration.ts';
import type { IssueNotes } from './configuration-issue.ts';
import { CALLER_NAME, type ConfigurationFile } from './configuration-schema.ts';

/** Reads the entry `trust`. Whether its files are there, and what they hold, is found out by who opens them. */
export function readTrust(
  { roots, signingConfig }: NonNullable<ConfigurationFile['trust']>,
  notes: IssueNotes,
  resolve: (path: string) => string,
): TrustRule {
  return {
    ...(roots === undefined ? {} : { roots: readRoots(roots, notes, resolve) }),
    ...(signingConfig === undefined ? {} : { signingConfigFile: resolve(signingConfig) }),
  };
}

function readRoots(
  roots: NonNullable<NonNullable<ConfigurationFile['trust']>['roots']>,
  notes: IssueNotes,
  resolve: (path: string) => string,
): readonly TrustedRootFile[] {
  const seen = new Set<string>();
  return roots.map((root, index) => {
    const {
      name,
      file,
      insecureIgnoreSct = false,
    } = typeof root === 'string' ? { name: nameOf(root), file: root } : root;
    const path = ['trust', 'roots', index, ...(typeof root === 'string' ? [] : ['name'])];
    if (!new RegExp(CALLER_NAME).test(name)) {
      notes.note(path, 'configuration.root_unnamed', 'no name can be made of that file', '{ name: own, file: … }');
    } else if (seen.has(name)) {
      notes.note(path, 'configuration.name_repeated', 'another entry has it already', '{ name: …, file: … }');
    }
    seen.add(name);
    return { name, file: resolve(file), insecureIgnoreSct };
  });
}

/** `trust/public-good.json` is public-good. */
function nameOf(file: string): string {
  return basename(file)
    .replace(/\.json$/i, '')
    .toLowerCase();
}
