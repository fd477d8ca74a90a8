import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPostings } from './postings.ts';

const hash = fc.oneof(fc.nat(20), fc.nat(0xffff_ffff));

test('each file that has a hash is called once, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(hash, { maxLength: 20 }), { maxLength: 20 }), hash, (files, asked) => {
      const postings = createPostings(files.map((hashes) => Uint32Array.from(hashes)));
      const having = files.flatMap((hashes, file) => (hashes.includes(asked) ? [file] : []));
      const called: number[] = [];
      postings.each(asked, having.length, (file) => called.push(file));
      expect(called).toEqual(having);
      postings.each(asked, having.length - 1, () => expect.unreachable('too many have it'));
    }),
  );
});
