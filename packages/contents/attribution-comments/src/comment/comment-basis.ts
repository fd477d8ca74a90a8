import { type Basis, isConfirmed } from '@colophon/records';
import type { AttributionComment } from './attribution-comment.ts';
import type { CodeBlock } from './code-block.ts';

/** What each part of an attribution comment rests on. */
export type CommentBasis = { readonly [part in keyof AttributionComment]?: Basis };

const PARTS = ['agent', 'version', 'model', 'prompt', 'reviewedBy'] as const;

/**
 * What the comment above a block rests on, part by part: the least that any evidence of the block has for it. What no
 * verified certificate says is declared.
 */
export function basisOfComment({ evidence }: CodeBlock, comment: AttributionComment): CommentBasis {
  const stated = PARTS.filter((part) => comment[part] !== undefined);
  return Object.fromEntries(
    stated.map((part) => {
      const bases = evidence.map(({ basis }): Basis => basis?.[part] ?? { source: 'declared' });
      return [part, bases.find((basis) => !isConfirmed(basis)) ?? bases[0] ?? { source: 'declared' }];
    }),
  );
}
