import type { OutputFormat } from './output-format.ts';
import { ReadingBuilder } from './reading-builder.ts';

/**
 * `[]`, which several scanners write for nothing found: pip-audit before 2.5, Snyk, trivy before 0.20. It is taken for
 * what it says, no findings, and the reading says that nobody signs for it: such a scan proves nothing about a fix.
 */
export const emptyListOutput: OutputFormat = {
  name: 'empty list',
  looksLike: (root) => Array.isArray(root) && root.length === 0,
  read: () => {
    const reading = new ReadingBuilder('unknown');
    reading.skip(
      [],
      'scan.scanner_unknown',
      'An empty list does not say which scanner wrote it, nor what it looked at.',
    );
    return { ok: true, value: [reading.done({})] };
  },
};
