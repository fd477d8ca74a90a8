#!/usr/bin/env node
// The program of the npm package. Written so that old versions of Node.js can read it, and say that they are too old.
'use strict';
var version = process.versions.node.split('.');
var major = Number(version[0]);

if (major > 24 || (major === 24 && Number(version[1]) >= 15)) {
  // Half of a short command's time goes into compiling. What was compiled is kept beside the program, where nobody can
  // write who could not write the program too; where we cannot write either, it is not kept.
  require('node:module').enableCompileCache(require('node:path').join(__dirname, '../cache'));
  import('../lib/main.js');
} else {
  process.stderr.write(
    'colophon needs Node.js 24.15 or newer, and this is ' +
      process.versions.node +
      ': install a newer one from https://nodejs.org\n',
  );
  process.exitCode = 1;
}
