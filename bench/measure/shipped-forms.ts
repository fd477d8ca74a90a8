import { join } from 'node:path';
import { buildExecutables, executableFile } from '../../release/executable/build-executable.ts';
import { PLATFORMS } from '../../release/executable/node-binary.ts';
import { NAMES } from '../../release/names.ts';
import { buildProgram, PROGRAM_FOLDER } from '../../release/program/build-program.ts';

/** The words that each line begins with. */
export type ShippedForms = { readonly npm: readonly string[]; readonly executable: readonly string[] };

/** Builds npm program and executable for this machine. */
export async function buildShippedForms(): Promise<ShippedForms> {
  const here = `${process.platform}-${process.arch}`;
  const platform = PLATFORMS.find((name) => name === here);
  if (platform === undefined) throw new Error(`there is no executable for ${here}`);
  await buildProgram();
  await buildExecutables([platform]);
  return {
    npm: [process.execPath, join(PROGRAM_FOLDER, 'bin', `${NAMES.program}.cjs`)],
    executable: [executableFile(platform)],
  };
}
