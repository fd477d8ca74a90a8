import { parseInstant } from '@colophon/notation';
import type { AdmissionDecisionRecord, DecidedImage } from '@colophon/records';
import type { DecidedImageColumns, NewDecision } from '@colophon/store';

/** Lays out a decision for the store. What the record has beside what is asked stays in it. */
export function decisionColumns(record: AdmissionDecisionRecord, importedAt: number): NewDecision {
  const { images, ...request } = record;
  const { id, time, webhook, operation, object, user, mode, admitted, enforced } = request;
  const { kind, namespace, name, owner } = object;
  return {
    request_uid: id,
    webhook,
    time: milliseconds(time),
    operation,
    kind,
    namespace,
    name,
    ...(owner === undefined ? {} : { owner }),
    ...(user === undefined ? {} : { user }),
    mode,
    admitted,
    enforced,
    imported_at: importedAt,
    request: JSON.stringify(request),
    images: images.map(imageColumns),
  };
}

function imageColumns(decided: DecidedImage): DecidedImageColumns {
  const { place, image, digest, admitted, reasons, policies, agents, reviewers, exception, valid_until, cached } =
    decided;
  return {
    place,
    image,
    ...(digest === undefined ? {} : { digest }),
    image_admitted: admitted,
    ...(exception === undefined
      ? {}
      : { exception_owner: exception.owner, exception_until: milliseconds(exception.until) }),
    ...(valid_until === undefined ? {} : { valid_until: milliseconds(valid_until) }),
    cached,
    detail: JSON.stringify(decided),
    lists: { reason: reasons.map(({ code }) => code), policy: policies, agent: agents, reviewer: reviewers },
  };
}

/** The record was checked: each of its times is one. */
function milliseconds(time: string): number {
  return parseInstant(time)!;
}
