/**
 * What help ends with: lines to type as they stand, with one's own files for the names in them. A line that ends in a
 * backslash goes on in the next.
 */
export function example(...lines: readonly string[]): string {
  return `\nFor example:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
