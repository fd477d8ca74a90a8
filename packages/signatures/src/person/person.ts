/** Our issuer certifies people as `reviewer:<e-mail>`; others certify the bare address, and some a machine's like it. */
export function isPerson(subject: string): boolean {
  return /^(?:reviewer:)?[^\s:/@]+@[^\s:/@]+$/.test(subject) && !subject.endsWith('.gserviceaccount.com');
}
