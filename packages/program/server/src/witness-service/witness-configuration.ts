import { dirname, resolve as resolvePath } from 'node:path';
import { readPolicyFile } from '@colophon/policy-file';
import { isUpstreamAddress } from '@colophon/records';
import { DEFAULT_PREDICATE_BASE, isPredicateBase } from '@colophon/records/namespace';
import type { ProviderApi } from '@colophon/witness';
import { isListenAddress, isLoopbackAddress, isServiceAddress } from '../configuration/address-rule.ts';
import type { SecretReference } from '../configuration/configuration.ts';
import { ConfigurationRefused, readConfigurationText } from '../configuration/configuration-file.ts';
import { type IssueNotes, notesOf } from '../configuration/configuration-issue.ts';
import { readReference } from '../configuration/secret-reference.ts';
import { isUpstreamName } from '../configuration/witness-entry.ts';
import { WITNESS_SCHEMA, type WitnessFile } from './witness-schema.ts';

/** Where a witness listens. */
export type WitnessListen = {
  readonly address: string;
  readonly port: number;
  readonly tls?: { readonly certificateFile: string; readonly keyFile: string };
};

/** A server of models that a witness stands before. */
export type WitnessUpstream = {
  readonly name: string;
  readonly address: string;
  readonly api: ProviderApi;
  readonly credential: SecretReference;
  readonly header: 'x-api-key' | 'authorization';
  readonly caFile?: string;
};

/** What a witness's configuration file says. */
export type WitnessConfiguration = {
  readonly listen: WitnessListen & { readonly url?: string };
  readonly control: { readonly socket: string } | WitnessListen;
  readonly key: SecretReference;
  readonly dataDir: string;
  readonly issuer: string;
  readonly predicateBase: string;
  /** User of this machine; undefined where agents run elsewhere. */
  readonly agentUser?: string;
  readonly upstreams: readonly WitnessUpstream[];
  readonly callers: ReadonlyArray<{ readonly name: string; readonly secret: SecretReference }>;
};

type Path = readonly (string | number)[];
type Reading = { readonly notes: IssueNotes; readonly resolve: (path: string) => string };

/** Reads the configuration file of a witness; every problem at once. @throws ConfigurationRefused */
export function loadWitnessConfiguration(file: string): WitnessConfiguration {
  const document = readPolicyFile(readConfigurationText(file), WITNESS_SCHEMA);
  if ('issues' in document) throw new ConfigurationRefused(file, 'is no configuration', document.issues);
  const notes = notesOf(document);
  const folder = dirname(resolvePath(file));
  const value = readWitnessFile(document.data as WitnessFile, { notes, resolve: (path) => resolvePath(folder, path) });
  if (notes.issues.length > 0) throw new ConfigurationRefused(file, 'is no configuration', notes.issues);
  return value;
}

function readWitnessFile(file: WitnessFile, reading: Reading): WitnessConfiguration {
  const { notes, resolve } = reading;
  const { issuer, predicateBase = DEFAULT_PREDICATE_BASE, listen, callers } = file;
  if (!isServiceAddress(issuer)) {
    const expected = 'the address of the issuer, exactly as iss of its tokens';
    notes.note(['issuer'], 'configuration.issuer_invalid', 'no address of an issuer', expected);
  }
  if (!isPredicateBase(predicateBase)) {
    notes.note(['predicateBase'], 'configuration.namespace_invalid', 'no base of predicate types');
  }
  if (listen.url !== undefined && !isUpstreamAddress(listen.url)) {
    notes.note(['listen', 'url'], 'configuration.address_invalid', 'no http or https address');
  }
  const names = callers.map(({ name }) => name);
  names.forEach((name, index) => {
    if (names.indexOf(name) === index) return;
    notes.note(['callers', index, 'name'], 'configuration.name_repeated', 'another entry has it already');
  });
  return {
    listen: { ...readListen(listen, ['listen'], reading), ...(listen.url === undefined ? {} : { url: listen.url }) },
    control: readControl(file, reading),
    key: secretIn(file.key, ['key'], reading),
    dataDir: resolve(file.data),
    issuer,
    predicateBase,
    ...readAgent(file, notes),
    upstreams: Object.entries(file.upstreams).map(([name, upstream]) => readUpstream(name, upstream, reading)),
    callers: callers.map(({ name, secret }, index) => ({
      name,
      secret: secretIn(secret, ['callers', index, 'secret'], reading),
    })),
  };
}

function readListen({ address, port, tls }: WitnessFile['listen'], path: Path, reading: Reading): WitnessListen {
  const { notes, resolve } = reading;
  if (!isListenAddress(address)) notes.note([...path, 'address'], 'configuration.address_invalid', 'no address');
  else if (!isLoopbackAddress(address) && tls === undefined) {
    const message = 'credentials and prompts would cross the network in plain text';
    notes.note(path, 'configuration.exposed', message, 'tls: { certificate, key }');
  }
  if (tls === undefined) return { address, port };
  const keyFile = fileIn(tls.key, [...path, 'tls', 'key'], reading);
  return { address, port, tls: { certificateFile: resolve(tls.certificate), keyFile } };
}

function readControl({ control, agent }: WitnessFile, reading: Reading): WitnessConfiguration['control'] {
  const { notes, resolve } = reading;
  const { socket, address, port, tls } = control;
  if (socket !== undefined && (address ?? port ?? tls) === undefined) return { socket: resolve(socket) };
  if (socket !== undefined || address === undefined || port === undefined) {
    notes.note(
      ['control'],
      'configuration.witness_invalid',
      'it is not clear where runs are opened',
      'socket, or address and port',
    );
    return { socket: '' };
  }
  if (agent.user !== undefined) {
    const message = "the agent's user could connect to this address";
    notes.note(['control'], 'configuration.witness_invalid', message, 'control: { socket: PATH }');
  }
  return readListen({ address, port, ...(tls === undefined ? {} : { tls }) }, ['control'], reading);
}

function readAgent({ agent }: WitnessFile, notes: IssueNotes): { agentUser?: string } {
  if ((agent.user === undefined) === (agent.elsewhere === undefined)) {
    const message = 'it is not said where agents run';
    notes.note(['agent'], 'configuration.witness_invalid', message, 'user: NAME, or elsewhere: true');
  }
  return agent.user === undefined ? {} : { agentUser: agent.user };
}

const APIS: Readonly<Record<string, ProviderApi>> = { anthropic: 'anthropic', openai: 'openai' };

function readUpstream(name: string, upstream: WitnessFile['upstreams'][string], reading: Reading): WitnessUpstream {
  const { notes, resolve } = reading;
  const path = ['upstreams', name];
  if (!isUpstreamName(name)) {
    notes.note(path, 'configuration.witness_invalid', 'no name of an upstream', '1 to 64 of a-z 0-9 . _ -');
  }
  if (!isUpstreamAddress(upstream.address)) {
    const expected = 'an http or https address, without credentials and query';
    notes.note([...path, 'address'], 'configuration.witness_invalid', 'no address of an upstream', expected);
  }
  const api = upstream.api ?? (Object.hasOwn(APIS, name) ? APIS[name] : undefined);
  if (api === undefined) {
    notes.note(
      path,
      'configuration.witness_invalid',
      'it is not said whose clients it is for',
      'api: anthropic, or openai',
    );
  }
  return {
    name,
    address: upstream.address,
    api: api ?? 'openai',
    credential: secretIn(upstream.credential, [...path, 'credential'], reading),
    header: upstream.header ?? (api === 'anthropic' ? 'x-api-key' : 'authorization'),
    ...(upstream.ca === undefined ? {} : { caFile: resolve(upstream.ca) }),
  };
}

function secretIn(text: string, path: Path, { notes, resolve }: Reading): SecretReference {
  return readReference(text, path, notes, resolve) ?? { env: '' };
}

function fileIn(text: string, path: Path, { notes, resolve }: Reading): string {
  if (text.startsWith('file:') && text.length > 'file:'.length) return resolve(text.slice('file:'.length));
  notes.note(path, 'configuration.reference_invalid', 'a key is in a file', 'file:PATH');
  return text;
}
