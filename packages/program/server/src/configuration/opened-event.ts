import { type OpenedEvent, openedEvents } from '@colophon/issuance';
import type { Configuration } from './configuration.ts';

/** An event that an entry of `callers` lists beyond those that count unlisted, and whom it lets run the entry's job. */
export type CallerOpening = OpenedEvent & { readonly caller: string };

/** What the callers of a configuration open by the events that they list, in the order of the file. */
export function callerOpenings({ live }: Configuration): readonly CallerOpening[] {
  return live.callerList.flatMap(({ name, token }) =>
    (token === undefined ? [] : openedEvents(token)).map((opened) => ({ caller: name, ...opened })),
  );
}
