import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { type ApprovedImage, approvedImage, imageSubjects, type WordImage } from '@colophon/evidence/client';
import type { ReviewTarget, Subject } from '@colophon/records';
import { hashFile } from '@colophon/sigstore';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
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
  /** What was named: the image, the file or the commit. */
  readonly target: ReviewTarget;
  /**
   * The file, or the image: for a no with every manifest in it, for a yes with those that are approved too. None where only the
   * commit is meant.
   */
  readonly subjects: readonly Subject[];
  /** Of a yes to an image. */
  readonly approved?: ApprovedImage;
  /** What the file of a bundle is called after. */
  readonly bundleName: string;
};

/** What is said: a no to all that is named, or a yes to what was looked at. */
type Saying = { readonly says: 'no' } | { readonly says: 'yes'; readonly platforms: boolean };

/**
 * Finds out what `target` is: an image, a file, or nothing but the commit.
 * @throws CliError `cli.usage` where platforms are asked for and there is no index
 */
export async function wordTarget(
  target: string | undefined,
  commit: Subject,
  session: Session,
  saying: Saying = { says: 'no' },
): Promise<WordTarget> {
  const asksForPlatforms = saying.says === 'yes' && saying.platforms;
  if (target === undefined) {
    const id = commit.digest['gitCommit'];
    if (asksForPlatforms) throw noIndex(`commit ${id}`);
    return {
      place: { kind: 'file', artifact: `commit ${id}` },
      target: { kind: 'commit', digest: `gitCommit:${id}` },
      subjects: [],
      bundleName: `commit-${id}`,
    };
  }
  if (isFileName(target)) {
    if (asksForPlatforms) throw noIndex(target);
    assertReadableFile(target);
    const { sha256 } = await hashFile(target);
    return {
      place: { kind: 'file', artifact: target },
      target: { kind: 'file', digest: `sha256:${sha256}` },
      subjects: [{ name: basename(target), digest: { sha256 } }],
      bundleName: target,
    };
  }
  return withFacts({ checked: target }, async () => {
    const { client, image } = await resolveImage(target, session);
    const found = {
      place: { kind: 'image', reference: target, client, image },
      target: { kind: 'image', digest: image.digest },
      bundleName: image.digest.replace(':', '-'),
    } as const;
    if (saying.says === 'no') return { ...found, subjects: await imageSubjects({ client, image }) };
    const approved = await approvedImage({ client, image }, saying);
    if (asksForPlatforms && approved.listed === 0) throw noIndex(target);
    return { ...found, subjects: approved.subjects, approved };
  });
}

function noIndex(found: string): CliError {
  return new CliError('cli.usage', '--platforms is for an image index', { expected: 'an image index', found });
}

/** A name with a tag, a digest or a registry is an image's, unless there is a file of that name. */
export function isFileName(target: string): boolean {
  return existsSync(target) || !/[:@]/.test(target);
}
