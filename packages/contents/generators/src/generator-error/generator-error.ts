import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** There is no such folder, file or image. */
  'feeds.target_unknown': 'usage',
  /** No program that makes SBOMs of such a thing is there, and no lockfile that is read. */
  'feeds.generator_missing': 'usage',
  /** The program ended with an error. */
  'feeds.generator_failed': 'machine',
  /** The program took longer than it may. */
  'feeds.generator_timeout': 'machine',
  /** The program wrote more than it may, or no CycloneDX document. */
  'feeds.generator_output': 'machine',
  /** A lockfile of a kind or version that is not read. */
  'feeds.lockfile_unsupported': 'usage',
  /** A lockfile that is not what its name says. */
  'feeds.lockfile_invalid': 'usage',
} as const;

/** One of {@link GeneratorError.codes}. */
export type GeneratorErrorCode = keyof typeof KINDS;

/** What making an SBOM and running a program throw. No message, fact or cause holds a credential. */
export const GeneratorError = declareErrors('GeneratorError', KINDS, (facts: Facts) => ({ facts }));
export type GeneratorError = InstanceType<typeof GeneratorError>;

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
};
