import { expect, test } from 'vitest';
import { MOST_EARLIER_BYTES, ServedPages } from './served-pages.ts';

const page = (digest: string, size = 1) => ({ digest, bytes: new Uint8Array(size) });
const served = (pages: ServedPages, ...digests: string[]) => digests.filter((one) => pages.get(one) !== undefined);

test('the pages of the list are served, and those of the lists before it', () => {
  const pages = new ServedPages();
  expect(pages.get('a')).toBeUndefined();
  pages.replace([page('a', 3), page('b')]);
  pages.replace([page('b'), page('c')]);
  pages.replace([page('d')]);
  expect(served(pages, 'a', 'b', 'c', 'd', 'e')).toEqual(['a', 'b', 'c', 'd']);
  expect(pages.get('a')).toHaveLength(3);
});

test('of the pages that left the list the oldest are forgotten where there is no room for all', () => {
  const [half, all] = [MOST_EARLIER_BYTES / 2, MOST_EARLIER_BYTES];
  const pages = new ServedPages();
  pages.replace([page('a', half), page('b', half)]);
  pages.replace([page('c', 1)]);
  expect(served(pages, 'a', 'b', 'c')).toEqual(['a', 'b', 'c']);
  pages.replace([page('d', all)]);
  expect(served(pages, 'a', 'b', 'c', 'd')).toEqual(['b', 'c', 'd']);
  pages.replace([page('e', all + 1)]);
  expect(served(pages, 'b', 'c', 'd', 'e')).toEqual(['d', 'e']);
  pages.replace([]);
  expect(served(pages, 'd', 'e')).toEqual([]);
});

test('a page that stays in the list takes no room among those that left it', () => {
  const pages = new ServedPages();
  const stays = page('s', MOST_EARLIER_BYTES);
  pages.replace([stays, page('a')]);
  pages.replace([stays]);
  pages.replace([stays, page('b')]);
  expect(served(pages, 's', 'a', 'b')).toEqual(['s', 'a', 'b']);
});
