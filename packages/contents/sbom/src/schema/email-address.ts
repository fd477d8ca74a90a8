/** The limit of an SMTP line, less the command around the address. */
const LONGEST = 986;
const LONGEST_DOMAIN = 253;

const ATOM = "[0-9A-Za-z!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]+";
const DOT_STRING = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`);
const QUOTED_STRING = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e\u0080-\uffff]|\\[\x20-\x7e])*"$/;
const LABEL = /^(?!-)[-0-9A-Za-z\u0080-\uffff]{1,63}(?<!-)$/;
const ADDRESS_LITERAL = /^\[(?:[0-9.]+|[-0-9A-Za-z]*[0-9A-Za-z]:[\x21-\x5a\x5e-\x7e]+)\]$/;
const IPV4_LITERAL = /^\[(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?=[0-9])|\]$)){4}/;

/**
 * True for an internationalised e-mail address (format `idn-email`), decided as `smtp-address-parser` does, which the
 * official test suite uses, but in linear time: that one takes a twentieth of a second for one address of 960 dots.
 * @see RFC 5321 §4.1.2, RFC 6531 §3.3
 */
export function isInternationalEmail(text: string): boolean {
  if (text.length > LONGEST) return false;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  if (!DOT_STRING.test(local) && !QUOTED_STRING.test(local)) return false;
  if (domain.startsWith('[')) {
    return ADDRESS_LITERAL.test(domain) && (domain.includes(':') || IPV4_LITERAL.test(domain));
  }
  const labels = domain.split('.');
  return (
    domain.length <= LONGEST_DOMAIN &&
    labels.length >= 2 &&
    (labels.at(-1) as string).length >= 2 &&
    labels.every((label) => LABEL.test(label))
  );
}
