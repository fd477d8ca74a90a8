// Loaded into the program before it starts (`--import`): writes every name that it looks up, and every address that it
// or a Node process below it connects to, into the file that $CONNECTIONS names, one a line.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import net from 'node:net';

const file = process.env['CONNECTIONS'] as string;
const note = (what: string, target: unknown) => appendFileSync(file, `${what} ${String(target)}\n`);

type Method = (this: unknown, ...args: unknown[]) => unknown;

function watch(owner: object, name: string, told: (args: readonly unknown[]) => unknown): void {
  const methods = owner as Record<string, Method>;
  const method = methods[name] as Method;
  methods[name] = function watched(...args) {
    note(name, told(args));
    return method.apply(this, args);
  };
}

watch(net.Socket.prototype, 'connect', ([first]) => {
  const [options] = Array.isArray(first) ? (first as [unknown]) : [first];
  if (typeof options !== 'object' || options === null) return options;
  const { host, path } = options as { host?: string; path?: string };
  return path ?? host ?? 'localhost';
});
watch(dgram.Socket.prototype, 'send', (args) => args.find((arg, index) => index > 0 && typeof arg === 'string'));
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) {
  watch(dns, name, ([host]) => host);
  watch(dns.promises, name, ([host]) => host);
}
