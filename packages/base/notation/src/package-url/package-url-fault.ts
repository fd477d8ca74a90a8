import { PackageURL } from 'packageurl-js';
import { decoded, splitPackageUrl } from './package-url.ts';

/** Longer than any real one; what is longer is not looked into. */
const LONGEST = 8_192;

const NOT_WRITABLE = /[^\x21-\x7e]|["<>^`{|}\\]/;
const TYPE = /^[a-z][a-z0-9.+-]*$/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const QUALIFIER_KEY = /^[a-z][a-z0-9._-]*$/;

/** What the library knows of types; its own types do not say that a validator needs the parts alone. */
const TYPES = PackageURL.Type as unknown as {
  readonly [type: string]:
    | { validate(parts: { readonly [part: string]: unknown }, throws: boolean): boolean }
    | undefined;
};

/**
 * Says what is wrong with the syntax of a package URL, or nothing. The library reads more than the standard allows
 * (`pkg:npm/@scope/name`, a qualifier given twice) and has an error of its own that says nothing about the text
 * (golang), so the syntax is checked here and the library asked for what a type requires alone.
 * @returns a part of a sentence, e.g. `it has no name`
 * @see https://github.com/package-url/purl-spec (ECMA-427)
 */
export function faultOfPackageUrl(text: string): string | undefined {
  if (text.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  if (!text.startsWith('pkg:')) return 'it does not start with pkg:';
  if (NOT_WRITABLE.test(text)) return 'it holds a character that has to be percent-encoded';
  if (BAD_ESCAPE.test(text)) return 'a % is not followed by two hex digits';
  const parts = splitPackageUrl(text);
  if (parts === undefined) return 'it has no name';
  const { type, names, version, qualifiers, subpath } = parts;
  if (!TYPE.test(type)) return 'its type is not lower-case letters, digits, dots, pluses and dashes after a letter';
  if (version?.includes('/') || names.startsWith('@')) return 'the @ of a namespace has to be written %40';
  if (version === '') return 'it has an @ and no version after it';
  if (names.includes('@')) return 'an @ that starts no version has to be written %40';
  const segments = names.split('/').filter((segment) => segment !== '');
  const name = segments.at(-1);
  if (name === undefined) return 'it has no name';
  if (subpath?.split('/').some((one) => /^(?:\.|%2e){1,2}$/i.test(one))) {
    return 'its subpath leads out with . or ..';
  }
  const values = qualifiersIn(qualifiers);
  if (typeof values === 'string') return values;
  return faultOfType(type, segments.slice(0, -1), name, version, values);
}

/** The qualifiers by their keys, or what is wrong with them. */
function qualifiersIn(text: string | undefined): { readonly [key: string]: string } | string {
  const values = new Map<string, string>();
  for (const pair of text === undefined ? [] : text.split('&')) {
    const equals = pair.indexOf('=');
    const key = pair.slice(0, Math.max(equals, 0));
    if (!QUALIFIER_KEY.test(key)) return 'a qualifier is not key=value with a key in lower case';
    if (values.has(key)) return 'it has a qualifier twice';
    values.set(key, decoded(pair.slice(equals + 1)));
  }
  return Object.fromEntries(values);
}

/** What a type asks for, e.g. a namespace for `maven`. */
function faultOfType(
  type: string,
  namespace: readonly string[],
  name: string,
  version: string | undefined,
  qualifiers: { readonly [key: string]: string },
): string | undefined {
  try {
    if (Object.hasOwn(TYPES, type))
      TYPES[type]?.validate({ type, namespace: namespace.join('/'), name: decoded(name), version, qualifiers }, true);
    return undefined;
  } catch (error) {
    const found = /^Invalid purl: (.*)$/.exec(error instanceof Error ? error.message : '')?.[1];
    // Anything else is an accident of the library's and says nothing about the text.
    return found === undefined ? undefined : `for its type it is wrong: ${found}`;
  }
}
