// One of the others' servers as a process: answers on the port that it is told, until it is ended.

import type { Algorithm } from './contender.ts';
import { startFloor } from './floor-server.ts';
import { startOidcProvider } from './oidc-provider-server.ts';

const [kind, alg, port] = process.argv.slice(2) as ['floor' | 'oidc-provider', Algorithm, string];
await { floor: startFloor, 'oidc-provider': startOidcProvider }[kind](alg, Number(port));
