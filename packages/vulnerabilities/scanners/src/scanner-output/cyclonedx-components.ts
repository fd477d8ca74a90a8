import { parseUuid } from '@colophon/notation';
import type { NamedBom } from '@colophon/records';
import { groupedName } from './component-name.ts';
import { readPurl } from './component-purl.ts';
import { isObject, listOf, type Members, objectOf, textOf } from './members.ts';

/** What a reference leads to. */
export type FoundComponent = {
  readonly name: unknown;
  readonly version?: string | undefined;
  readonly purl?: unknown;
  /** The document has it, or the reference itself is a package URL. */
  readonly isKnown: boolean;
};

const BOM_LINK = /^urn:cdx:[^#]*#(.+)$/;
const LINKED_BOM = /^urn:cdx:([0-9a-f-]+)\/(\d{1,9})(?:#|$)/i;

/** The documents that BOM-Links lead to, each once; without the one whose serial number is given. */
export function linkedBoms(refs: readonly string[], ownSerial: string | undefined): readonly NamedBom[] {
  const linked = new Map<string, NamedBom>();
  for (const ref of refs) {
    const [, linkedTo = '', version] = LINKED_BOM.exec(ref) ?? [];
    const uuid = parseUuid(linkedTo);
    if (uuid === undefined) continue;
    const serialNumber = `urn:uuid:${uuid}`;
    if (serialNumber === ownSerial?.toLowerCase()) continue;
    // Versions begin at 1; a 0 is what a program writes for one that is not said.
    linked.set(`${serialNumber}/${version}`, { serialNumber, version: Math.max(1, Number(version)) });
  }
  return [...linked.values()];
}

/** The components and services of a CycloneDX document by their references, at any depth. */
export class CycloneDxComponents {
  readonly #byRef = new Map<string, Members>();
  /** What the document is about; without members where it does not say. */
  readonly subject: Omit<FoundComponent, 'isKnown'>;
  /** Its name and version in one. */
  readonly subjectName: string;

  constructor(root: Members) {
    const metadata = objectOf(root['metadata']);
    // A list and not a recursion: a document may nest as deep as it likes.
    const waiting: unknown[] = [metadata['component'], ...listOf(root['components']), ...listOf(root['services'])];
    for (let entry = waiting.pop(); entry !== undefined || waiting.length > 0; entry = waiting.pop()) {
      if (!isObject(entry)) continue;
      const ref = textOf(entry['bom-ref']);
      if (ref !== undefined) this.#byRef.set(ref, entry);
      for (const inner of listOf(entry['components'])) waiting.push(inner);
      for (const inner of listOf(entry['services'])) waiting.push(inner);
    }
    const { name, version, purl } = describe(objectOf(metadata['component']));
    this.subject = { name, version, purl };
    this.subjectName = [textOf(name), version].filter((part) => part !== undefined).join(' ');
  }

  /** The component that a reference means, or what the reference itself says where there is none. */
  find(ref: string): FoundComponent {
    const link = BOM_LINK.exec(ref)?.[1];
    const known = this.#byRef.get(ref) ?? (link === undefined ? undefined : this.#byRef.get(decoded(link)));
    if (known !== undefined) {
      const described = describe(known);
      // A component without a name still has its reference.
      return { ...described, name: textOf(described.name) ?? ref, isKnown: true };
    }
    const text = link === undefined ? ref : decoded(link);
    const purl = readPurl(text);
    return purl === undefined ? { name: text, isKnown: false } : { ...purl, purl: text, isKnown: true };
  }
}

function describe({ group, name, version, purl }: Members): Omit<FoundComponent, 'isKnown'> {
  return { name: groupedName(group, name, purl), version: textOf(version), purl };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
