import type { PublicationName } from '../publication-rules/publication-name.ts';
import type { PublishingSource } from '../publishing-target/publishing-target.ts';
import { readIndex } from './publish.ts';

/**
 * The newest version of every artifact that is published at a place, by name; none where nothing was published yet.
 * @throws PublishingError `publishing.index_invalid`, and what the source refuses
 */
export async function currentPublications(source: PublishingSource): Promise<readonly PublicationName[]> {
  const { index } = await readIndex(source);
  return (index?.artifacts ?? []).flatMap(({ artifact, latest }) =>
    latest === undefined ? [] : [{ artifact, version: latest }],
  );
}
