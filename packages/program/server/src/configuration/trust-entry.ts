import { isIssuerPattern } from '@colophon/notation';
import { isTrustedRootOf, rootName } from '../data-folder/data-folder.ts';
import type { TrustedRootFile, TrustRule } from './configuration.ts';
import type { IssueNotes } from './configuration-issue.ts';
import { CALLER_NAME, type ConfigurationFile } from './configuration-schema.ts';

type WrittenRoots = NonNullable<NonNullable<ConfigurationFile['trust']>['roots']>;

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
  roots: WrittenRoots,
  notes: IssueNotes,
  resolve: (path: string) => string,
): readonly TrustedRootFile[] {
  const seen = new Set<string>();
  return roots.map((root, index) => {
    const {
      name,
      file,
      insecureIgnoreSct = false,
      issuers,
    } = typeof root === 'string' ? { name: rootName(root).toLowerCase(), file: root } : root;
    const path = ['trust', 'roots', index, ...(typeof root === 'string' ? [] : ['name'])];
    if (!new RegExp(CALLER_NAME).test(name)) {
      notes.note(path, 'configuration.root_unnamed', 'no name can be made of that file', '{ name: own, file: … }');
    } else if (seen.has(name)) {
      notes.note(path, 'configuration.name_repeated', 'another entry has it already', '{ name: …, file: … }');
    }
    seen.add(name);
    issuers?.forEach((issuer, position) => {
      if (isIssuerPattern(issuer)) return;
      const expected = 'the iss of tokens, or a pattern such as https://*.acme.example/id/*';
      const place = ['trust', 'roots', index, 'issuers', position];
      notes.note(place, 'configuration.issuer_invalid', 'neither an issuer nor a pattern of issuers', expected);
    });
    return { name, file: resolve(file), insecureIgnoreSct, ...(issuers === undefined ? {} : { issuers }) };
  });
}

/**
 * Notes every root after the first that does not say for which issuers it is: of two such, each certifies whatever it likes.
 * @param dataDir of an embedded authority, whose issuers need not be written
 */
export function noteScopes(roots: readonly TrustedRootFile[], notes: IssueNotes, dataDir?: string): void {
  const open = roots.flatMap(({ name, file, issuers }, index) =>
    issuers !== undefined || (dataDir !== undefined && isTrustedRootOf(dataDir, file)) ? [] : [{ name, index }],
  );
  open.slice(1).forEach(({ index }) => {
    const message = `${open[0]?.name} is without issuers too: nothing says whom each of them may certify`;
    const expected = '{ file: …, issuers: [https://…] } for all roots but one';
    notes.note(['trust', 'roots', index], 'configuration.root_without_issuers', message, expected);
  });
}
