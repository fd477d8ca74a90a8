import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repositoriesAgree } from './repositories-agree.ts';

describe('repositoriesAgree', () => {
  it.each([
    ['acme/shop', 'acme/shop'],
    ['acme/shop', 'acme/shop.git'],
    ['acme/shop', 'acme/shop/'],
    ['acme/shop', 'acme/shop.git//'],
    ['acme.github/shop', 'acme.github/shop.git'],
    ['acme/shop', 'https://forge.example/acme/shop'],
    ['acme/shop', 'https://forge.example/acme/shop.git'],
    ['acme/shop', 'https://forge.example/acme/shop.git/'],
    ['team/shop', 'https://forge.example/group/team/shop'],
    ['group/team/shop', 'https://forge.example/group/team/shop'],
    ['project/shop', 'https://forge.example/org/project/_git/shop'],
    ['https://forge.example/acme/shop', 'https://Forge.Example:443/acme//shop.git/'],
    ['http://forge.example/acme/shop', 'http://forge.example/acme/shop'],
    ['git@forge.example:acme/shop', 'git@forge.example:acme/shop'],
  ])('%s and %s can be one', (one, other) => {
    expect(repositoriesAgree(one, other)).toBe(true);
    expect(repositoriesAgree(other, one)).toBe(true);
  });

  it.each([
    ['acme/shop', 'acme/other'],
    ['acme/shop', 'evil/shop'],
    ['acme/shop', 'Acme/shop'],
    ['acme/shop', 'https://forge.example/acme/other'],
    ['acme/shop', 'https://forge.example/evil/shop'],
    ['acme/shop', 'https://forge.example/acme/shop/other'],
    ['acme/shop', 'https://forge.example/group/evil/shop'],
    ['acme/shop', 'https://forge.example/other'],
    ['acme/shop', 'https://forge.example/shop'],
    ['acme/shop', 'https://forge.example/'],
    ['acme/shop', 'https://forge.example/acme/evil/shop'],
    ['acme/shop', 'https://forge.example/shop/acme'],
    ['acme/shop', 'https://github.com/evil/acme/shop'],
    ['acme/shop', 'https://GitHub.com:443/evil/acme/shop.git'],
    ['project/shop', 'https://forge.example/project/evil/_git/shop'],
    ['project/shop', 'https://forge.example/project/shop/_git'],
    ['acme/shop', 'https://forge.example/shop.git.git'],
    ['group/evil/shop', 'https://forge.example/group/team/shop'],
    ['evil/team/shop', 'https://forge.example/group/team/shop'],
    ['https://forge.example/acme/shop', 'https://forge.example/acme/other'],
    ['https://forge.example/acme/shop', 'https://forge.example/acme'],
    ['https://forge.example/acme/shop', 'https://forge.example/acme/Shop'],
    ['https://forge.example/acme/shop', 'https://other.example/acme/shop'],
    ['https://forge.example/acme/shop', 'https://forge.example:8443/acme/shop'],
    ['https://forge.example/acme/shop', 'http://forge.example/acme/shop'],
    ['acme/shop', 'http://forge.example/acme/shop'],
    ['acme/shop', 'git@forge.example:acme/shop'],
    ['acme/shop', 'acme/shop x'],
    ['acme/shop', 'x@acme/shop'],
    ['acme/shop', 'https://forge.example/acme/shop?x'],
  ])('%s and %s are two', (one, other) => {
    expect(repositoriesAgree(one, other)).toBe(false);
    expect(repositoriesAgree(other, one)).toBe(false);
  });

  it('never throws, and whatever is written agrees with itself', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(repositoriesAgree(one, one)).toBe(true);
        expect(repositoriesAgree(one, other)).toBe(repositoriesAgree(other, one));
      }),
    );
  });
});
