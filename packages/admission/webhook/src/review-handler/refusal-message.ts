import type { DecidedImage } from '@colophon/records';

/** Where a decision stands that is about the object itself: its images were not even looked at. */
export const OBJECT_PLACE = 'object';

/**
 * What the user of the API reads: each image that stays out, with every reason, a line each. Text from outside is cut and
 * escaped later, line by line.
 */
export function refusalLines(images: readonly DecidedImage[]): string[] {
  return images
    .filter(({ admitted }) => !admitted)
    .flatMap(({ place, image, reasons }) => reasons.map((reason) => `${subjectOf(place, image)}${reasonText(reason)}`));
}

/**
 * What is said beside an answer: would-be refusals, exceptions, and contradictions that are only told. An API server shows 256 characters of each, so digests
 * are cut, and of an exception stands what somebody has to know.
 */
export function warningTexts(images: readonly DecidedImage[], isAllowed: boolean): string[] {
  return images.flatMap(({ place, image, reasons, warnings }) => {
    const subject = subjectOf(place, image.replace(/@(sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '@$1…'));
    const isTold = ({ code }: Reason) => TOLD.has(code);
    const wouldBe = [...(isAllowed ? reasons : []), ...warnings.filter((one) => !isTold(one))];
    return [
      ...wouldBe.map((reason) => `would be refused: ${subject}${reasonText(reason)}`),
      ...warnings.filter(isTold).map((reason) => `${subject}${toldText(reason)}`),
    ];
  });
}

type Reason = DecidedImage['reasons'][number];
/** Warnings that are no refusal of a policy that only watches. */
const TOLD: ReadonlySet<string> = new Set(['admission.exception', 'admission.contradiction_seen']);

/** Of an exception until when, by whom, why and instead of which refusals; of contradictions their values. */
function toldText({ code, message, found = message, policy }: Reason): string {
  return `${code} ${found}${policy === undefined ? '' : ` (policy ${policy})`}`;
}

/** What a line is about; of the object itself nothing needs to be said. */
function subjectOf(place: string, image: string): string {
  return place === OBJECT_PLACE ? '' : `${place} ${image}: `;
}

/** One reason in one line, with its code first. */
export function reasonText({ code, message, expected, found, policy }: Reason): string {
  const facts = [
    ...(expected === undefined ? [] : [`expected ${expected}`]),
    ...(found === undefined ? [] : [`found ${found}`]),
    ...(policy === undefined ? [] : [`policy ${policy}`]),
  ];
  return `${code}: ${message ?? ''}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
}
