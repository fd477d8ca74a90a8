import { dayNumber, parseInstant } from '@colophon/notation';
import { isEmailAddress } from '../email-address/email-address.ts';

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: (text) => dayNumber(text) !== undefined,
  'date-time': (text) => parseInstant(text) !== undefined,
  email: isEmailAddress,
};

/** What the `format` of a schema asks for beside its pattern: days and times that the calendar has, short local parts. */
export function isOfFormat(name: string, text: string): boolean {
  return FORMATS[name]?.(text) ?? true;
}
