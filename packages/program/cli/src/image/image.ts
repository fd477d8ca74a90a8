import { dockerCredentials, imageToFetch, RegistryClient, type ResolvedImage } from '@colophon/sigstore';
import type { Session } from '../program/program.ts';
import { coloursFor, oneLine } from '../terminal/terminal.ts';

/** The image behind a reference. A tag is resolved once, here, and said; from then on only the digest counts. */
export async function resolveImage(
  reference: string,
  session: Session,
): Promise<{ client: RegistryClient; image: ResolvedImage }> {
  const client = new RegistryClient({ credentials: dockerCredentials(session.env) });
  const image = await client.resolve(imageToFetch(reference));
  sayResolved(reference, image, session);
  return { client, image };
}

/** Says which digest a tag stood for; nothing where the reference names the digest itself. */
export function sayResolved(reference: string, { digest }: ResolvedImage, { terminal }: Session): void {
  if (imageToFetch(reference).digest !== undefined) return;
  terminal.stderr.write(coloursFor(terminal).dim(`${oneLine(reference)} is ${digest}\n`));
}
