import { dockerCredentials, parseImageReference, RegistryClient, type ResolvedImage } from '@colophon/sigstore';
import type { Session } from '../program/program.ts';
import { coloursFor, oneLine } from '../terminal/terminal.ts';

/** The image behind a reference. A tag is resolved once, here, and said; from then on only the digest counts. */
export async function resolveImage(
  reference: string,
  { terminal, env }: Session,
): Promise<{ client: RegistryClient; image: ResolvedImage }> {
  const parsed = parseImageReference(reference);
  const client = new RegistryClient({ credentials: dockerCredentials(env) });
  const image = await client.resolve(parsed);
  if (parsed.digest === undefined) {
    terminal.stderr.write(coloursFor(terminal).dim(`${oneLine(reference)} is ${image.digest}\n`));
  }
  return { client, image };
}
