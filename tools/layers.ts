/**
 * The houses of the packages, lowest first; houses of one line know nothing of each other. In a house, packages stand in
 * rows. A package imports from houses below its own, and from lower rows of its own house; `cli` may start `server`.
 */
export const HOUSES: ReadonlyArray<Readonly<Record<string, ReadonlyArray<readonly string[]>>>> = [
  {
    base: [
      ['json', 'encoding', 'fault', 'notation'],
      ['merkle'],
      ['policy-file'],
      ['assets', 'durable-file', 'peer'],
      ['store'],
    ],
  },
  { contract: [['records']] },
  { signing: [['keys', 'pins', 'openpgp', 'sigstore'], ['signers']] },
  {
    identity: [
      ['issuance', 'oidc', 'witness', 'reconciliation', 'setup'],
      ['issuer', 'authority'],
    ],
    contents: [
      ['licences', 'similarity', 'source-packages'],
      ['sbom'],
      ['forge', 'grammars', 'generators', 'publishing'],
      ['attribution-comments'],
    ],
  },
  {
    admission: [['admission', 'kubernetes', 'cluster'], ['evidence', 'gate'], ['webhook']],
    vulnerabilities: [['findings'], ['vex', 'catalogs', 'scanners'], ['remediation-rules'], ['remediation']],
  },
  { program: [['server'], ['cli']] },
];

/** Packages that only tests may import, in the house `testing`. */
export const DEV_ONLY: readonly string[] = ['testkit'];

/** Where a package stands. */
export type Place = { readonly house: string; readonly line: number; readonly row: number };

/** The place of each package, by its name in our scope. */
export const PLACES: ReadonlyMap<string, Place> = new Map(
  HOUSES.flatMap((houses, line) =>
    Object.entries(houses).flatMap(([house, rows]) =>
      rows.flatMap((names, row) => names.map((name) => [name, { house, line, row }] as const)),
    ),
  ),
);

/** Whether shipped code of the package may import from the other. */
export function mayImport(own: Place, other: Place): boolean {
  return other.line < own.line || (other.house === own.house && other.row < own.row);
}
