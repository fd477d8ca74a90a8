import { expect, test } from 'vitest';
import { parseApiJson } from './api-json.ts';

const read = (text: string) => {
  const parsed = parseApiJson(new TextEncoder().encode(text), { maxBytes: 1_000, maxDepth: 8 });
  return parsed.ok ? parsed.value : parsed.issues.map(({ code }) => code);
};

test('integers of 64 bits are read, and what is wrong beside them is not', () => {
  expect(read('{"a":[1]}')).toEqual({ a: [1] });
  expect(read('{"seconds":9223372036854775807,"image":"a"}')).toEqual({ seconds: 2 ** 63, image: 'a' });
  expect(read('{"a":9223372036854775807,"a":1}')).toEqual(['json.number_range', 'json.duplicate_key']);
  expect(read('{"a":1,"a":1}')).toEqual(['json.duplicate_key']);
  expect(read('')).toEqual(['json.syntax']);
});

test('behind as many large numbers as the parser notes nothing was looked at', () => {
  const numbers = (count: number) => `{"n":[${Array(count).fill('-0')}]}`;
  expect(read(numbers(19))).toEqual({ n: Array(19).fill(-0) });
  expect(read(numbers(20))).toEqual(Array(20).fill('json.number_range'));
});

test('members stay own ones, whatever they are called', () => {
  const value = read('{"n":9223372036854775807,"__proto__":{"image":"a"}}') as object;
  expect(Object.getOwnPropertyNames(value)).toEqual(['n', '__proto__']);
});
