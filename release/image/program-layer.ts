import { readFileSync } from 'node:fs';
import { NAMES } from '../names.ts';
import { NONROOT, withFolders } from './debian-layer.ts';
import type { TarEntry } from './tar.ts';

/** Where the program is in the image. */
export const PROGRAM: string = `/usr/bin/${NAMES.program}`;
/** The one folder that outlives a container. */
export const STATE: string = `/var/lib/${NAMES.program}`;

/** The layer of the program, and of the folder that its user may write to. */
export function programLayer(executable: string, licence: string): TarEntry[] {
  const copyright = `usr/share/doc/${NAMES.program}/copyright`;
  return withFolders([
    { type: 'file', path: PROGRAM.slice(1), mode: 0o755, content: { file: executable } },
    { type: 'file', path: copyright, mode: 0o644, content: readFileSync(licence) },
    { type: 'directory', path: STATE.slice(1), mode: 0o700, uid: NONROOT },
  ]);
}
