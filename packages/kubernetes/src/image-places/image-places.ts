import { isJsonObject, type JsonObject, type JsonValue, jsonPointer } from '@colophon/json';
import type { PodKind } from './pod-kind.ts';

/** An image in an object. */
export type ImagePlace = {
  /** JSON pointer to its text. */
  readonly pointer: string;
  /** For a person: `spec.containers[web]`, `spec.template.spec.volumes[data]`. */
  readonly place: string;
  /** As it stands there. */
  readonly image: string;
};

/** Every image of an object, or where it is not of the shape of its kind. */
export type FoundImages =
  | { readonly ok: true; readonly images: readonly ImagePlace[] }
  | { readonly ok: false; readonly found: string };

/** Containers of a Pod, by the member that lists them. Kubernetes starts each of them. */
const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;

type Path = readonly (string | number)[];

/**
 * Every image in an object of a known kind: of its containers, of every other kind of container, and of volumes that are
 * images. A Pod without one where its kind needs one is malformed; in a template it may be filled in later, and then its
 * Pods have it.
 * @see Kubernetes API v1.36, PodSpec, Container, EphemeralContainer, ImageVolumeSource
 */
export function imagesOf(kind: PodKind, object: JsonValue | undefined): FoundImages {
  let spec: JsonValue | undefined = object;
  for (const member of kind.path) spec = isJsonObject(spec) ? own(spec, member) : undefined;
  if (!isJsonObject(spec)) return { ok: false, found: kind.path.join('.') };
  const reader = new PodReader(kind);
  for (const list of CONTAINER_LISTS) reader.readContainers(spec, list);
  reader.readVolumes(spec);
  return reader.found;
}

class PodReader {
  readonly #kind: PodKind;
  readonly #images: ImagePlace[] = [];
  #malformed: string | undefined;

  constructor(kind: PodKind) {
    this.#kind = kind;
  }

  get found(): FoundImages {
    if (this.#malformed !== undefined) return { ok: false, found: this.#malformed };
    return { ok: true, images: this.#images };
  }

  readContainers(spec: JsonObject, list: (typeof CONTAINER_LISTS)[number]): void {
    const containers = this.#listIn(spec, list);
    if (list === 'containers' && containers.length === 0) this.#note([list]);
    for (const [index, container] of containers.entries()) {
      if (!isJsonObject(container)) this.#note([list, index]);
      else this.#add(container, 'image', [list, index, 'image'], this.#placeOf(list, container, index));
    }
  }

  readVolumes(spec: JsonObject): void {
    for (const [index, volume] of this.#listIn(spec, 'volumes').entries()) {
      if (!isJsonObject(volume)) {
        this.#note(['volumes', index]);
        continue;
      }
      const source = own(volume, 'image');
      if (source === undefined || source === null) continue;
      const place = this.#placeOf('volumes', volume, index);
      if (!isJsonObject(source)) this.#note(['volumes', index, 'image']);
      else this.#add(source, 'reference', ['volumes', index, 'image', 'reference'], place);
    }
  }

  #listIn(spec: JsonObject, member: string): readonly JsonValue[] {
    const list = own(spec, member);
    if (list === undefined || list === null) return [];
    if (Array.isArray(list)) return list;
    this.#note([member]);
    return [];
  }

  #add(holder: JsonObject, member: string, path: Path, place: string): void {
    const image = own(holder, member);
    const isAbsent = image === undefined || image === null || image === '';
    if (isAbsent && this.#kind.kind !== 'Pod') return;
    if (isAbsent || typeof image !== 'string') this.#note(path);
    else this.#images.push({ pointer: jsonPointer([...this.#kind.path, ...path]), place, image });
  }

  #placeOf(list: string, { name }: JsonObject, index: number): string {
    const shown = typeof name === 'string' && /^[a-z0-9.-]{1,253}$/.test(name) ? name : `${index}`;
    return `${[...this.#kind.path, list].join('.')}[${shown}]`;
  }

  #note(path: Path): void {
    this.#malformed ??= [...this.#kind.path, ...path].join('.');
  }
}

function own(object: JsonObject, member: string): JsonValue | undefined {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}
