/** The base of predicate types where an installation has set none. */
export const DEFAULT_PREDICATE_BASE = 'https://colophon.example/predicates';

/** The claims' arc where an installation has set none; Go refuses arcs of 2^31 and more, so no `2.25.<uuid>`. */
export const DEFAULT_CLAIM_ARC = '2.999.7080.1';

/** The names of an installation: the base of its predicate types, and the arc of the claims in its certificates. */
export type Namespace = { readonly predicateBase: string; readonly claimArc: string };

/** What stands where nobody has set names of their own. Everybody may use these, so they name nobody. */
export const PLACEHOLDER_NAMESPACE: Namespace = {
  predicateBase: DEFAULT_PREDICATE_BASE,
  claimArc: DEFAULT_CLAIM_ARC,
};

/** What a name has to be, for an error about one that is not. */
export const EXPECTED_PREDICATE_BASE = 'an absolute https URL without user, query, fragment or final slash';
export const EXPECTED_CLAIM_ARC = 'an OID of your own in dotted form, each number below 2147483648';

const LONGEST_BASE = 512;
const LONGEST_ARC = 128;
/** Go reads no larger number. */
const END_OF_NUMBERS = 2 ** 31;

/** Arcs of extensions that mean something already: X.500, PKIX, Fulcio, certificate transparency. */
const OTHERS_ARCS = ['2.5', '1.3.6.1.5.5.7', '1.3.6.1.4.1.57264', '1.3.6.1.4.1.11129'];

/** Whether predicate types may begin with `text`: an https URL in its one spelling, which a type goes on behind. */
export function isPredicateBase(text: string): boolean {
  if (text.length > LONGEST_BASE || /[?#\s]|\/$/.test(text)) return false;
  try {
    const { href, protocol, username, password } = new URL(text);
    return protocol === 'https:' && username === '' && password === '' && [text, `${text}/`].includes(href);
  } catch {
    return false;
  }
}

/**
 * Whether `text` is an OID below which claims may stand. An arc with others' extensions above or below it is none: they
 * would be read as claims.
 */
export function isClaimArc(text: string): boolean {
  if (text.length > LONGEST_ARC || !/^[0-2](?:\.(?:0|[1-9]\d*)){2,}$/.test(text)) return false;
  const [first, second = 0, ...others] = text.split('.').map(Number);
  if ([second, ...others].some((number) => number >= END_OF_NUMBERS) || (first !== 2 && second >= 40)) return false;
  const isWithin = (inner: string, outer: string) => `${inner}.`.startsWith(`${outer}.`);
  return !OTHERS_ARCS.some((arc) => isWithin(text, arc) || isWithin(arc, text));
}
