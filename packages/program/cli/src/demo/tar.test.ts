import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createTar } from './tar.ts';

const text = (value: string) => new TextEncoder().encode(value);
const long = `${'d'.repeat(60)}/${'f'.repeat(39)}`;

describe('a tar archive', () => {
  it('is read by tar, with every content as it was', () => {
    const files = {
      'app/main.js': text('console.log(1)\n'),
      empty: text(''),
      block: new Uint8Array(512).fill(65),
      [long]: text('x'),
    };
    const archive = createTar(files);
    expect(archive.length % 512).toBe(0);
    const names = execFileSync('tar', ['-tf', '-'], { input: archive, encoding: 'utf8' });
    expect(names.trim().split('\n')).toEqual(Object.keys(files));
    for (const [path, content] of Object.entries(files)) {
      const read = execFileSync('tar', ['-xOf', '-', path], { input: archive });
      expect(new Uint8Array(read)).toEqual(content);
    }
  });

  it('is the same for the same files', () => {
    expect(createTar({ a: text('1') })).toEqual(createTar({ a: text('1') }));
  });

  it.each(['', '/etc/passwd', '../up', 'a/../../b', 'a//b', './a', 'a/', 'a\0b', 'é', 'x'.repeat(101)])(
    'has no place for the path %j',
    (path) => {
      expect(() => createTar({ [path]: text('x') })).toThrow(TypeError);
    },
  );
});
