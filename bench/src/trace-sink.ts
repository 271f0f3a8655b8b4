import { createServer } from 'node:http';

/** An OTLP/HTTP receiver that discards the services' spans. Reports its port as `{ port }`. */
const server = createServer((req, res) => {
  req.resume().on('end', () => res.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit(0));
