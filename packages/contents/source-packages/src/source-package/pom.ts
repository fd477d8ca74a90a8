/** Coordinates of an artifact in a Maven repository. */
export type Coordinates = { readonly group: string; readonly artifact: string; readonly version: string };

/** The licences of a POM; several of them are a choice, as Maven defines it. */
export function pomLicence(pom: string): string | undefined {
  const licences = elementOf(withoutComments(pom), 'licenses') ?? '';
  const names = [...licences.matchAll(/<name>([^<]*)<\/name>/g)].map(([, name]) => decoded(name as string));
  return names.length > 1 ? names.join(' OR ') : names[0];
}

/** The POM that a POM inherits from. */
export function pomParent(pom: string): Coordinates | undefined {
  const parent = elementOf(withoutComments(pom), 'parent') ?? '';
  const part = (name: string) => /^\s*([A-Za-z0-9_.+-]+)\s*$/.exec(elementOf(parent, name) ?? '')?.[1];
  const [group, artifact, version] = [part('groupId'), part('artifactId'), part('version')];
  return group !== undefined && artifact !== undefined && version !== undefined
    ? { group, artifact, version }
    : undefined;
}

/** What stands in the first element of a name. Searched for as text: a pattern over a whole document can be slow. */
function elementOf(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = start === -1 ? -1 : xml.indexOf(`</${name}>`, start);
  return end === -1 ? undefined : xml.slice(start + name.length + 2, end);
}

function withoutComments(xml: string): string {
  const [first = '', ...rest] = xml.split('<!--');
  return first + rest.map((part) => (part.includes('-->') ? part.slice(part.indexOf('-->') + 3) : '')).join('');
}

function decoded(text: string): string {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_all, name: string) => entities[name] as string).trim();
}
