import { createHash } from 'node:crypto';

/** Who made a commit, and when, as git writes it. */
export type Signature = { readonly name: string; readonly email: string; readonly seconds: number };

/**
 * The id of a commit that holds these files, as git computes it: SHA-1 of the commit, which names its tree by SHA-1.
 * @param files text by path, with `/`
 */
export function commitId(
  files: Readonly<Record<string, string>>,
  message: string,
  { name, email, seconds }: Signature,
  parent?: string,
): string {
  const who = `${name} <${email}> ${seconds} +0000`;
  const lines = [`tree ${treeId(files)}`, ...(parent === undefined ? [] : [`parent ${parent}`])];
  return objectId(
    'commit',
    Buffer.from(`${[...lines, `author ${who}`, `committer ${who}`].join('\n')}\n\n${message}\n`),
  );
}

/** The id of a folder: of each entry mode, name and id, in the order of their bytes; a folder sorts as if it ended in `/`. */
function treeId(files: Readonly<Record<string, string>>): string {
  const folders = new Map<string, Record<string, string>>();
  const entries: Array<{ readonly key: string; readonly mode: string; readonly name: string; readonly id: string }> =
    [];
  for (const [path, text] of Object.entries(files)) {
    const cut = path.indexOf('/');
    if (cut < 0) entries.push({ key: path, mode: '100644', name: path, id: objectId('blob', Buffer.from(text)) });
    else {
      const name = path.slice(0, cut);
      folders.set(name, { ...folders.get(name), [path.slice(cut + 1)]: text });
    }
  }
  for (const [name, inside] of folders) entries.push({ key: `${name}/`, mode: '40000', name, id: treeId(inside) });
  entries.sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
  const parts = entries.map(({ mode, name, id }) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  );
  return objectId('tree', Buffer.concat(parts));
}

/** SHA-1 over the kind and the length of an object, then its bytes. */
function objectId(kind: 'blob' | 'tree' | 'commit', content: Uint8Array): string {
  return createHash('sha1').update(`${kind} ${content.length}\0`).update(content).digest('hex');
}
