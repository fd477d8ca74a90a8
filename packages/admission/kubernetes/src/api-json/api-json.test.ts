import { expect, test } from 'vitest';
import { parseApiJson } from './api-json.ts';

const read = (text: string, { maxBytes = 2_000, maxDepth = 8 } = {}) => {
  const parsed = parseApiJson(new TextEncoder().encode(text), { maxBytes, maxDepth });
  return parsed.ok ? parsed.value : parsed.issues.map(({ code }) => code);
};

test('integers of 64 bits are read, and what is wrong beside them is not', () => {
  expect(read('{"a":[1]}')).toEqual({ a: [1] });
  expect(read('{"seconds":9223372036854775807,"image":"a"}')).toEqual({ seconds: 2 ** 63, image: 'a' });
  expect(read('{"a":9223372036854775807,"a":1}')).toEqual(['json.duplicate_key']);
  expect(read('{"a":1,"a":1}')).toEqual(['json.duplicate_key']);
  expect(read('')).toEqual(['json.syntax']);
});

test('as many large numbers as somebody writes hide nothing that is wrong behind them', () => {
  const numbers = `"n":[${Array(30).fill('-0').join()}]`;
  expect(read(`{${numbers}}`)).toEqual({ n: Array(30).fill(-0) });
  expect(read(`{${numbers},"image":"a","image":"b"}`)).toEqual(['json.duplicate_key']);
});

test('a text with NUL is read, and is another one than the text without', () => {
  expect(read(`{"args":[${Array(30).fill('"a\\u0000"').join()}]}`)).toEqual({ args: Array(30).fill('a\0') });
  expect(read('{"image\\u0000":"a","image":"b"}')).toEqual({ 'image\0': 'a', image: 'b' });
  expect(read('{"image\\u0000":"a","image\\u0000":"b"}')).toEqual(['json.duplicate_key']);
  expect(read('{"image":"a\0"}')).toEqual(['json.nul']);
});

test('a name with an escape is read as it is written, beside a large number too', () => {
  expect(read('{"h":[],"\\\\":0,"n":9223372036854775807}')).toEqual({ h: [], '\\': 0, n: 2 ** 63 });
  expect(read('{"h":1,"\\"":2,"n":9223372036854775807}')).toEqual({ h: 1, '"': 2, n: 2 ** 63 });
});

test('what is too large or too deep is not read', () => {
  expect(read('[1e20]', { maxBytes: 5 })).toEqual(['json.too_large']);
  expect(read('[[1e20]]', { maxDepth: 1 })).toEqual(['json.too_deep']);
});

test('members stay own ones, whatever they are called', () => {
  const value = read('{"n":9223372036854775807,"__proto__":{"image":"a"}}') as object;
  expect(Object.getOwnPropertyNames(value)).toEqual(['n', '__proto__']);
});
