import { createServer, type ServerResponse } from 'node:http';

/**
 * An upstream that answers every request with a streamed chat completion of 100 MB, as fast as the caller reads: all
 * responses send one buffer again and again. It replies to the parent's message with `{ bytes }`, sent so far, and
 * reports its port as `{ port }`.
 */
const RESPONSE_BYTES = 100_000_000;
const WRITE_BYTES = 65_536;

const HEAD = '{"id":"chatcmpl-large","object":"chat.completion.chunk","created":1735689600,"model":"large",';
const text = (content: string) =>
  `data: ${HEAD}"choices":[{"index":0,"delta":{"content":"${content}"},"logprobs":null,"finish_reason":null}]}\n\n`;
/** Large events, so that filling the buffers on the way takes little time. */
const EVENT = text(' word'.repeat(800));
const EVENTS = Buffer.from(EVENT.repeat(Math.floor(WRITE_BYTES / EVENT.length)));
const TOKENS = 1_000_000;
const END =
  `data: ${HEAD}"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}\n\n` +
  `data: ${HEAD}"choices":[],"usage":{"prompt_tokens":250,"completion_tokens":${TOKENS},"total_tokens":${TOKENS + 250}}}\n\n` +
  'data: [DONE]\n\n';

let bytes = 0;

async function send(res: ServerResponse): Promise<void> {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (let left = RESPONSE_BYTES; left > 0 && !res.destroyed; left -= EVENTS.length) {
    bytes += EVENTS.length;
    if (!res.write(EVENTS)) await moreIsWanted(res);
  }
  if (!res.destroyed) res.end(END);
}

/** Resolves when more may be written or the caller has disconnected. */
function moreIsWanted(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });
}

const server = createServer((req, res) => {
  req.resume().on('end', () => {
    send(res).catch((error: unknown) => {
      process.stderr.write(`the large upstream failed: ${String(error)}\n`);
      res.destroy();
    });
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('message', () => process.send?.({ bytes }));
process.on('disconnect', () => process.exit(0));
