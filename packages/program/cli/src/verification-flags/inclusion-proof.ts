import type { Command } from 'commander';

/** The flag of {@link withInclusionProof}. */
export type InclusionProofFlags = { readonly requireInclusionProof?: boolean };

/** Adds `--require-inclusion-proof` to a command that verifies. */
export function withInclusionProof(command: Command): Command {
  return command.option(
    '--require-inclusion-proof',
    "demand the log's inclusion proof also where less would do: the log's promise in older formats, a bare .sig by a key",
  );
}
