import { type LicenceTerm, licenceTerm } from './licence-term.ts';

/**
 * An SPDX licence expression in postfix order (`MIT OR ISC` is MIT, ISC, OR): it is evaluated with a list and no
 * recursion, however many parentheses a stranger wrote.
 */
export type LicenceExpression = ReadonlyArray<LicenceTerm | 'AND' | 'OR'>;

/** What an expression can be read as, or where it stops being one. */
export type ParsedExpression =
  | { readonly ok: true; readonly value: LicenceExpression }
  | { readonly ok: false; readonly position: number; readonly expected: string };

const TOKEN = /\s*(?:([()])|([A-Za-z0-9.:-]+\+?)|$)/y;
const NO_OPERAND = 'a licence or (';
const NO_OPERATOR = 'AND, OR, WITH or )';

/**
 * Reads an SPDX licence expression in one pass. Ids that SPDX does not list are terms of the kind `unknown`, so that
 * `MIT OR Acme-1.0` stays a choice. Operators may be lower case.
 * @returns `position` from 0 where it cannot be read further
 * @see https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/
 */
export function parseLicenceExpression(text: string): ParsedExpression {
  const output: Array<LicenceTerm | 'AND' | 'OR'> = [];
  const operators: Array<'AND' | 'OR' | '('> = [];
  let id: string | undefined;
  let isExceptionNext = false;
  let isOperandNext = true;
  let position = 0;

  const refuse = (expected: string): ParsedExpression => ({ ok: false, position, expected });
  const endTerm = (exception?: string) => {
    if (id !== undefined) output.push(licenceTerm(id, exception));
    id = undefined;
  };
  const popOperators = (down: (operator: 'AND' | 'OR') => boolean) => {
    for (let top = operators.at(-1); top !== undefined && top !== '(' && down(top); top = operators.at(-1)) {
      output.push(top);
      operators.pop();
    }
  };

  while (true) {
    TOKEN.lastIndex = position;
    const token = TOKEN.exec(text);
    if (token === null) return refuse(isOperandNext ? NO_OPERAND : NO_OPERATOR);
    const [whole, parenthesis, word] = token;
    if (parenthesis === undefined && word === undefined) break;
    if (isExceptionNext) {
      if (word === undefined) return refuse('an exception');
      endTerm(word);
      isExceptionNext = false;
    } else if (isOperandNext) {
      if (parenthesis === ')') return refuse(NO_OPERAND);
      if (parenthesis === '(') operators.push('(');
      else {
        if (isOperator(word!)) return refuse(NO_OPERAND);
        id = word!;
        isOperandNext = false;
      }
    } else if (parenthesis === ')') {
      endTerm();
      popOperators(() => true);
      if (operators.pop() !== '(') return refuse('no ) without its (');
    } else {
      const operator = word?.toUpperCase();
      if (operator === 'WITH' && id !== undefined) isExceptionNext = true;
      else if (operator === 'AND' || operator === 'OR') {
        endTerm();
        popOperators((top) => top === 'AND' || operator === 'OR');
        operators.push(operator);
        isOperandNext = true;
      } else return refuse(NO_OPERATOR);
    }
    position += whole.length;
  }
  if (isOperandNext) return refuse(NO_OPERAND);
  if (isExceptionNext) return refuse('an exception');
  endTerm();
  popOperators(() => true);
  return operators.length > 0 ? refuse(')') : { ok: true, value: output };
}

function isOperator(word: string): boolean {
  return /^(?:and|or|with)$/i.test(word);
}
