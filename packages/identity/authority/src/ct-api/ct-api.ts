import { decodeBase64 } from '@colophon/encoding';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { CertificateLog, renderTimestamp } from '../ct-log/certificate-log.ts';
import type { CertificateTree } from '../ct-log/certificate-tree.ts';
import { readSubmittedChain } from '../ct-log/submitted-chain.ts';
import { encodeDigitallySigned } from '../ct-log/timestamp.ts';
import { RETRY_AFTER_SECONDS, refusalOf } from '../http/http-status.ts';
import { acceptRawBodies, readJsonObject } from '../http/json-body.ts';

/** Bytes of a submission: ten certificates of some kilobytes. */
export const MAX_CHAIN_BYTES = 256 * 1024;
/** Entries of one answer of get-entries. */
export const MAX_ENTRIES = 256;

/**
 * Mounts a certificate log on the API of RFC 6962 §4, under `<prefix>/ct/v1/`; one that was frozen is only read. Refusals are
 * one line of text, as logs in use give them, with our stable code at its end.
 */
export function registerCtApi(
  app: FastifyInstance,
  {
    log,
    roots,
    prefix = '',
  }: {
    readonly log: CertificateLog | CertificateTree;
    readonly roots: readonly Uint8Array[];
    readonly prefix?: string;
  },
): void {
  app.register(
    async (scope) => {
      acceptRawBodies(scope);
      scope.setErrorHandler((error, request, reply) => refuse(error, request, reply));
      const options = { bodyLimit: MAX_CHAIN_BYTES };
      for (const [path, kind] of [
        ['/add-chain', 'x509'],
        ['/add-pre-chain', 'precert'],
      ] as const) {
        if (!(log instanceof CertificateLog)) break;
        scope.post(path, options, async (request) => {
          const { chain } = readJsonObject(request, { maxBytes: MAX_CHAIN_BYTES });
          return renderTimestamp(await log.submit(readSubmittedChain(kind, chain, roots)));
        });
      }
      scope.get('/get-sth', async () => {
        const { size, root, timestamp, signature } = await log.treeHead();
        return {
          tree_size: size,
          timestamp,
          sha256_root_hash: base64(root),
          tree_head_signature: base64(encodeDigitallySigned(signature)),
        };
      });
      scope.get('/get-sth-consistency', async ({ query }) => ({
        consistency: log.consistency(number(query, 'first'), number(query, 'second')).map(base64),
      }));
      scope.get('/get-proof-by-hash', async ({ query }) => {
        const hash = decodeBase64(text(query, 'hash'));
        if (hash?.length !== 32)
          throw new AuthorityError('authority.request_malformed', 'hash is the base64 of 32 bytes');
        const { index, path } = log.proofByHash(hash, number(query, 'tree_size'));
        return { leaf_index: index, audit_path: path.map(base64) };
      });
      scope.get('/get-entries', async ({ query }) => {
        const [start, end] = [number(query, 'start'), number(query, 'end')];
        if (end < start) throw new AuthorityError('authority.range_invalid', 'end is before start');
        const entries = log.entries(start, Math.min(end - start + 1, MAX_ENTRIES));
        return {
          entries: entries.map(({ leaf_input, extra_data }) => ({
            leaf_input: base64(leaf_input),
            extra_data: base64(extra_data),
          })),
        };
      });
      scope.get('/get-roots', async () => ({ certificates: roots.map(base64) }));
      scope.get('/get-entry-and-proof', async ({ query }) => {
        const { entry, path } = log.entryAndProof(number(query, 'leaf_index'), number(query, 'tree_size'));
        return {
          leaf_input: base64(entry.leaf_input),
          extra_data: base64(entry.extra_data),
          audit_path: path.map(base64),
        };
      });
    },
    { prefix: `${prefix}/ct/v1` },
  );
}

function text(query: unknown, name: string): string {
  const value = (query as Record<string, unknown>)[name];
  if (typeof value !== 'string') throw new AuthorityError('authority.request_malformed', `${name} is needed, once`);
  return value;
}

function number(query: unknown, name: string): number {
  const value = text(query, name);
  if (!/^\d{1,15}$/.test(value)) throw new AuthorityError('authority.request_malformed', `${name} is a number`);
  return Number(value);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, code, message } = refusalOf(error);
  if (status >= 500) request.log.error({ err: error }, 'certificate log request failed');
  if (status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
  return reply.code(status).type('text/plain; charset=utf-8').send(`${message} [${code}]\n`);
}
