const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** Undoes git's quoting of a name with unusual characters in it: `"a\tb\303\274"`. */
export function unquotePath(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  const quoted = Buffer.from(text.slice(1, -1), 'utf8').toString('latin1');
  const bytes = quoted.replace(/\\([0-7]{3}|.)/gs, (_, code: string) =>
    String.fromCharCode(code.length === 3 ? Number.parseInt(code, 8) : (ESCAPES[code] ?? code.charCodeAt(0))),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
