import type { DecidedImage } from '../decision-record/decision-record.ts';
import type { DecisionReason } from '../reason/webhook-reason.ts';

/** What the user of the API reads: each image that stays out, with every reason. Text from outside is cut and escaped later. */
export function refusalMessage(ofObject: readonly DecisionReason[], images: readonly DecidedImage[]): string {
  const lines = ofObject.map(reasonText);
  for (const { place, image, admitted, reasons } of images) {
    if (!admitted) lines.push(...reasons.map((reason) => `${place} ${image}: ${reasonText(reason)}`));
  }
  return lines.join('\n');
}

/** What is said beside an answer: would-be refusals, and exceptions. */
export function warningTexts(
  ofObject: readonly DecisionReason[],
  images: readonly DecidedImage[],
  isAllowed: boolean,
): string[] {
  const wouldBe = isAllowed ? ofObject.map((reason) => `would be refused: ${reasonText(reason)}`) : [];
  for (const { place, image, reasons, warnings } of images) {
    const refused = isAllowed ? reasons : [];
    const audited = warnings.filter(({ code }) => code !== 'admission.exception');
    const excepted = warnings.filter(({ code }) => code === 'admission.exception');
    wouldBe.push(
      ...[...refused, ...audited].map((reason) => `would be refused: ${place} ${image}: ${reasonText(reason)}`),
    );
    wouldBe.push(...excepted.map((reason) => `${place} ${image}: ${reasonText(reason)}`));
  }
  return wouldBe;
}

function reasonText({ code, message, expected, found, policy }: DecisionReason): string {
  const facts = [
    ...(expected === undefined ? [] : [`expected ${expected}`]),
    ...(found === undefined ? [] : [`found ${found}`]),
    ...(policy === undefined ? [] : [`policy ${policy}`]),
  ];
  return `${code}: ${message}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
}
