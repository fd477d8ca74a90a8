import { versionKey } from '@colophon/notation';
import type { FindingComponent } from '@colophon/records';
import { type ComponentIdentity, identifyComponent } from './component-identity.ts';

/** What a component is, and a text that is equal for all that are the same in the same version. */
export type KnownComponent = { readonly identity: ComponentIdentity; readonly key: string };

/** Components, each looked at once: a few thousand have all the findings. */
export class ComponentIndex {
  /** By package URL, where that alone says what it is. */
  readonly #byPurl = new Map<string, KnownComponent>();
  readonly #byText = new Map<string, KnownComponent>();

  of(component: FindingComponent): KnownComponent {
    const { name, version = '', purl = '' } = component;
    const byPurl = this.#byPurl.get(purl);
    if (byPurl !== undefined) return byPurl;
    const text = `${purl}\0${name}\0${version}`;
    const byText = this.#byText.get(text);
    if (byText !== undefined) return byText;
    const identity = identifyComponent(component);
    const type = identity.package?.split('/')[0] ?? '';
    const stated = identity.version === undefined ? '' : versionKey(type, identity.version);
    const known = { identity, key: `${identity.package ?? `\0${identity.names[0]}`}\0${stated}` };
    const { package: found, version: inPurl } = identifyComponent({ name: '', purl });
    if (found !== undefined && inPurl !== undefined) this.#byPurl.set(purl, known);
    else this.#byText.set(text, known);
    return known;
  }
}
