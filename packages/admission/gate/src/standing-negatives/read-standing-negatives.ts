import type { NegativesList, NegativesSource, NegativesView } from '@colophon/admission';
import { isTimestamp } from '@colophon/notation';
import {
  joinNegativesPages,
  type NegativesPage,
  parseStandingNegatives,
  type StandingNegatives,
  standingNegativesType,
  typesUnder,
} from '@colophon/records';
import { createIdentityPolicy, type TrustMaterial, verifyBundle } from '@colophon/sigstore';
import type { SequencePins } from '../sequence-pin/sequence-pins.ts';
import type { FetchedList } from './fetch-negatives.ts';

/** How far the clock of the list's signer may be ahead of ours. */
export const CLOCK_SKEW_MS = 300_000;

export type ReadNegativesOptions = {
  readonly source: NegativesSource;
  readonly trust: TrustMaterial;
  /** Without them an older list passes for the newest: for evidence of a time that is past. */
  readonly pins?: SequencePins | undefined;
  /** The time at which the list has to be young. */
  readonly now: Date;
  /** Told when the newest list was verified, before its pages are: whatever they are, no older one counts. */
  readonly onNewest?: () => void;
};

/**
 * Verifies a list of standing rejections: signature, signer, log entry, age, that its sequence is not smaller than one seen
 * before, and that every page is there which was signed. Whatever is wrong with it is an answer too, `incomplete`: a list
 * that cannot be relied on says nothing about who rejected what. Never throws.
 */
export async function readStandingNegatives(list: FetchedList, options: ReadNegativesOptions): Promise<NegativesView> {
  const { from } = options.source;
  try {
    if ('error' in list) {
      if (list.bundle !== undefined) await verifiedHead(list.bundle, options).catch(() => {});
      throw list.error;
    }
    const { maxAgeSeconds } = options.source;
    return { kind: 'list', list: await verifiedList(list, options), maxAgeSeconds };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    const why = typeof code === 'string' ? `${code}: ${message}` : String(message).replace(`${from} `, '');
    return { kind: 'incomplete', from, message: why };
  }
}

async function verifiedList(
  { bundle, pages }: Exclude<FetchedList, { readonly error: unknown }>,
  options: ReadNegativesOptions,
): Promise<NegativesList> {
  const { list, time } = await verifiedHead(bundle, options);
  const words = wordsOf(joinNegativesPages(list, pages));
  return { from: options.source.from, sequence: list.sequence, time, made_at: list.time, ...words };
}

/** What was signed of the newest list, which is remembered: one that is not whole is so all the same, and no older one counts. */
async function verifiedHead(
  bundle: Uint8Array,
  options: ReadNegativesOptions,
): Promise<{ readonly list: StandingNegatives; readonly time: string }> {
  const { source, trust, pins } = options;
  const { signature } = verifyBundle({
    bundle,
    trust,
    policy: createIdentityPolicy(source.signer),
    predicateType: typesUnder(trust.namespace.predicateBase, standingNegativesType),
  });
  const parsed = parseStandingNegatives(signature.statement?.predicate);
  if (!parsed.ok)
    throw new Error(`the list is malformed: ${parsed.issues.map(({ path, code }) => `${path} ${code}`)[0]}`);
  const list = parsed.value;
  const { maxAgeSeconds } = source;
  assertOfNow(list.time, signature.log_entry.integrated_at, { maxAgeSeconds, now: options.now });
  if (pins !== undefined) {
    // A store that was made anew has another log: its numbers begin again, and are no older copy of the other's.
    const key = JSON.stringify([source.from, source.signer.issuer, source.signer.subject, signature.log_entry.log_id]);
    const seen = await remembered('read', () => pins.seen(key));
    if (seen !== undefined && list.sequence < seen) {
      throw new Error(`its sequence went back: ${list.sequence}, and ${seen} was seen before`);
    }
    await remembered('kept', () => pins.keep(key, list.sequence));
  }
  options.onNewest?.();
  return { list, time: signature.log_entry.integrated_at };
}

/** Where the largest sequence cannot be remembered, an older list could not be told from a newer one. */
async function remembered<T>(what: 'read' | 'kept', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new Error(`the largest sequence seen cannot be ${what}: ${code ?? message}`, {
      cause,
    });
  }
}

/**
 * Both the signature and the list itself have to be young: a list put together long ago is not made new by signing it.
 * @throws Error with the reason in words
 */
export function assertOfNow(
  time: string,
  signedAt: string,
  { maxAgeSeconds, now }: Pick<NegativesSource, 'maxAgeSeconds'> & { readonly now: Date },
): void {
  for (const [what, at] of [
    ['it was signed', signedAt],
    ['it was made', time],
  ] as const) {
    const ageMs = now.getTime() - Date.parse(at);
    if (!isTimestamp(at) || Number.isNaN(ageMs)) throw new Error(`${what} at no time`);
    if (ageMs > maxAgeSeconds * 1000) throw new Error(`${what} at ${at}, over ${maxAgeSeconds} s ago`);
    if (ageMs < -CLOCK_SKEW_MS) throw new Error(`${what} at ${at}, later than it is here`);
  }
}

type Holder = {
  readonly issuer: string;
  readonly subject: string;
  readonly person?: string;
  readonly certified?: boolean | undefined;
};

/** What a list says, with an identity for each signer: of a review service with the person whom its certificate names. */
export function wordsOf({
  rejections,
  withdrawals,
  overflows,
}: Pick<NegativesPage, 'rejections'> & {
  readonly withdrawals: ReadonlyArray<Pick<NegativesPage['withdrawals'][number], 'rejection' | 'issuer' | 'subject'>>;
  readonly overflows: ReadonlyArray<
    Pick<NegativesPage['overflows'][number], 'person' | 'issuer' | 'subject' | 'certified'>
  >;
}): Required<Pick<NegativesList, 'rejections' | 'withdrawals' | 'overflows'>> {
  const holder = ({ issuer, subject, person, certified }: Holder) => ({
    issuer,
    subject,
    claims: certified === true && person !== undefined ? { human_reviewer: person } : {},
    sources: {},
  });
  return {
    rejections: rejections.map(
      ({ person, id, content, subject, time, images, commits, target, issuer, certified }) => ({
        id,
        content,
        person: { issuer, address: person },
        subject,
        certificate_identity: holder({ issuer, subject, person, certified }),
        integrated_at: time,
        images,
        commits,
        ...(target === undefined ? {} : { target }),
      }),
    ),
    withdrawals: withdrawals.map(({ rejection, issuer, subject }) => ({
      rejection,
      certificate_identity: holder({ issuer, subject }),
    })),
    overflows: overflows.map(({ person, issuer, subject, certified }) => ({
      person: { issuer, address: person },
      certificate_identity: holder({ issuer, subject, person, certified }),
    })),
  };
}
