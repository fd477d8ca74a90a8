import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const PROGRAMS = ['colophon', 'cosign', 'sigstore-js'] as const;
export const KINDS = ['blob', 'statement', 'image signature', 'image attestation'] as const;
export const LOGS = ['embedded', 'Rekor v1', 'Rekor v2'] as const;
export type Program = (typeof PROGRAMS)[number];
export type Kind = (typeof KINDS)[number];
export type Log = (typeof LOGS)[number];

/** One signature: by whom, of what, and where it is logged. */
export type Signature = { readonly signer: Program; readonly kind: Kind; readonly log: Log };

/** What cannot work: the signing where no verifier is named, and the verifying where one is; `error` in the peer's own words. */
export type Cannot = Signature & { readonly verifier?: Program; readonly error: string };

/** The file that `docs/matrix.md` is written from and `matrix.test.ts` is held to. Everything that it does not name works. */
export const CELLS_FILE = join(import.meta.dirname, 'matrix.json');

/** @throws Error for an entry that names no cell, or one that another entry has named */
export function readCannots(text = readFileSync(CELLS_FILE, 'utf8')): readonly Cannot[] {
  const { cannot } = JSON.parse(text) as { cannot: readonly Cannot[] };
  const known: readonly (readonly [keyof Cannot, readonly (string | undefined)[]])[] = [
    ['signer', PROGRAMS],
    ['kind', KINDS],
    ['log', LOGS],
    ['verifier', [...PROGRAMS, undefined]],
  ];
  const seen = new Set<string>();
  for (const one of cannot) {
    const name = JSON.stringify(known.map(([member]) => one[member]));
    if (!known.every(([member, values]) => values.includes(one[member])) || !one.error || seen.has(name)) {
      throw new Error(`${CELLS_FILE}: ${JSON.stringify(one)} names no cell, no error, or a cell twice`);
    }
    seen.add(name);
  }
  return cannot;
}

/** Every signature; in `short`, one kind for each signer and log, so that all kinds occur, and what cannot be signed. */
export function signatures(scope: 'short' | 'full', cannots: readonly Cannot[] = []): readonly Signature[] {
  const isUnsigned = ({ signer, kind, log }: Signature) =>
    cannots.some((one) => one.signer === signer && one.kind === kind && one.log === log && one.verifier === undefined);
  return PROGRAMS.flatMap((signer) =>
    LOGS.flatMap((log, j) =>
      KINDS.map((kind) => ({ signer, kind, log })).filter(
        (one) => scope === 'full' || one.kind === SHORT[signer][j] || isUnsigned(one),
      ),
    ),
  );
}

/** The kind for each log, in their order. */
const SHORT: Readonly<Record<Program, readonly Kind[]>> = {
  colophon: ['image attestation', 'image signature', 'statement'],
  cosign: ['blob', 'image attestation', 'image signature'],
  'sigstore-js': ['statement', 'image attestation', 'blob'],
};
