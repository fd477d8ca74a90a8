import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldedAddress, foldedDomain } from './folded-address.ts';

test.each([
  ['an address as it is usually written', 'alice@example.com', 'alice@example.com'],
  ['capital letters in the name', 'Alice@example.com', 'alice@example.com'],
  ['capital letters in the domain', 'alice@Example.COM', 'alice@example.com'],
  ['a U-label', 'alice@bücher.example', 'alice@xn--bcher-kva.example'],
  ['a U-label in capital letters', 'alice@BÜCHER.example', 'alice@xn--bcher-kva.example'],
  ['a U-label in form NFD', 'alice@bu\u0308cher.example', 'alice@xn--bcher-kva.example'],
  ['an A-label in capital letters', 'alice@XN--BCHER-KVA.example', 'alice@xn--bcher-kva.example'],
  ['an ideographic full stop', 'alice@例え\u3002テスト', 'alice@xn--r8jz45g.xn--zckzah'],
  ['full-width letters in the domain', 'alice@\uff45xample.com', 'alice@example.com'],
  ['a name in form NFD', 'zoe\u0308@example.com', 'zo\u00eb@example.com'],
  ['a dot at the end of the domain', 'alice@example.com.', 'alice@example.com'],
  ['two dots there', 'alice@Example.com..', 'alice@example.com'],
  ['an @ in the name', '"A@b"@Example.com', '"a@b"@example.com'],
  ['a domain of numbers', 'alice@127.1', 'alice@127.1'],
  ['one of full-width numbers', 'alice@\uff11\uff12\uff17.\uff11', 'alice@127.1'],
  ['a tag', 'Alice+Review@Example.com', 'alice+review@example.com'],
])('%s is folded', (_, address, folded) => {
  expect(foldedAddress(address)).toBe(folded);
});

test.each([
  ['a tag', 'Alice+Review@Example.com', 'alice@example.com'],
  ['two tags', 'alice+a+b@example.com', 'alice@example.com'],
  ['an empty tag', 'alice+@example.com', 'alice@example.com'],
  ['a name that is all tag', '+review@example.com', '+review@example.com'],
  ['a plus sign in the domain', 'alice@a+b.example', 'alice@a+b.example'],
  ['no tag', 'Alice@example.com', 'alice@example.com'],
])('where plus addresses are the same, %s is dropped if there is one', (_, address, folded) => {
  expect(foldedAddress(address, { plusAddresses: 'same' })).toBe(folded);
});

test.each([
  ['no @', 'Agent:Code-Writer'],
  ['no name', '@Example.com'],
  ['no domain', 'Alice@'],
  ['a domain that is only a dot', 'Alice@.'],
  ['a domain of a soft hyphen', 'Alice@\u00ad'],
  ['an A-label of nothing', 'Alice@xn--\uff0f.Example'],
  ['a path behind the domain', 'Alice@Example.com/x'],
  ['a port behind the domain', 'Alice@Example.com:1'],
  ['a query behind the domain', 'Alice@Example.com?x'],
  ['a fragment behind the domain', 'Alice@Example.com#x'],
  ['a percent sign in the domain', 'Alice@Ex%61mple.com'],
  ['a backslash in the domain', 'Alice@Example.com\\x'],
  ['an address in brackets', 'Alice@[::1]'],
  ['a space in the domain', 'Alice@Exa mple.com'],
  ['a tab in the domain', 'Alice@Exa\tmple.com'],
  ['a character that no domain has', 'Alice@b\uff0fcher.Example'],
  ['half a character in the domain', 'Alice@b\ud800cher.Example'],
])('what has %s equals only itself', (_, address) => {
  expect(foldedAddress(address)).toBe(address);
  expect(foldedAddress(address, { plusAddresses: 'same' })).toBe(address);
});

test('look-alikes are other addresses', () => {
  expect(foldedAddress('\u0430lice@example.com')).not.toBe('alice@example.com');
  expect(foldedAddress('a.lice@example.com')).not.toBe('alice@example.com');
  expect(foldedAddress('alice@ex\u0430mple.com')).not.toBe('alice@example.com');
});

test('a domain alone is folded as in an address', () => {
  expect(foldedDomain('BÜCHER.Example.')).toBe('xn--bcher-kva.example');
  expect(foldedDomain('')).toBeUndefined();
  expect(foldedDomain('a@b')).toBeUndefined();
});

const piece = fc.constantFrom(
  ...['a', 'B', '@', '.', '+', 'ü', 'u\u0308', 'İ', 'ß', 'ẞ', 'ſ', 'Σ', 'xn--', '\u3002', '\u00ad', '\uff0e'],
  ...['\ud800', ' ', '\t', '%', '/', ':', '1', '\u212a', '-', '\u200d', '\0'],
);
const address = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(piece).map((pieces) => pieces.join('')),
);

test('whatever the text, it never throws, and folding twice is folding once', () => {
  const property = fc.property(address, fc.constantFrom({}, { plusAddresses: 'same' } as const), (text, folding) => {
    const folded = foldedAddress(text, folding);
    expect(foldedAddress(folded, folding)).toBe(folded);
  });
  fc.assert(property, { numRuns: 2000 });
});

test('the case of an ASCII address never matters', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9.+_-]{1,12}$/);
  const label = fc.stringMatching(/^[A-Za-z0-9]{1,8}$/);
  const property = fc.property(name, label, label, (local, one, other) => {
    const text = `${local}@${one}.${other}`;
    expect(foldedAddress(text.toUpperCase())).toBe(foldedAddress(text.toLowerCase()));
    expect(foldedAddress(text)).toBe(text.toLowerCase());
  });
  fc.assert(property);
});
