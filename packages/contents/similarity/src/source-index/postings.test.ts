import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPostings } from './postings.ts';

const hash = fc.oneof(fc.nat(20), fc.nat(0xffff_ffff));

test('each file that has a hash is named once, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(hash, { maxLength: 20 }), { maxLength: 20 }), hash, (files, asked) => {
      const postings = createPostings(files.map((hashes) => Uint32Array.from(hashes)));
      const having = files.flatMap((hashes, file) => (hashes.includes(asked) ? [file] : []));
      const found = postings.find(asked);
      if (found === -1) expect(having).toEqual([]);
      else expect([...postings.files.subarray(postings.starts[found], postings.starts[found + 1])]).toEqual(having);
    }),
  );
});
