// The least that a webhook does: node:https with the same TLS, a body that JSON.parse reads, an answer that allows. Nothing is
// decided, counted or written down. `floor-server.ts <certificate> <key>`; writes its port.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

const [certificate, key] = process.argv.slice(2) as [string, string];
const server = createServer({
  cert: readFileSync(certificate),
  key: readFileSync(key),
  minVersion: 'TLSv1.2',
  // As long as ours: at less than the highest load some connections have nothing to do.
  keepAliveTimeout: 120_000,
});
server.on('request', (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { readonly request: { readonly uid: string } };
    const answer = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: review.request.uid, allowed: true },
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
});
server.listen({ host: '127.0.0.1', port: 0 }, () => console.log((server.address() as AddressInfo).port));
