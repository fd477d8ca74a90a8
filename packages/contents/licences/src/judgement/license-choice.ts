/** A licence as a CycloneDX component states it: a wire name, and members that we do not know kept as they are. */
export type LicenseChoice = {
  readonly license?: {
    readonly id?: string;
    readonly name?: string;
    readonly acknowledgement?: string;
    readonly text?: { readonly contentType?: string; readonly encoding?: string; readonly content: string };
    readonly url?: string;
    readonly [name: string]: unknown;
  };
  readonly expression?: string;
  readonly acknowledgement?: string;
  readonly [name: string]: unknown;
};
