import { compareTexts } from '../text-order/compare-texts.ts';
import { type Sign, signOf } from './version-order.ts';

const DIGITS = /^[0-9]+$/;

export function isDigits(text: string): boolean {
  return DIGITS.test(text);
}

/** Without its leading zeros; zero is `'0'`. */
export function stripZeros(digits: string): string {
  return digits.replace(/^0+(?=[0-9])/, '');
}

/** As numbers of any size; an empty or missing text is zero. */
export function compareDigits(left = '0', right = '0'): Sign {
  const [a, b] = [stripZeros(left || '0'), stripZeros(right || '0')];
  return signOf(a.length - b.length) || compareTexts(a, b);
}

/** The numbers that a version begins with: `2.09.10-beta1` is `['2', '9', '10']`. */
export function leadingNumbers(text: string): string[] {
  const numbers = /^[0-9]+(?:\.[0-9]+)*/.exec(text)?.[0];
  return numbers === undefined ? [] : numbers.split('.').map(stripZeros);
}

/** Every run of digits and every run of anything else: `4+deb12u1` is `['4', '+deb', '12', 'u', '1']`. */
export function digitRuns(text: string): string[] {
  return (text.match(/[0-9]+|[^0-9]+/g) ?? []).map((run) => (isDigits(run) ? stripZeros(run) : run));
}
