import { isSpdxExpression } from '@colophon/licences';
import { type Bom, type SpecVersion, withCompleteness } from '@colophon/sbom';
import type { LockedPackage, LockedProject } from './locked-project.ts';

const LONGEST_EXPRESSION = 1000;

/**
 * The document of a lockfile, by the CycloneDX library: components with purl, licence, hashes and scope. The dependency
 * graph has an entry for everything of which the lockfile says what it needs, an empty one where that is nothing.
 * Compositions tell of whom it does not say that, or not all. Serial number, time and tools are added when it is completed.
 * @param specVersion 1.5 or later
 */
export async function lockfileBom(
  { root, dependsOn, isIncomplete, packages }: LockedProject,
  specVersion: SpecVersion,
): Promise<Bom> {
  // Loads slowly, and most commands do without.
  const { Contrib, Enums, Models, Serialize, Spec } = await import('@cyclonedx/cyclonedx-library');
  const licences = new Contrib.License.Factories.LicenseFactory((text) => {
    if (!isSpdxExpression(text)) throw new RangeError('no SPDX expression');
  });
  const licencesOf = (licence: string | undefined) => {
    if (licence === undefined) return new Models.LicenseRepository();
    // A text where a name belongs is not read as an expression.
    const isName = licence.length > LONGEST_EXPRESSION;
    const made = isName ? licences.makeNamedLicense(licence) : licences.makeFromString(licence);
    made.acknowledgement = Enums.LicenseAcknowledgement.Declared;
    return new Models.LicenseRepository([made]);
  };
  const scopes = {
    required: Enums.ComponentScope.Required,
    optional: Enums.ComponentScope.Optional,
    excluded: Enums.ComponentScope.Excluded,
  };
  const componentOf = ({ group, name, version, purl, scope, licence, hashes, source, properties }: LockedPackage) =>
    new Models.Component(Enums.ComponentType.Library, name, {
      ...(group !== undefined && { group }),
      ...(version !== undefined && { version }),
      ...(purl !== undefined && { purl }),
      ...(scope !== undefined && { scope: scopes[scope] }),
      licenses: licencesOf(licence),
      hashes: new Models.HashDictionary((hashes ?? []).map(({ alg, content }) => [alg as never, content] as const)),
      ...(source !== undefined && {
        externalReferences: new Models.ExternalReferenceRepository([
          new Models.ExternalReference(
            source.url,
            source.kind === 'vcs' ? Enums.ExternalReferenceType.VCS : Enums.ExternalReferenceType.Distribution,
            { comment: 'from the lockfile' },
          ),
        ]),
      }),
      properties: new Models.PropertyRepository(
        (properties ?? []).map(([key, value]) => new Models.Property(key, value)),
      ),
    });

  const components = new Map(packages.map((locked) => [locked.key, componentOf(locked)]));
  // Packages of one purl come from different places; the first is called by it.
  const taken = new Set<string>();
  for (const locked of packages) {
    const wanted = locked.purl ?? locked.key;
    const ref = taken.has(wanted) ? `${wanted}#${taken.size}` : wanted;
    taken.add(ref);
    components.get(locked.key)!.bomRef.value = ref;
  }
  const artifact = new Models.Component(Enums.ComponentType.Application, root.name ?? 'unknown', {
    ...(root.group !== undefined && { group: root.group }),
    ...(root.version !== undefined && { version: root.version }),
    ...(root.purl !== undefined && { purl: root.purl }),
    licenses: licencesOf(root.licence),
    bomRef: taken.has(root.purl ?? '') ? 'artifact' : (root.purl ?? 'artifact'),
  });
  const model = new Models.Bom({
    metadata: new Models.Metadata({ component: artifact }),
    components: new Models.ComponentRepository(components.values()),
  });
  const spec = Object.values(Spec.SpecVersionDict).find((known) => known?.version === specVersion);
  if (spec === undefined) throw new TypeError(`lockfileBom: CycloneDX ${specVersion} is not known`);
  const normalized = new Serialize.JSON.Normalize.Factory(spec).makeForBom().normalize(model, { sortLists: false });
  const refOf = (key: string) => components.get(key)?.bomRef.value;
  const rootRef = artifact.bomRef.value as string;
  const needs = [
    { ref: rootRef, dependsOn, isIncomplete },
    ...packages.map((locked) => ({ ...locked, ref: refOf(locked.key) as string })),
  ];
  const dependencies = needs.flatMap((one) => {
    if (one.dependsOn === undefined) return [];
    const needed = [...new Set(one.dependsOn.flatMap((key) => refOf(key) ?? []))];
    // An empty list would say that nothing is needed.
    return one.isIncomplete && needed.length === 0 ? [] : [{ ref: one.ref, dependsOn: needed }];
  });
  const stated = new Set(dependencies.map(({ ref }) => ref));
  const incomplete = needs.flatMap((one) => (one.isIncomplete ? [one.ref] : []));
  const unknown = needs.flatMap((one) => (one.isIncomplete || stated.has(one.ref) ? [] : [one.ref]));
  // Without class instances, as a reader of the file would see it.
  const bom = { ...(JSON.parse(JSON.stringify(normalized)) as Bom), dependencies };
  return withCompleteness(withCompleteness(bom, 'incomplete', incomplete), 'unknown', unknown);
}
