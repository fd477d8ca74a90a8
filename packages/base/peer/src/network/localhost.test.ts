import type dns from 'node:dns';
import { expect, test } from 'vitest';
import { findsLocalhost } from './localhost.ts';

type Answer = { readonly error: string | undefined; readonly address: unknown; readonly family: unknown };

const NOT_FOUND = Object.assign(new Error('not found'), { code: 'ENOTFOUND' });

function ask(name: string, options: dns.LookupOptions | undefined, known: Readonly<Record<string, string>>): Answer {
  const machine = ((hostname: string, _options: unknown, callback: (...told: unknown[]) => void) => {
    if (known[hostname] === undefined) callback(NOT_FOUND, undefined, undefined);
    else callback(null, known[hostname], 6);
  }) as unknown as typeof dns.lookup;
  let answer: Answer | undefined;
  const callback = (error: NodeJS.ErrnoException | null, address: unknown, family?: unknown) => {
    answer = { error: error?.code, address, family };
  };
  if (options === undefined) findsLocalhost(machine)(name, callback);
  else findsLocalhost(machine)(name, options as dns.LookupOneOptions, callback);
  return answer as Answer;
}

test.each(['localhost', 'LOCALHOST', 'localhost.', 'issuer.localhost'])('%s is found where nobody knows it', (name) => {
  const here = { error: undefined, address: '127.0.0.1', family: 4 };
  expect(ask(name, undefined, {})).toEqual(here);
  expect(ask(name, { family: 0 }, {})).toEqual(here);
  expect(ask(name, { all: true }, {})).toMatchObject({ address: [{ address: '127.0.0.1', family: 4 }] });
});

test('what the machine knows is taken from it', () => {
  expect(ask('localhost', {}, { localhost: '::1' })).toEqual({ error: undefined, address: '::1', family: 6 });
});

test.each(['localhost.example', 'notlocalhost', 'example.com'])('%s, which nobody knows, is not found', (name) => {
  expect(ask(name, {}, {})).toMatchObject({ error: 'ENOTFOUND' });
});

test.each([6, 'IPv6'] as const)('who asks for the family %s gets the loopback address of that', (family) => {
  expect(ask('localhost', { family }, {})).toEqual({ error: undefined, address: '::1', family: 6 });
  expect(ask('localhost', { family, all: true }, {})).toMatchObject({ address: [{ address: '::1', family: 6 }] });
});
