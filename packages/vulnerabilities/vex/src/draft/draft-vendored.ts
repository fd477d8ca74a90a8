import type { VexStatement, VexSubject } from '../vex-document/vex-document.ts';
import { VexError } from '../vex-error/vex-error.ts';
import { draftStatement } from './draft-statement.ts';

/** How much of a piece of vulnerable code stands in a file of vendored code. */
export type CodeSighting = {
  /** File of the vulnerable code, and of the vendored code. */
  readonly code: string;
  readonly file: string;
  /** Share of the vulnerable code's tokens that stand in the file, 0 to 1. */
  readonly contained: number;
  /** Likeness of the two, 0 to 1; up to 0.5 it is noise (contract §8). */
  readonly score: number;
  /** Too little code on either side. */
  readonly isTooSmall: boolean;
};

/** One component that was made from somebody's package, and what was found of the vulnerable code in it. */
export type VendoredEvidence = {
  /** `bom-ref` of the component. */
  readonly ref: string;
  /** By algorithm as OpenVEX names it, of its one file. */
  readonly hashes?: Readonly<Record<string, string>>;
  /** Package URL of what it was made from. */
  readonly source: string;
  readonly files: readonly string[];
  readonly sightings: readonly CodeSighting[];
  /** Files that nothing could be compared with, because of their language or their text. */
  readonly unread: readonly string[];
};

/** Of 262 files of unrelated code nine in ten share less; a light rewrite shares 0.4 on the median. */
export const MOST_CONTAINED = 0.1;
const NOISE = 0.5;

/**
 * Proposes that a vulnerability of a package is not in the code that was made from it, because none of the vulnerable
 * code is found there. Nothing is proposed where any of it may be there, or where it cannot be told.
 * @throws VexError `vex.draft_code_present`, `vex.draft_cannot_tell`
 * @see contract §2.5, §2.6; decision 0023
 */
export function draftVendored(
  { ref, hashes, source, files, sightings, unread }: VendoredEvidence,
  about: { readonly vulnerability: VexStatement['vulnerability']; readonly product: VexSubject; readonly at: string },
): VexStatement {
  const present = sightings.filter(({ contained, score }) => contained > MOST_CONTAINED || score > NOISE);
  if (present.length > 0) {
    throw new VexError('vex.draft_code_present', `the vulnerable code is in ${ref}, or code like it`, {
      expected: `at most ${percent(MOST_CONTAINED)} of it in any file, and a likeness of at most ${NOISE}`,
      found: present.map(sighted).join('; '),
    });
  }
  const small = sightings.filter(({ isTooSmall }) => isTooSmall);
  if (small.length > 0 || unread.length > 0 || sightings.length === 0) {
    const found = [...small.map(({ code, file }) => `${code} or ${file} is too small`), ...unread];
    throw new VexError('vex.draft_cannot_tell', `${ref} cannot be compared with the vulnerable code`, {
      expected: 'code in one language, each part large enough to compare',
      found: found.join('; ') || 'no file to compare it with',
    });
  }
  const most = sightings.reduce((highest, { contained }) => Math.max(highest, contained), 0);
  const product = { ...about.product, subcomponents: [{ id: ref, ...(hashes === undefined ? {} : { hashes }) }] };
  return draftStatement(
    { vulnerability: about.vulnerability, products: [product], timestamp: about.at },
    {
      status: 'not_affected',
      justification: 'vulnerable_code_not_present',
      impact_statement: `The vulnerable code of ${source} was not found in ${ref}, which was made from it: at most ${percent(most)} of it stands in any of ${files.length === 1 ? 'its one file' : `its ${files.length} files`}.`,
      evidence: sightings.map(sighted),
    },
  );
}

function sighted({ code, file, contained, score }: CodeSighting): string {
  return `${percent(contained)} of ${code} stands in ${file}, likeness ${score.toFixed(2)}`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
