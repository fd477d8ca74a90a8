// The load generator, a process of its own: `load.ts <port> <kind> <tokens> <connections> <credential file>`; every
// answer must be 200.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { callerToken } from './caller-tokens.ts';
import type { Credential } from './contender.ts';
import { tokenRequest } from './request.ts';

const [port, kind, tokens, connections, file] = process.argv.slice(2) as [string, string, string, string, string];
const requests = requestsFor(Number(tokens));
let toSend = Number(tokens);
let toReceive = toSend;

/** One that is sent again and again, or as many as there are tokens to ask for. */
function requestsFor(count: number): readonly Buffer[] {
  const isForm = kind === 'oidc-provider';
  const { bearer, caller } = JSON.parse(readFileSync(file, 'utf8')) as Credential;
  if (caller === undefined) return [tokenRequest({ isForm, ...(bearer === undefined ? {} : { bearer }) })];
  return Array.from({ length: caller.isOnce ? count : 1 }, () =>
    tokenRequest({ isForm, bearer: callerToken(caller.privateKey, caller.audience) }),
  );
}

function run(): void {
  const socket = connect(Number(port), '127.0.0.1');
  socket.setNoDelay();
  let answer = '';
  const next = () => {
    if (toSend === 0) return socket.end();
    toSend -= 1;
    socket.write(requests[toSend % requests.length]!);
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
