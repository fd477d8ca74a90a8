import type { LicenseChoice } from '@colophon/licences';

/**
 * A CycloneDX document as it stands in JSON: wire names, and members that we do not know kept as they are. The types
 * say what a schema-valid document holds; what a stranger wrote has to be validated before it is read by them.
 * @see contract §2.5; CycloneDX 1.2–1.7
 */
export type Bom = {
  readonly $schema?: string;
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: SpecVersion;
  readonly serialNumber?: string;
  readonly version?: number;
  readonly metadata?: Metadata;
  readonly components?: readonly Component[];
  readonly dependencies?: readonly Dependency[];
  readonly [name: string]: unknown;
};

export const SPEC_VERSIONS = ['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'] as const;
export type SpecVersion = (typeof SPEC_VERSIONS)[number];

export type Metadata = {
  /** RFC 3339. */
  readonly timestamp?: string;
  readonly lifecycles?: ReadonlyArray<{ readonly phase?: string; readonly name?: string }>;
  readonly tools?: { readonly components?: readonly Component[]; readonly [name: string]: unknown } | readonly Tool[];
  readonly component?: Component;
  readonly supplier?: Organization;
  readonly properties?: readonly Property[];
  readonly [name: string]: unknown;
};

/** How tools were named before 1.5. */
export type Tool = { readonly vendor?: string; readonly name?: string; readonly version?: string };
export type Organization = {
  readonly name?: string;
  readonly url?: readonly string[];
  readonly [name: string]: unknown;
};
export type Property = { readonly name?: string; readonly value?: string };
export type Dependency = {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
  readonly [name: string]: unknown;
};
export type Hash = { readonly alg: string; readonly content: string };

export type Component = {
  readonly type: string;
  readonly 'bom-ref'?: string;
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
  readonly scope?: string;
  readonly supplier?: Organization;
  readonly hashes?: readonly Hash[];
  readonly licenses?: readonly LicenseChoice[];
  readonly properties?: readonly Property[];
  readonly components?: readonly Component[];
  readonly externalReferences?: ReadonlyArray<{
    readonly type: string;
    readonly url: string;
    readonly hashes?: readonly Hash[];
  }>;
  readonly evidence?: Evidence;
  readonly [name: string]: unknown;
};

export type Evidence = {
  /** One object in 1.5, an object or a list from 1.6. */
  readonly identity?: Identity | readonly Identity[];
  readonly occurrences?: ReadonlyArray<{ readonly location: string; readonly [name: string]: unknown }>;
  readonly [name: string]: unknown;
};

export type Identity = {
  readonly field: string;
  readonly confidence?: number;
  readonly methods?: ReadonlyArray<{
    readonly technique: string;
    readonly confidence: number;
    readonly value?: string;
  }>;
  readonly [name: string]: unknown;
};
