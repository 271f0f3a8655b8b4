import { Agent, createServer, request } from 'node:http';

/**
 * The baseline: a proxy that only copies. One keep-alive agent upstream, bodies piped both ways.
 *
 * UPSTREAM: origin to copy to. Reports its port to the parent process as `{ port }`.
 */
const upstream = new URL(process.env['UPSTREAM'] ?? '');
const agent = new Agent({ keepAlive: true });

// Keeps connections open while other routes are measured.
const server = createServer({ keepAliveTimeout: 120_000 }, (req, res) => {
  const call = request(
    { host: upstream.hostname, port: upstream.port, method: req.method, path: req.url, headers: req.headers, agent },
    (response) => {
      res.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(res);
    },
  );
  call.on('error', () => {
    if (res.headersSent) res.destroy();
    else res.writeHead(502).end();
  });
  res.on('close', () => {
    if (!res.writableFinished) call.destroy();
  });
  req.pipe(call);
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit(0));
