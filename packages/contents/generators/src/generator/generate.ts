import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { inScratchFolder } from '@colophon/durable-file';
import { type Bom, type Component, MAX_BOM_BYTES, parseBom, type SpecVersion } from '@colophon/sbom';
import { GeneratorError } from '../generator-error/generator-error.ts';
import { findProgram } from '../program/find-program.ts';
import { programEnvironment } from '../program/program-environment.ts';
import { type ProgramEnd, runProgram } from '../program/run-program.ts';
import { type Call, GENERATORS, type Generator } from './generators.ts';
import { type Target, targetName } from './target.ts';

/** Seconds; scanning a large image takes minutes. */
const DEFAULT_GENERATOR_TIMEOUT_SECONDS = 600;

/** A generator that is there. */
export type FoundGenerator = { readonly generator: Generator; readonly file: string };

/** What a generator wrote. */
export type Generated = {
  readonly bom: Bom;
  readonly tool: { readonly name: string; readonly version?: string };
};

export type GenerateOptions = {
  /** What is wanted; the document may have an older version where the program cannot write this one. */
  readonly specVersion: SpecVersion;
  /** Of the artifact, for programs that ask. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** Leave out what is for development alone. */
  readonly omitsDev?: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
};

const SHOWN_LINES = 5;
const SPEC_VERSION_PROBLEM = /spec.?version|cyclonedx-json@|unsupported output format|allowed choices/i;

/** The generators that fit a target and are there, the best first. */
export function findGenerators(target: Target, env: NodeJS.ProcessEnv): FoundGenerator[] {
  return GENERATORS.filter((generator) => generator.fits(target)).flatMap((generator) => {
    const file = findProgram(generator.name, env['PATH']);
    return file === undefined ? [] : [{ generator, file }];
  });
}

/** Every generator that could make an SBOM of a target, and how people get it. */
export function installableGenerators(target: Target): string {
  return GENERATORS.filter((generator) => generator.fits(target))
    .map(({ name, install }) => `${name} (${install})`)
    .join(', ');
}

/**
 * Runs a generator over a target.
 * @throws GeneratorError `feeds.generator_failed` with the last lines that it wrote, `feeds.generator_timeout`,
 *   `feeds.generator_output`; ScratchError `scratch.folder_unusable`; the signal's reason where that aborts
 */
export function generate(found: FoundGenerator, target: Target, options: GenerateOptions): Promise<Generated> {
  return inScratchFolder('sbom', (scratch) => generateIn(scratch, found, target, options));
}

async function generateIn(
  scratch: string,
  { generator, file }: FoundGenerator,
  target: Target,
  {
    specVersion,
    name,
    version,
    omitsDev,
    env,
    timeoutSeconds = DEFAULT_GENERATOR_TIMEOUT_SECONDS,
    signal,
  }: GenerateOptions,
): Promise<Generated> {
  const { name: program, specVersions } = generator;
  const facts = { checked: `${program} (${file}) on ${targetName(target)}` };
  try {
    const asked = specVersions.filter((known) => known <= specVersion);
    const attempts = asked.length === 0 ? [specVersion] : asked;
    for (const [index, attempt] of attempts.entries()) {
      const call = generator.call(target, { specVersion: attempt, name, version, omitsDev, scratch });
      const end = await runProgram({
        file,
        args: call.args,
        cwd: scratch,
        env: environment(env, call),
        timeoutMs: timeoutSeconds * 1000,
        maxBytes: MAX_BOM_BYTES,
        signal,
      });
      if (end.exitCode === 0) return read(program, await output(call, end));
      // It does not know so new a version of CycloneDX: an older one is upgraded afterwards.
      if (index < attempts.length - 1 && SPEC_VERSION_PROBLEM.test(end.stderr)) continue;
      throw new GeneratorError('feeds.generator_failed', `${program} ended with exit code ${end.exitCode}`, {
        found: lastLines(end.stderr),
        ...(target.kind === 'folder' && { next: 'colophon sbom create --generator lockfile' }),
      });
    }
    throw new TypeError('generate: no version of CycloneDX was tried');
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    const message = error.message.startsWith('it ') ? `${program}: ${error.message}` : error.message;
    throw new GeneratorError(error.code, message, { ...facts, ...error.facts, cause: error.cause });
  }
}

function environment(env: NodeJS.ProcessEnv, { env: own }: Call): NodeJS.ProcessEnv {
  // The Node that runs this is there for a generator that needs one.
  const path = [env['PATH'], dirname(process.execPath)].filter(Boolean).join(delimiter);
  return programEnvironment(env, { PATH: path, LC_ALL: 'C', TZ: 'UTC', NO_COLOR: '1', ...own });
}

async function output({ outputFile }: Call, { stdout }: ProgramEnd): Promise<Uint8Array> {
  if (outputFile === undefined) return stdout;
  const size = statSync(outputFile, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new GeneratorError('feeds.generator_output', 'it wrote nothing');
  if (size > MAX_BOM_BYTES)
    throw new GeneratorError('feeds.generator_output', `it wrote more than ${MAX_BOM_BYTES} bytes`);
  return readFile(outputFile);
}

function read(program: string, bytes: Uint8Array): Generated {
  const parsed = parseBom(bytes);
  if (!parsed.ok) {
    const [issue] = parsed.issues;
    throw new GeneratorError('feeds.generator_output', `it wrote no CycloneDX document: ${issue?.message}`);
  }
  const bom = parsed.value;
  const tools = bom.metadata?.tools;
  const listed = (
    Array.isArray(tools) ? tools : ((tools as { components?: unknown } | undefined)?.components ?? [])
  ) as Component[];
  const named = Array.isArray(listed) ? listed.find((tool) => tool?.name === program) : undefined;
  const version = /\d/.test(named?.version ?? '') ? named?.version : undefined;
  return { bom, tool: { name: program, ...(version !== undefined && { version }) } };
}

function lastLines(text: string): string {
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  return lines.slice(-SHOWN_LINES).join(' | ').slice(-1000);
}
