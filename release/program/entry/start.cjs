#!/usr/bin/env node
// The program of the npm package. Written so that old versions of Node.js can read it, and say that they are too old.
'use strict';
var version = process.versions.node.split('.');
var major = Number(version[0]);

if (major > 24 || (major === 24 && Number(version[1]) >= 15)) {
  keepCompiled(require('node:path').join(__dirname, '../cache'));
  import('../lib/main.js');
} else {
  process.stderr.write(
    'colophon needs Node.js 24.15 or newer, and this is ' +
      process.versions.node +
      ': install a newer one from https://nodejs.org\n',
  );
  process.exitCode = 1;
}

/**
 * Half of a short command's time goes into compiling. What was compiled is kept beside the program where this user can
 * write, and is used unless anybody else can write or has written there: it is run as the program's own code.
 */
function keepCompiled(folder) {
  var fs = require('node:fs');
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 448 }); // rwx------
  } catch (_) {
    return;
  }
  var found = fs.lstatSync(folder);
  var isOwn = process.geteuid === undefined || (found.uid === process.geteuid() && (found.mode & 63) === 0);
  if (found.isDirectory() && isOwn) require('node:module').enableCompileCache(folder);
}
