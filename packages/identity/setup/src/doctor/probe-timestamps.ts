import { randomBytes } from 'node:crypto';
import { shownAddress } from '@colophon/peer';
import { requestTimestamp, SigningError, timestampTime } from '@colophon/sigstore';
import { type Examined, rootsOf, signingConfigOf } from './examined.ts';
import { type Finding, fault, fine } from './finding.ts';
import type { Questions } from './questions.ts';
import { unreachable } from './unreachable.ts';

/** Whether timestamps are to be had where they are needed, and count. */
export async function probeTimestamps(
  examined: Examined,
  questions: Questions,
  fetch: typeof globalThis.fetch | undefined,
): Promise<readonly Finding[]> {
  const { tsaUrl, rekorMajorVersion } = examined.services;
  const file = signingConfigOf(examined);
  if (tsaUrl === undefined) {
    if (rekorMajorVersion === 1) return [fine('timestamps', 'the log tells the time: none are needed')];
    return [
      fault('timestamps', {
        code: 'doctor.timestamps_missing',
        refusal: 'timestamp.missing',
        message: 'a log of Rekor v2 tells no time, and no timestamp authority is named',
        file,
        advice: 'add tsaUrls, and timestampAuthorities to the trusted root',
      }),
    ];
  }
  const probe = randomBytes(32);
  let reply: Buffer;
  try {
    reply = await requestTimestamp(tsaUrl, probe, { fetch, retries: 0, timeoutMs: 10_000 });
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    const found = {
      code: 'doctor.timestamps_unreachable',
      refusal: error.code,
      message: error.message,
      file,
      advice: 'start the timestamp authority, or correct tsaUrls: of timestamp-server it ends with /api/v1/timestamp',
    } as const;
    return [unreachable('timestamps', found, error.status === undefined ? error.message : undefined)];
  }
  const { time, isPinned } = timestampTime(reply, probe, examined.trust);
  if (time !== undefined) questions.noteTime('timestamp authority', time.getTime());
  if (isPinned) return [fine('timestamps', `${shownAddress(tsaUrl)} gives timestamps that count`)];
  return [
    fault('timestamps', {
      code: 'doctor.timestamps_not_pinned',
      refusal: 'timestamp.invalid',
      message: 'no trusted root has this timestamp authority in force',
      file: rootsOf(examined),
      advice: 'colophon init … --replace, after comparing the certificates with whoever runs the authority',
    }),
  ];
}
