import { expect, test } from 'vitest';
import { formatAttributionComment, parseAttributionComment } from './attribution-comment.ts';
import { commentSyntaxOf } from './comment-syntax.ts';

const written = (path: string, firstLine?: string) => {
  const marks = commentSyntaxOf(path, firstLine)?.marks[0];
  return marks && `${marks.open}…${marks.close}`;
};

test.each([
  [
    'a.js a.ts a.tsx a.jsonc a.json5 a.java a.go a.rs a.m a.cpp a.cs a.kt a.swift a.scala a.zig a.php a.dart a.proto',
    '//…',
  ],
  [
    'a.py a.rb a.sh a.pl a.r a.R a.jl a.ex a.nim a.yaml a.toml a.tf a.ps1 a.cmake Makefile Dockerfile Dockerfile.dev',
    '#…',
  ],
  ['CMakeLists.txt Gemfile x/BUILD.bazel .gitignore', '#…'],
  ['a.sql a.lua a.hs a.elm', '--…'],
  ['a.clj a.el', ';;…'],
  ['a.erl', '%%…'],
  ['a.tex', '%…'],
  ['a.css', '/*…*/'],
  ['a.html a.xml a.svg a.vue a.svelte', '<!--…-->'],
  ['a.ml', '(*…*)'],
  ['a.vim', '"…'],
  ['a.vb', "'…"],
  ['a.c a.h a.css', '/*…*/'],
  ['a.bat', 'REM …'],
])('%s: %s', (paths, marks) => {
  for (const path of paths.split(' ')) expect(`${path} ${written(`src/${path}`)}`).toBe(`${path} ${marks}`);
});

test.each([
  'a.json',
  'a.csv',
  'a.md',
  'LICENSE',
  'a.png',
  'a.txt',
  'pnpm-lock.yaml',
  'Cargo.lock',
  'a.',
  '',
  'constructor',
  'a.constructor',
])('%s has no comments that we know', (path) => {
  expect(written(path)).toBeUndefined();
});

test('a file without an extension is known by the program in its first line', () => {
  expect(written('bin/run', '#!/usr/bin/env python3\n')).toBe('#…');
  expect(written('bin/run', '#!/usr/bin/env node')).toBe('//…');
  expect(written('bin/run', 'echo')).toBeUndefined();
});

test('every syntax reads what it writes', () => {
  for (const path of ['a.py', 'a.js', 'a.html', 'a.ml', 'a.bat', 'a.erl', 'a.clj', 'a.sql', 'a.css', 'a.vim', 'a.vb']) {
    const { marks } = commentSyntaxOf(path)!;
    const [{ open, close } = { open: '', close: '' }] = marks;
    const line = `${open.trimEnd()} ${formatAttributionComment({ agent: 'x' })}${close && ` ${close}`}`;
    expect(parseAttributionComment(line, marks)).toMatchObject({ ok: true, comment: { agent: 'x' } });
  }
});
