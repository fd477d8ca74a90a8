import type { Command } from 'commander';
import { addCommands, type CommandEntry } from '../../program/command-table.ts';
import type { Session } from '../../program/program.ts';

const SBOM_COMMANDS: readonly CommandEntry[] = [
  {
    term: 'create [options] [target]',
    description: 'make the SBOM of a folder, a lockfile or an image, by an installed generator or from the lockfile',
    load: async () => (await import('./create.ts')).defineCreate,
  },
  {
    term: 'validate [options] <file...>',
    description:
      'check CycloneDX JSON (1.2 to 1.7): official schema, references, package URLs, AI attribution; exit 20 if invalid',
    load: async () => (await import('./validate.ts')).defineValidate,
  },
  {
    term: 'patch [options] <file>',
    description: 'change a document: the version is counted, the serial number stays, the result is valid or refused',
    load: async () => (await import('./patch.ts')).definePatch,
  },
  {
    term: 'diff [options] <before> <after>',
    description: 'compare what two documents say: components, licences, what agents wrote, dependencies',
    load: async () => (await import('./diff.ts')).defineDiff,
  },
  {
    term: 'attribute [options] <file>',
    description: 'mark the components that agents wrote, from agent runs that are verified here',
    load: async () => (await import('./attribute.ts')).defineAttribute,
  },
  {
    term: 'convert [options] <file>',
    description: 'write AI attribution in the other profile or variant, or in another version of CycloneDX',
    load: async () => (await import('./convert.ts')).defineConvert,
  },
  {
    term: 'similarity [options] <path...>',
    description: 'compare source files with each other or with packages: score, verdict, matching lines',
    load: async () => (await import('./similarity.ts')).defineSimilarity,
  },
  {
    term: 'vendor [options] <path>',
    description: 'describe code that was made from a package: source, licence, similarity',
    load: async () => (await import('./vendor.ts')).defineVendor,
  },
  {
    term: 'licenses [options] <file>',
    description: 'check the licence of every component against a list; exit 20 with every refused component',
    load: async () => (await import('./licenses.ts')).defineLicenses,
  },
  {
    term: 'comments [options] [path...]',
    description: 'find blocks written by agents that have no attribution comment; exit 20 if there are any',
    load: async () => (await import('./comments.ts')).defineComments,
  },
  {
    term: 'publish [options] <file>',
    description: 'sign an SBOM and publish both below .well-known/sbom; --check verifies that they can be fetched',
    load: async () => (await import('./publish.ts')).definePublish,
  },
  {
    term: 'fetch [options] <artifact[@version]>',
    description: 'fetch a published SBOM (without @version, the latest) and verify it before it is written',
    load: async () => (await import('./fetch.ts')).defineFetch,
  },
  {
    term: 'retention',
    description: 'published SBOMs are kept for at least 3 years: check and restore',
    load: async () => (await import('./retention.ts')).defineRetention,
  },
  {
    term: 'unpublish [options] <artifact@version>',
    description: 'delete a published SBOM that need not be kept any longer',
    load: async () => (await import('./retention.ts')).defineUnpublish,
  },
  {
    term: 'upload [options] <file>',
    description: 'upload to a Dependency-Track dashboard, wait for it, and show its findings',
    load: async () => (await import('./upload.ts')).defineUpload,
  },
];

/** `colophon sbom …`: documents that say what agents wrote, in the order in which a document goes through them. */
export function defineSbom(sbom: Command, session: Session): void {
  addCommands(sbom, SBOM_COMMANDS, session);
}
