// Keeps checkpoints in a folder as fast as it can: node pin-writer.ts FOLDER KEY-PEM-FILE NOTES-JSON-FILE proven|seen
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { FilePins, readSignedCheckpoint } from '@colophon/pins';

const [folder, keyFile, notesFile, how] = process.argv.slice(2) as [string, string, string, string];
const publicKey = createPublicKey(readFileSync(keyFile));
const pins = new FilePins(folder);
for (const note of JSON.parse(readFileSync(notesFile, 'utf8')) as string[]) {
  const found = readSignedCheckpoint(note, publicKey);
  pins.keep({ origin: found.origin, publicKey }, found, how === 'proven');
  process.stdout.write(`${found.size}\n`);
}
