import type { SignaturePacket } from 'openpgp';
import { armoredText } from '../key/public-keys.ts';
import { OpenPgpError } from '../openpgp-error/openpgp-error.ts';

/** Far more than people sign one document; what has more was made to be slow. */
const MOST_SIGNATURES = 32;
const MOST_BYTES = 1024 * 1024;

const BEGIN = '-----BEGIN PGP ';
const SIGNATURE_HEAD = `${BEGIN}SIGNATURE-----`;
const SIGNATURE_FOOT = '-----END PGP SIGNATURE-----';

/**
 * The signatures of a `.asc` file, in its order: one block with several, or several blocks one after the other. A
 * binary `.sig` is read too.
 * @throws OpenPgpError `openpgp.signature_unreadable`, `openpgp.not_detached`
 */
export async function readDetachedSignature(file: string | Uint8Array): Promise<readonly SignaturePacket[]> {
  if (file.length > MOST_BYTES) throw unreadable(`it is longer than ${MOST_BYTES} bytes`);
  const armored = armoredText(file);
  const blocks = armored === undefined ? [file as Uint8Array] : blocksOf(armored);
  const packets: SignaturePacket[] = [];
  for (const block of blocks) packets.push(...(await packetsOf(block)));
  if (packets.length === 0) throw unreadable('it holds none');
  if (packets.length > MOST_SIGNATURES) throw unreadable(`it holds ${packets.length}, and ${MOST_SIGNATURES} are read`);
  return packets;
}

/** The armored blocks. Text between them is no part of anything, so that nobody takes it for signed. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let rest = text.trimStart();
  while (rest !== '') {
    if (!rest.startsWith(SIGNATURE_HEAD)) throw notDetached(rest);
    const end = rest.indexOf(SIGNATURE_FOOT);
    if (end < 0) throw unreadable('it has no end');
    const cut = end + SIGNATURE_FOOT.length;
    blocks.push(`${rest.slice(0, cut)}\n`);
    if (blocks.length > MOST_SIGNATURES) throw unreadable(`it holds more than ${MOST_SIGNATURES}`);
    rest = rest.slice(cut).trimStart();
  }
  return blocks;
}

function notDetached(text: string): OpenPgpError {
  if (!text.startsWith(BEGIN)) return unreadable('it does not begin as an armored signature does');
  return new OpenPgpError('openpgp.not_detached', 'the file is no signature apart from its document', {
    expected: SIGNATURE_HEAD,
    found: text.slice(0, 40).split(/[\r\n]/, 1)[0] ?? '',
    next: 'gpg --armor --detach-sign FILE',
  });
}

async function packetsOf(block: string | Uint8Array): Promise<readonly SignaturePacket[]> {
  const { readSignature } = await import('openpgp');
  try {
    const { packets } = await (typeof block === 'string'
      ? readSignature({ armoredSignature: block })
      : readSignature({ binarySignature: block }));
    return packets;
  } catch (cause) {
    throw unreadable('it cannot be decoded', { cause });
  }
}

function unreadable(why: string, options?: ErrorOptions): OpenPgpError {
  return new OpenPgpError('openpgp.signature_unreadable', `the file is no OpenPGP signature: ${why}`, {
    expected: 'what `gpg --armor --detach-sign` writes',
    ...options,
  });
}
