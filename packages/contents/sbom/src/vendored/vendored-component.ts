import {
  AUTONOMOUS_AGENT,
  BASIS_PROPERTY,
  DEFAULT_NAMESPACE,
  SPEC_TECHNIQUE,
  STANDARD_TECHNIQUE,
  TECHNIQUE_PROPERTY,
  VENDOR_FIELDS,
  type VendorName,
} from '../attribution/attribution-names.ts';
import type { Component, Hash, Property } from '../document/bom.ts';
import { toSpecProfile } from '../profile/component-profile.ts';
import type { WrittenProfile } from '../profile/loss.ts';
import type { SourcePurl } from './source-purl.ts';
import type { VendoredLicence } from './vendored-licence.ts';

/** The version of everything vendored. */
const VENDORED_VERSION = '0.0.0-vendored';
const VENDORING_METHOD = 'inline-rewrite';

/** Code of this repository that was made from somebody's package. */
export type Vendored = {
  /** Inside the repository, by `parseVendoredPath`. */
  readonly path: string;
  /** Its files, as paths inside the repository. */
  readonly files: readonly string[];
  /** Of the one file; a folder has no digest that others could check. */
  readonly hashes?: readonly Hash[];
  readonly source: SourcePurl;
  readonly licence: VendoredLicence;
  readonly similarity: {
    /** 0 to 1, as it was measured. */
    readonly score: number;
    /** What was compared, for a person: files and digests. */
    readonly evidence: string;
  };
  /** Who made it, as somebody declares; nobody where a person did. */
  readonly agent?: { readonly agent: string; readonly model: string };
  /** Instead of `<source-package>-vendored`. */
  readonly name?: string;
};

/**
 * The component of vendored code, by the contract's conventions to the letter, and beside them the standard's own place
 * for where code comes from: its pedigree. It has no package URL: it is not the package that it was made from, and a
 * scanner that took it for that would look for the wrong code.
 * @param options profile `spec` writes the contract's technique, `standard` the official one and a property
 * @see contract §2.5; decision 0014
 */
export function vendoredComponent(
  vendored: Vendored,
  { profile, namespace = DEFAULT_NAMESPACE }: { readonly profile: WrittenProfile; readonly namespace?: string },
): Component {
  const { path, files, hashes, source, licence, similarity, agent, name } = vendored;
  // Downwards, as a score is rounded elsewhere: what is rounded to a threshold has reached it.
  const score = Math.floor(similarity.score * 100 + 1e-7) / 100;
  const method = { technique: STANDARD_TECHNIQUE, confidence: score, value: similarity.evidence };
  const component: Component = {
    type: 'library',
    'bom-ref': `vendored:${path}`,
    name: name ?? `${source.packageName}-vendored`,
    version: VENDORED_VERSION,
    scope: 'required',
    ...(hashes === undefined ? {} : { hashes }),
    licenses: licence.licenses,
    pedigree: {
      ancestors: [
        {
          type: 'library',
          ...(source.namespace === undefined ? {} : { group: source.namespace }),
          name: source.name,
          version: source.version,
          purl: source.purl,
          licenses: licence.named,
        },
      ],
    },
    evidence: {
      identity: [{ field: 'name', confidence: score, methods: [method] }],
      occurrences: files.map((location) => ({ location })),
    },
    properties: propertiesOf(namespace, {
      ...(agent === undefined ? {} : { authored_by: AUTONOMOUS_AGENT, ...agent }),
      source_package: `${source.packageName}@${source.version}`,
      source_similarity: score.toFixed(2),
      vendoring_method: VENDORING_METHOD,
    }),
  };
  return profile === 'spec' ? toSpecProfile(component) : component;
}

function propertiesOf(
  namespace: string,
  values: Readonly<Partial<Record<(typeof VENDOR_FIELDS)[VendorName], string>>>,
): Property[] {
  const stated = (Object.keys(VENDOR_FIELDS) as VendorName[]).flatMap((name) => {
    const value = values[VENDOR_FIELDS[name]];
    return value === undefined ? [] : [{ name: `${namespace}:${name}`, value }];
  });
  return [
    ...stated,
    // Who made it is only declared, until the evidence is checked.
    ...(values.authored_by === undefined ? [] : [{ name: BASIS_PROPERTY, value: 'declared' }]),
    { name: TECHNIQUE_PROPERTY, value: SPEC_TECHNIQUE },
  ];
}
