// The load generator, a process of its own: `load.ts <port> <kind> <tokens> <connections>`; every answer must be 200.
import { connect } from 'node:net';
import type { ServerKind } from './contender.ts';
import { tokenRequest } from './request.ts';

const [port, kind, tokens, connections] = process.argv.slice(2) as [string, ServerKind, string, string];
const request = tokenRequest(kind);
let toSend = Number(tokens);
let toReceive = toSend;

function run(): void {
  const socket = connect(Number(port), '127.0.0.1');
  socket.setNoDelay();
  let answer = '';
  const next = () => {
    if (toSend === 0) return socket.end();
    toSend -= 1;
    socket.write(request);
  };
  socket.on('connect', next);
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    const headEnd = answer.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(answer)?.[1]);
    if (answer.length < headEnd + 4 + length) return;
    if (!answer.startsWith('HTTP/1.1 200') || !answer.includes('eyJ')) {
      console.error(answer);
      process.exit(1);
    }
    answer = '';
    toReceive -= 1;
    next();
  });
  socket.on('error', (error) => {
    console.error(error);
    process.exit(1);
  });
}

for (let i = 0; i < Number(connections); i += 1) run();
process.on('exit', (code) => {
  if (code === 0 && toReceive !== 0) process.exitCode = 1;
});
