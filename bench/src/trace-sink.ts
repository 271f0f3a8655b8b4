import { createServer } from 'node:http';
import { countSpans } from './parts/count-spans.ts';

/**
 * An OTLP/HTTP receiver that counts the services' spans and discards them. It replies to the parent's message `count`
 * with `{ spans, exports }` and reports its port as `{ port }`.
 */
let spans = 0;
let exports = 0;

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    if (req.method === 'POST' && req.url === '/v1/traces') {
      exports += 1;
      spans += countSpans(Buffer.concat(chunks));
    }
    res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('message', () => process.send?.({ spans, exports }));
process.on('disconnect', () => process.exit(0));
