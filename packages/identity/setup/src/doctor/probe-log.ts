import { createHash, createPublicKey } from 'node:crypto';
import { shownAddress, underBase } from '@colophon/peer';
import { type Examined, rootsOf, signingConfigOf } from './examined.ts';
import { type Finding, fault, fine } from './finding.ts';
import { type Questions, saidBy, silenceOf } from './questions.ts';
import { unreachable } from './unreachable.ts';

/** Whether the log is there, of the version that clients speak to it, and pinned. */
export async function probeLog(examined: Examined, questions: Questions): Promise<readonly Finding[]> {
  const { rekorUrl, rekorMajorVersion } = examined.services;
  const keyUrl = underBase(rekorUrl, '/api/v1/log/publicKey');
  const answer = await questions.ask('log', keyUrl);
  const entriesUrl = underBase(rekorUrl, '/api/v2/log/entries');
  // Rekor v2 has no paths of v1, and refuses an entry that says nothing.
  const second =
    answer.status === 404 || answer.status === 405 ? await questions.ask('log', entriesUrl, '{}') : undefined;
  const version = answer.isOk ? 1 : second?.status === 400 ? 2 : undefined;
  if (version === undefined) {
    const found = {
      code: 'doctor.log_unreachable',
      refusal: 'signing.log_unavailable',
      message: `no transparency log answers: ${second === undefined ? saidBy(keyUrl, answer) : saidBy(entriesUrl, second)}`,
      file: signingConfigOf(examined),
      advice: 'start Rekor, or correct rekorTlogUrls',
    } as const;
    return [unreachable('log', found, silenceOf(answer))];
  }
  if (version !== rekorMajorVersion) {
    return [
      fault('log', {
        code: 'doctor.log_version',
        refusal: 'signing.log_refused',
        message: `the log is a Rekor v${version}`,
        expected: `majorApiVersion: ${version}`,
        found: `majorApiVersion: ${rekorMajorVersion}`,
        file: signingConfigOf(examined),
        advice: `majorApiVersion: ${version} of this log${version === 2 ? ', and a timestamp authority' : ''}`,
      }),
    ];
  }
  const isPinned = version === 1 && answer.isOk ? isKeyPinned(answer.body, examined) : isHostPinned(examined);
  if (isPinned) return [fine('log', `${shownAddress(rekorUrl)} is a Rekor v${version}, and its key is trusted`)];
  return [
    fault('log', {
      code: 'doctor.log_not_pinned',
      refusal: 'log_entry.untrusted_log',
      message:
        version === 1
          ? 'no trusted root has the key of this log'
          : 'no trusted root names a log of this host, whose name stands in its checkpoints',
      file: rootsOf(examined),
      advice: 'colophon init … --replace, after comparing the key with whoever runs the log',
    }),
  ];
}

function isKeyPinned(pem: Uint8Array, { trust }: Examined): boolean {
  try {
    const spki = createPublicKey(Buffer.from(pem)).export({ type: 'spki', format: 'der' });
    const id = createHash('sha256').update(spki).digest();
    return trust.logs.some(({ logId }) => Buffer.compare(logId, id) === 0);
  } catch {
    return false;
  }
}

/** Its key is told nowhere: that it is the pinned one shows with the first entry. */
function isHostPinned({ trust, services }: Examined): boolean {
  const { hostname } = new URL(services.rekorUrl);
  return trust.logs.some(({ baseUrl }) => URL.canParse(baseUrl) && new URL(baseUrl).hostname === hostname);
}
