import type { Bom } from '../document/bom.ts';

/** The document as it is written to files: two blanks of indent, a line end after it. */
export function formatBom(bom: Bom): string {
  return `${JSON.stringify(bom, null, 2)}\n`;
}
