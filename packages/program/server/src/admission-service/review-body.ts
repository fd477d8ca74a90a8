import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_REVIEW_BYTES, MAX_REVIEW_VALUES, mostJsonValues, REVIEW_BEGINNING_BYTES } from '@colophon/kubernetes';
import type { Unread } from '@colophon/webhook';
import { SMALL_BODY_BYTES } from '../body-budget/body-budget.ts';
import { ByteBudget } from '../body-budget/byte-budget.ts';
import { REQUEST_TIMEOUT_MS } from '../start/request-deadline.ts';

/** Bytes of a value of JSON in memory: an empty list inside others takes the most. */
const VALUE_BYTES = 152;

/** What large bodies take until their answers are out: two of the largest, or one with the most values. */
export class ReviewRoom {
  readonly bodies = new ByteBudget(2 * MAX_REVIEW_BYTES);
  /** What is read out of them. */
  readonly values = new ByteBudget(MAX_REVIEW_VALUES * VALUE_BYTES);
}

export type ReviewBody =
  | { readonly outcome: 'read'; readonly body: Uint8Array }
  | { readonly outcome: Unread; readonly beginning: Uint8Array };

/**
 * The bytes of a request; or its beginning, where they are more than a review has or there is no room for them. A body
 * takes what has come of it, not what it announces: announcing costs a stranger nothing. It takes it until its answer is
 * out, and a small one takes none.
 */
export function readReviewBody(
  request: IncomingMessage,
  response: ServerResponse,
  { bodies, values }: ReviewRoom,
): Promise<ReviewBody> {
  const isTooLong = Number(request.headers['content-length'] ?? 0) > MAX_REVIEW_BYTES;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const held: Array<() => void> = [];
    let length = 0;
    const timer = setTimeout(() => request.destroy(), REQUEST_TIMEOUT_MS);
    const whole = (bytes: number) => {
      const body = Buffer.concat(chunks, bytes);
      chunks.length = 0;
      return body;
    };
    const leave = (outcome: Unread, beginning: Uint8Array) => {
      // Who still sends reads no answer before the rest is taken from them.
      request.off('data', take).off('end', end).resume();
      resolve({ outcome, beginning });
    };
    const hold = (taken: (() => void) | undefined) => {
      if (taken !== undefined) held.push(taken);
      return taken !== undefined;
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > (isTooLong ? REVIEW_BEGINNING_BYTES : MAX_REVIEW_BYTES)) {
        leave('too-large', whole(REVIEW_BEGINNING_BYTES));
      } else if (length > SMALL_BODY_BYTES && !hold(bodies.take(held.length === 0 ? length : chunk.length))) {
        leave('no-room', whole(REVIEW_BEGINNING_BYTES));
      }
    };
    const end = () => {
      const body = whole(length);
      const count = length > SMALL_BODY_BYTES ? mostJsonValues(body) : 0;
      if (count > MAX_REVIEW_VALUES) leave('too-large', body.subarray(0, REVIEW_BEGINNING_BYTES));
      else if (!hold(values.take(count * VALUE_BYTES))) leave('no-room', body.subarray(0, REVIEW_BEGINNING_BYTES));
      else resolve({ outcome: 'read', body });
    };
    request.on('data', take);
    request.on('end', end);
    request.on('close', () => {
      clearTimeout(timer);
      reject(new Error('the request was cut off'));
    });
    response.on('close', () => {
      for (const giveBack of held) giveBack();
    });
  });
}
