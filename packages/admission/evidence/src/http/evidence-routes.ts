import type { FastifyInstance } from 'fastify';
import { type Evidence, MOST_RECEIPT_BYTES } from '../evidence/evidence.ts';
import { MAX_QUERY_LENGTH } from '../query/query-token.ts';
import { sendError, sendProblem } from './problem.ts';

const BUNDLE_V03_MEDIA_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const BUNDLE_MEDIA_TYPE = /^application\/(?:json|vnd\.dev\.sigstore\.bundle[a-z0-9.+=;-]*)$/;

const WORDS = { tooLarge: 'The bundle is too large.', mediaType: 'A bundle is sent as application/json.' } as const;

/**
 * `POST /evidence` takes a bundle: 201 when it is new, 200 when it was there already. `GET /evidence/{id}` gives it
 * back. `POST /receipts` and `GET /receipts/{id}` do the same with receipts of witnesses. `GET /query?q=…` answers a
 * question. `GET /negatives` gives the signed list of standing negatives, where the
 * store signs one, and `GET /negatives/pages/{sha256}` its pages. Everything else is RFC 9457.
 */
export function registerEvidenceRoutes(scope: FastifyInstance, evidence: Evidence, maxBundleBytes: number): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    BUNDLE_MEDIA_TYPE,
    { parseAs: 'buffer', bodyLimit: maxBundleBytes },
    (_request, body, done) => done(null, body),
  );
  scope.setErrorHandler((error, _request, reply) => sendError(reply, error, WORDS));

  scope.post('/evidence', { bodyLimit: maxBundleBytes }, async (request, reply) => {
    const { body } = request;
    if (!Buffer.isBuffer(body) || body.length === 0) {
      return sendProblem(reply, { code: 'evidence.bundle_malformed', detail: 'The body holds no bundle.' });
    }
    const { id, kind, isNew, log_entry } = await evidence.importBundle(body);
    const location = `/evidence/${id}`;
    return reply
      .code(isNew ? 201 : 200)
      .header('location', location)
      .send({ id, kind, log_entry });
  });

  scope.get<{ Params: { id: string } }>('/evidence/:id', async (request, reply) => {
    const bundle = evidence.bundle(request.params.id);
    if (bundle === undefined) {
      return sendProblem(reply, { code: 'evidence.not_found', detail: 'No bundle has this id.' });
    }
    return reply.type('application/json').send(Buffer.from(bundle));
  });

  scope.post('/receipts', { bodyLimit: MOST_RECEIPT_BYTES }, async (request, reply) => {
    const { body } = request;
    const { id, isNew } = await evidence.importReceipt(Buffer.isBuffer(body) ? body : new Uint8Array());
    return reply
      .code(isNew ? 201 : 200)
      .header('location', `/receipts/${id}`)
      .send({ id });
  });

  scope.get<{ Params: { id: string } }>('/receipts/:id', async (request, reply) => {
    const receipt = evidence.receipt(request.params.id);
    if (receipt === undefined) {
      return sendProblem(reply, { code: 'evidence.not_found', detail: 'No receipt has this hash.' });
    }
    return reply.type('application/json').send(Buffer.from(receipt));
  });

  const { negatives, negativesPage } = evidence;
  if (negatives !== undefined && negativesPage !== undefined) {
    scope.get('/negatives', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
      return reply.type(BUNDLE_V03_MEDIA_TYPE).send(Buffer.from(await negatives()));
    });
    scope.get<{ Params: { id: string } }>('/negatives/pages/:id', async (request, reply) => {
      const page = await negativesPage(request.params.id);
      if (page === undefined) {
        return sendProblem(reply, { code: 'evidence.not_found', detail: 'The list has no page with this SHA-256.' });
      }
      // Under another SHA-256 stands another page: whoever has this one never has to ask again.
      reply.header('cache-control', 'public, max-age=31536000, immutable');
      return reply.type('application/json').send(Buffer.from(page));
    });
  }

  scope.get<{ Querystring: { q?: unknown } }>('/query', async (request, reply) => {
    const { q } = request.query;
    if (typeof q !== 'string') {
      return sendProblem(reply, { code: 'query.syntax', detail: 'The question goes into q, once.', position: 1 });
    }
    const result = await evidence.ask(q.slice(0, MAX_QUERY_LENGTH + 1));
    reply.header('cache-control', 'no-store');
    if (result.ok) return reply.send(result.value);
    const [{ code, message, position, expected, didYouMean }] = result.issues;
    return sendProblem(reply, { code, detail: message, position, expected, did_you_mean: didYouMean });
  });
}
