import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** How a helper process is started. */
type ScriptOptions = {
  /** The most memory that its objects may take, in MiB. */
  readonly heapMb: number;
};

/**
 * Where a bundled program has what is a file of its own in a checkout: beside the bundle, or inside an executable.
 */
type Carrier = {
  /** @param name as in `readAsset` */
  readAsset(name: string): Uint8Array;
  /** @param name as in `forkScript` */
  forkScript(name: string, options: ScriptOptions): ChildProcess;
};

let carrier: Carrier | undefined;

/** Said once, before anything is read, by a program that is not run from a checkout. */
export function useCarrier(carried: Carrier): void {
  carrier = carried;
}

/**
 * Reads a file that an npm package ships.
 * @param name the package and the path in it: `tree-sitter-c/tree-sitter-c.wasm`
 * @param locate gives the URL of the file where the package is installed
 * @throws Error of the file system where the installation is not whole
 */
export function readAsset(name: string, locate: () => string): Uint8Array {
  return carrier === undefined ? readFileSync(fileURLToPath(locate())) : carrier.readAsset(name);
}

/**
 * Runs a script as a process of its own, with a channel for messages and no other input or output.
 * @param name of the script where it is carried
 * @param source the script in a checkout
 */
export function forkScript(name: string, source: URL, options: ScriptOptions): ChildProcess {
  return carrier === undefined ? forkFile(fileURLToPath(source), options) : carrier.forkScript(name, options);
}

/** Runs a script file by the Node.js that runs this. */
export function forkFile(file: string, { heapMb }: ScriptOptions): ChildProcess {
  // Most commands start no process, and loading the module takes a tenth of a short command's time.
  return process.getBuiltinModule('node:child_process').fork(file, [], {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: scriptStdio(),
  });
}

/** No input, no output, and a channel. A root without devices has nothing that could be opened in their place. */
export function scriptStdio(): Array<'ignore' | 'pipe' | 'ipc'> {
  const none = process.platform === 'win32' || existsSync('/dev/null') ? 'ignore' : 'pipe';
  return [none, none, none, 'ipc'];
}
