import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemReason } from '@colophon/durable-file';
import type { PolicyIssue } from '@colophon/policy-file';
import { ServerError } from '../server-error/server-error.ts';
import type { ClientConfiguration } from './configuration.ts';
import { parseConfiguration, readClientConfiguration } from './read-configuration.ts';

/** A configuration file that cannot be used. */
export class ConfigurationRefused extends ServerError {
  /** Every problem of the file; none where it could not be read at all. */
  readonly issues: readonly PolicyIssue[];

  constructor(file: string, found: string, issues: readonly PolicyIssue[] = []) {
    super('server.configuration_invalid', `${file} ${found}`);
    this.issues = issues;
  }
}

/** The text of a configuration file. @throws ConfigurationRefused where it cannot be read */
export function readConfigurationText(file: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new ConfigurationRefused(file, `cannot be read: ${systemReason(error)}`);
  }
  return textOf(file, bytes);
}

/** Its hash stands in the ledger, so no two files have one text. @throws ConfigurationRefused for what is no UTF-8 */
export function textOf(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ConfigurationRefused(file, 'is not UTF-8');
  }
}

/** The configuration that a text of the file is. @throws ConfigurationRefused */
export function configurationOf(file: string, text: string) {
  const parsed = parseConfiguration(text, { folder: dirname(resolve(file)) });
  if (parsed.ok) return parsed.value;
  throw new ConfigurationRefused(file, 'is no configuration', parsed.issues);
}

/** The configuration in a file. @throws ConfigurationRefused */
export function loadConfiguration(file: string) {
  return configurationOf(file, readConfigurationText(file));
}

/** What a configuration file says to a client of its services. @throws ConfigurationRefused */
export function loadClientConfiguration(file: string): ClientConfiguration {
  const parsed = readClientConfiguration(readConfigurationText(file), { folder: dirname(resolve(file)) });
  if (parsed.ok) return parsed.value;
  throw new ConfigurationRefused(file, 'is no configuration', parsed.issues);
}
