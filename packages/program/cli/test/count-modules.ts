import { writeSync } from 'node:fs';
import module from 'node:module';

// `node --import ./packages/program/cli/test/count-modules.ts packages/program/cli/bin/colophon.js …` ends with the number of files that
// were loaded, on standard error. What Node has built in is no file.
let files = 0;
module.registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) files += 1;
    return next(url, context);
  },
});
process.on('exit', () => writeSync(process.stderr.fd, `${files} modules\n`));
