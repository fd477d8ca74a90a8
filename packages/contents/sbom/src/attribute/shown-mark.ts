import type { SupportedMark } from './attribute-bom.ts';
import type { AttributedResult } from './attributed-result.ts';

/** A supported mark as results show it. */
export function shownMark({
  bundle,
  contents,
  earlier,
  ...mark
}: SupportedMark): AttributedResult['supported'][number] {
  return {
    ...mark,
    bundle_digest: bundle,
    contents: contents.map(({ is, sha256, ...content }) => ({
      ...content,
      state: is,
      ...(sha256 !== undefined && { digest: `sha256:${sha256}` }),
    })),
    earlier_bundle_digests: earlier,
  };
}
