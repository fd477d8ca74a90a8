import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Configuration, dataFolderIn, loadConfiguration } from '@colophon/server/configuration';
import type { Command } from 'commander';
import { dataFolder } from '../home/home.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { asConfigurationError, configurationFile } from './configuration-file.ts';

/** Where an issuer keeps its data, and its configuration where that is named. */
export type IssuerPlace = {
  readonly dataDir: string;
  /** The global `--data` of the line. */
  readonly data: string | undefined;
  readonly configuration: Configuration | undefined;
};

/**
 * The issuer that a command of its operator is about: the global `--data`, else the `data` of `--config` or
 * $COLOPHON_CONFIG, else the user's own data folder.
 * @throws ServerError `server.configuration_invalid`
 */
export function issuerPlace(command: Command, { env }: Session): IssuerPlace {
  const { data, file } = named(command, env);
  const configuration = file === undefined ? undefined : load(file);
  return { dataDir: dataFolder(env, data ?? configuration?.fixed.dataDir), data, configuration };
}

/** The same for what must be done at once, whatever else the file says: it has to name its data folder, no more. */
export function issuerPlaceAtOnce(command: Command, { env }: Session): IssuerPlace {
  const { data, file } = named(command, env);
  const configuration = file === undefined ? undefined : loadIfInOrder(file);
  const folder = data === undefined && file !== undefined ? (configuration?.fixed.dataDir ?? dataFolderOf(file)) : data;
  return { dataDir: dataFolder(env, folder), data, configuration };
}

function named(command: Command, env: NodeJS.ProcessEnv) {
  const data = dataFlag(command);
  return { data, file: configurationFile(env, command.opts<{ config?: string }>().config) };
}

function load(file: string): Configuration {
  try {
    return loadConfiguration(file);
  } catch (error) {
    throw asConfigurationError(file, error);
  }
}

/** A file that is not in order says nothing but where its data is. */
function loadIfInOrder(file: string): Configuration | undefined {
  try {
    return loadConfiguration(file);
  } catch {
    return undefined;
  }
}

/** A file that does not say it is refused with everything that is wrong with it. */
function dataFolderOf(file: string): string {
  const folder = dataFolderIn(textOf(file));
  return folder === undefined ? load(file).fixed.dataDir : resolve(dirname(resolve(file)), folder);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
