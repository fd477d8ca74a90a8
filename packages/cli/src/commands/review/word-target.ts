import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { imageSubjects, type WordImage } from '@colophon/evidence/client';
import type { Subject } from '@colophon/records';
import { hashFile } from '@colophon/sigstore';
import { withFacts } from '../../cli-error/cli-error.ts';
import { resolveImage } from '../../image/image.ts';
import { assertReadableFile } from '../../input/input.ts';
import type { Session } from '../../program/program.ts';

/** Where a person's word goes: onto an image in a registry, or into a file. */
export type WordPlace =
  | (WordImage & { readonly kind: 'image'; readonly reference: string })
  | { readonly kind: 'file'; readonly artifact: string };

/** What a person speaks about, beside a commit. */
export type WordTarget = {
  readonly place: WordPlace;
  /** The image with every manifest in it, or the file; none where only the commit is meant. */
  readonly subjects: readonly Subject[];
  /** What the file of a bundle is called after. */
  readonly bundleName: string;
};

/** Finds out what `target` is: an image, a file, or nothing but the commit. */
export async function wordTarget(target: string | undefined, commit: Subject, session: Session): Promise<WordTarget> {
  if (target === undefined) {
    const artifact = `commit ${commit.digest['gitCommit']}`;
    return { place: { kind: 'file', artifact }, subjects: [], bundleName: `commit-${commit.digest['gitCommit']}` };
  }
  if (isFileName(target)) {
    assertReadableFile(target);
    const subject = { name: basename(target), digest: { sha256: (await hashFile(target)).sha256 } };
    return { place: { kind: 'file', artifact: target }, subjects: [subject], bundleName: target };
  }
  return withFacts({ checked: target }, async () => {
    const { client, image } = await resolveImage(target, session);
    const subjects = await imageSubjects({ client, image });
    const place: WordPlace = { kind: 'image', reference: target, client, image };
    return { place, subjects, bundleName: image.digest.replace(':', '-') };
  });
}

/** A name with a tag, a digest or a registry is an image's, unless there is a file of that name. */
export function isFileName(target: string): boolean {
  return existsSync(target) || !/[:@]/.test(target);
}
