import { describe, expect, it } from 'vitest';
import { isEmailAddress } from './email-address.ts';

const label = 'a'.repeat(63);

describe('isEmailAddress', () => {
  it.each([
    'a@b',
    'jane.doe@example.com',
    'jane+review@mail.example.co.uk',
    "O'Brien_1@example.org",
    '1@2.example',
    '12345+jane@users.noreply.example.com',
    'me@localhost',
    'jane@xn--bcher-kva.example',
    '!$&*=~-@example.com',
    `${'a'.repeat(64)}@example.com`,
    `a@${label}.example`,
    `a@${label}.${label}.${label}.${'a'.repeat(60)}`,
  ])('accepts %s', (text) => {
    expect(isEmailAddress(text)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['no at sign', 'jane.example.com'],
    ['nothing before the at sign', '@example.com'],
    ['nothing after it', 'jane@'],
    ['two at signs', 'jane@doe@example.com'],
    ['a dot first', '.jane@example.com'],
    ['a dot before the at sign', 'jane.@example.com'],
    ['two dots', 'jane..doe@example.com'],
    ['two dots in the domain', 'jane@example..com'],
    ['a dot at the end', 'jane@example.com.'],
    ['a dot after the at sign', 'jane@.example.com'],
    ['a label that starts with a hyphen', 'jane@-example.com'],
    ['a label that ends with a hyphen', 'jane@example-.com'],
    ['an underscore in the domain', 'jane@exa_mple.com'],
    ['a label of 64', `a@${label}a.example`],
    ['65 characters before the at sign', `${'a'.repeat(65)}@example.com`],
    ['255 characters', `a@${label}.${label}.${label}.${'a'.repeat(61)}`],
    ['a space', 'jane doe@example.com'],
    ['a space at the end', 'jane@example.com '],
    ['a newline at the end', 'jane@example.com\n'],
    ['a tab at the start', '\tjane@example.com'],
    ['a NUL', 'jane\0@example.com'],
    ['a display name', 'Jane <jane@example.com>'],
    ['quotes', '"jane"@example.com'],
    ['a percent sign, which no URI takes', 'jane%40a@example.com'],
    ['a slash', 'jane/doe@example.com'],
    ['a question mark', 'jane?a@example.com'],
    ['a hash', 'jane#a@example.com'],
    ['a semicolon', 'jane;a@example.com'],
    ['an IP literal', 'jane@[127.0.0.1]'],
    ['a letter beyond ASCII', 'jané@example.com'],
    ['a Cyrillic domain', 'jane@еxample.com'],
    ['a soft hyphen', 'ja\u00adne@example.com'],
  ])('refuses %s', (_title, text) => {
    expect(isEmailAddress(text)).toBe(false);
  });
});
