import { exactPointer, type Issue, isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { coveredKind } from '../covered-kind/covered-kind.ts';
import { type CoveredImages, type ImagePlace, imagePlaces } from '../image-places/image-places.ts';
import { metadataOf, nameOf } from '../object/object-name.ts';
import { type ManifestIssueCode, manifestIssue } from './manifest-issue.ts';
import { unknownImages } from './unknown-images.ts';

/** One object of a manifest, and what is known of its images. */
export type ManifestObject = {
  /** The document that it stands in, counted from 0, and the JSON Pointer to it there: '' or, in a list, `/items/0`. */
  readonly document: number;
  readonly pointer: string;
  /** As the object says; absent where it says none. */
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly images: ManifestImages;
};

/** Places and issues are relative to the object. */
export type ManifestImages =
  | (CoveredImages & { readonly outcome: 'read' })
  | {
      readonly outcome: 'malformed';
      readonly places: readonly ImagePlace[];
      readonly issues: readonly Issue[];
      readonly expected?: string;
    }
  | { readonly outcome: 'no-images' }
  | {
      /** Not covered: `fields` are JSON Pointers to what seem to be images. */ readonly outcome: 'unknown';
      readonly fields: readonly string[];
    };

/** Lists of objects in each other. */
const DEEPEST_LIST = 8;
const LIST = 'List';
const LIST_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'items']);

type Entry = { readonly value: unknown; readonly pointer: readonly (string | number)[]; readonly depth: number };

/**
 * The objects of a manifest in their order, lists taken apart, each with its images. Empty documents are passed over;
 * anything else that is no object is malformed. kubectl and Helm take every object that has `items` for a list,
 * whatever its kind: of a covered kind it is malformed, and of another it is looked at as both.
 * @param documents - as their JSON or YAML was parsed
 */
export function manifestImages(documents: readonly unknown[]): readonly ManifestObject[] {
  return documents.flatMap((value, document) =>
    value === null || value === undefined
      ? []
      : objectsIn({ value, pointer: [], depth: 0 }).map(({ value: object, pointer, fault }) => ({
          document,
          pointer: exactPointer(pointer),
          ...namesOf(object),
          images: fault === undefined ? imagesOf(object) : malformed(fault),
        })),
  );
}

function objectsIn(entry: Entry): ReadonlyArray<Entry & { readonly fault?: ManifestIssueCode }> {
  const { value, pointer, depth } = entry;
  if (!isJsonObject(value)) return [entry];
  const isItself = !isList(value);
  if (isItself) {
    if (value.items === undefined) return [entry];
    if (coveredKind(value.apiVersion, value.kind) !== undefined)
      return [{ ...entry, fault: 'manifest.items_unexpected' }];
    if (!isName(value.kind) || !holdsObjects(value.items)) return [entry];
  }
  if (depth === DEEPEST_LIST) return [{ ...entry, fault: 'manifest.too_deep' }];
  const items = value.items ?? [];
  if (!Array.isArray(items) || !items.every(isJsonObject)) return [{ ...entry, fault: 'manifest.items_invalid' }];
  const below = (items as readonly JsonObject[]).flatMap((item, index) =>
    objectsIn({ value: ofList(value, item), pointer: [...pointer, 'items', index], depth: depth + 1 }),
  );
  return isItself ? [entry, ...below] : below;
}

function holdsObjects(items: JsonValue): boolean {
  return Array.isArray(items) && items.some(isJsonObject);
}

/** The list of any objects, or one of a single kind. What has more members only ends in the word, as an `AllowList`. */
function isList(object: JsonObject): boolean {
  const { apiVersion, kind, items } = object;
  if (kind === LIST && apiVersion === 'v1') return true;
  if (typeof kind !== 'string' || !kind.endsWith(LIST)) return false;
  if (!Object.keys(object).every((name) => LIST_MEMBERS.has(name))) return false;
  return Array.isArray(items) && items.every(isJsonObject);
}

/**
 * The API server writes the items of a typed list, as a `PodList`, without kind. kubectl gives them the kind of whatever
 * holds them, without that ending.
 * @see decodeToList of k8s.io/apimachinery/pkg/apis/meta/v1/unstructured
 */
function ofList({ apiVersion, kind }: JsonObject, item: JsonObject): JsonObject {
  const ofItems = (kind as string).replace(/List$/, '');
  if (ofItems === '' || item.kind !== undefined || item.apiVersion !== undefined) return item;
  return { ...item, apiVersion: apiVersion as JsonValue, kind: ofItems };
}

function imagesOf(object: unknown): ManifestImages {
  if (!isJsonObject(object)) return malformed('manifest.not_object');
  const reading = imagePlaces(object);
  if (reading.outcome === 'read') return { ...reading, outcome: reading.outcome };
  if (reading.outcome === 'malformed') {
    const { places, issues } = reading;
    return { outcome: 'malformed', places, issues };
  }
  const { apiVersion, kind } = object;
  if (!isName(apiVersion) || !isName(kind)) return malformed('manifest.kind_missing');
  const fields = unknownImages(object, apiVersion);
  return fields.length === 0 ? { outcome: 'no-images' } : { outcome: 'unknown', fields };
}

function malformed(code: ManifestIssueCode): ManifestImages {
  const issue = manifestIssue(code);
  const { expected } = issue;
  return { outcome: 'malformed', places: [], issues: [issue], ...(expected !== undefined && { expected }) };
}

function namesOf(object: unknown): Pick<ManifestObject, 'apiVersion' | 'kind' | 'namespace' | 'name'> {
  const { apiVersion, kind } = isJsonObject(object) ? object : ({} as JsonObject);
  const { namespace } = metadataOf(object);
  const name = nameOf(object);
  return {
    ...(isName(apiVersion) && { apiVersion }),
    ...(isName(kind) && { kind }),
    ...(isName(namespace) && { namespace }),
    ...(name !== undefined && { name }),
  };
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
