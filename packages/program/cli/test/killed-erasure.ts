// Erases the row of a token, and is killed before old copies of it are removed.

import { eraseToken } from '@colophon/issuer';
import { openDatabase, SqliteLedger } from '@colophon/store';

const [file = '', jti = ''] = process.argv.slice(2);
SqliteLedger.prototype.finishErasures = async () => {
  process.kill(process.pid, 'SIGKILL');
};
await eraseToken(openDatabase(file), jti, { reason: 'ticket 4711', erasedBy: 'operator' });
