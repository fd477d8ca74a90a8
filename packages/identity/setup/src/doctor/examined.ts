import type { PinnedRoot, SigningServices, TrustMaterial } from '@colophon/sigstore';

/** Services, and the files that clients know them by. */
export type Examined = {
  readonly issuerUrl: string;
  readonly services: SigningServices;
  /** File of the services; undefined where addresses were typed. */
  readonly signingConfigFile?: string | undefined;
  readonly trust: TrustMaterial;
  /** Of each root of `trust`, in its order. */
  readonly rootFiles: readonly string[];
  /** Where a root is said to have no CT log. */
  readonly configurationFile?: string | undefined;
};

/** How the findings name the file of Fulcio's issuers, which lies at the authority. */
export const FULCIO_FILE = 'fulcio.yaml (--config-path of Fulcio)';

/** How the findings name the file that says where to sign. */
export function signingConfigOf({ signingConfigFile }: Examined): string {
  return signingConfigFile ?? 'the addresses on this line';
}

/** How the findings name the files of the roots. */
export function rootsOf({ rootFiles }: Examined): string {
  return rootFiles.join(', ');
}

/** Each root with its file. */
export function rootsWithFiles({ trust, rootFiles }: Examined): ReadonlyArray<{ root: PinnedRoot; file: string }> {
  return trust.roots.map((root, index) => ({ root, file: rootFiles[index] ?? '' }));
}
