import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import Fastify from 'fastify';
import type { Algorithm } from './contender.ts';
import { FIELDS } from './request.ts';

/** The least that a Fastify issuer does: read JSON, check a schema, sign the claims. No ledger, no strictness. */
export async function startFloor(alg: Algorithm, port: number): Promise<void> {
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  const header = Buffer.from(JSON.stringify({ alg, kid: 'floor', typ: 'JWT' })).toString('base64url');
  const app = Fastify();
  const schema = {
    body: {
      type: 'object',
      required: FIELDS,
      additionalProperties: false,
      properties: Object.fromEntries(FIELDS.map((field) => [field, { type: 'string', minLength: 1 }])),
    },
  };
  app.post<{ Body: Record<string, string> }>('/oauth/token', { schema }, async (request, reply) => {
    const iat = Math.floor(Date.now() / 1000);
    const { body } = request;
    const claims = {
      iss: 'http://localhost',
      sub: `agent:${body['agent_name']}`,
      aud: 'sigstore',
      iat,
      exp: iat + 600,
    };
    const payload = Buffer.from(JSON.stringify({ ...claims, jti: randomUUID(), ...body })).toString('base64url');
    const signature = sign('sha256', Buffer.from(`${header}.${payload}`), key).toString('base64url');
    return reply.header('content-type', 'application/jwt').send(`${header}.${payload}.${signature}`);
  });
  await app.listen({ host: '127.0.0.1', port });
}
