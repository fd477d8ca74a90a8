import type { JsonObject } from '@colophon/json';
import type { VexDocument, VexProfile } from '../vex-document/vex-document.ts';
import { toCycloneDx, type WrittenCycloneDx } from './cyclonedx-writer.ts';
import { toOpenVex, type WritingDefaults } from './openvex-writer.ts';
import { toSpec } from './spec-writer.ts';
import { type VexLoss, VexLosses } from './vex-loss.ts';

/** How a document is written. */
export type VexWriting = WritingDefaults & {
  readonly profile: VexProfile;
  /** Of CycloneDX; 1.6 where nothing is said, which more tools read. */
  readonly specVersion?: WrittenCycloneDx;
};

/** A JSON document, and what it does not say that the model does. */
export type WrittenVexDocument = { readonly document: JsonObject; readonly losses: readonly VexLoss[] };

/**
 * Writes a document in one of the shapes. The contract's shape becomes OpenVEX and is itself again without loss; what
 * any other way loses is in `losses`, as far as the model holds it (`notes` say what it does not hold).
 * @see contract §2.6; docs/vex.md
 */
export function writeVexDocument(document: VexDocument, writing: VexWriting): WrittenVexDocument {
  const losses = new VexLosses();
  const written =
    writing.profile === 'spec'
      ? toSpec(document, losses)
      : writing.profile === 'cyclonedx'
        ? toCycloneDx(document, writing.specVersion ?? '1.6')
        : toOpenVex(document, writing, losses);
  return { document: written, losses: losses.list() };
}
