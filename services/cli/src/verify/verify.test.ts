import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listen } from '@tollgate/common/http-server';
import { findFreePort } from '@tollgate/local';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli } from '../../testing/run-cli.ts';
import { PROTOCOLS } from './requests.ts';

/** What a request of 500 tokens at most costs at the default prices, in thousandths of a dollar: with its input, a little more than 5. */
const REQUEST = 6;

const PATHS = {
  'openai-chat': ['POST /v1/chat/completions'],
  'openai-responses': ['POST /v1/responses'],
  'anthropic-messages': ['POST /v1/messages'],
  gemini: ['POST /v1beta/models/m:generateContent', 'POST /v1beta/models/m:streamGenerateContent?alt=sse'],
};

type Budget = 'strict' | 'checked first' | 'none' | 'closed';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A gateway in front of an upstream, with a budget of five hundredths of a dollar that it keeps more or less well. */
async function serveGateway(budget: Budget, upstreamPort?: number): Promise<string> {
  let left = 50;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET') return refuse(response, 404, 'unknown');
    const body = (await request.toArray()).join('');
    if (budget === 'closed' || (budget !== 'none' && left < REQUEST)) return refuse(response, 402, 'Nothing is left.');
    if (budget === 'strict') left -= REQUEST;
    if (upstreamPort === undefined) response.end('{}');
    else {
      const url = `http://127.0.0.1:${upstreamPort}/v1/chat/completions`;
      const upstream = await fetch(url, { method: 'POST', body });
      response.writeHead(upstream.status);
      for await (const part of upstream.body ?? []) response.write(part);
      response.end();
    }
    if (budget === 'checked first') left -= REQUEST;
  };
  const server = createServer((request, response) => {
    // The upstream ends with the run, also responses that their clients have left.
    respond(request, response).catch(() => response.destroy());
  });
  servers.push(server);
  return `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
}

async function verify(baseUrl: string, ...flags: string[]) {
  const usual = ['--key', 'k', '--model', 'm', '--limit', '0.05', '--clients', '40', '--json'];
  const { status, stdout, stderr } = await runCli(['verify', '--base-url', baseUrl, ...usual, ...flags]);
  return { status, stderr, finding: stdout === '' ? undefined : JSON.parse(stdout) };
}

describe('verify', () => {
  it('passes a gateway that reserves before it serves', async () => {
    const port = await findFreePort();
    const gateway = await serveGateway('strict', port);
    const { status, finding } = await verify(gateway, '--upstream', `127.0.0.1:${port}`);
    expect(finding).toMatchObject({ limit: '0.05', overshoot: '0', accepted: 8, billed: null });
    expect(finding.refused).toEqual([{ status: 402, count: expect.any(Number), message: 'Nothing is left.' }]);
    expect(status).toBe(0);
  });

  it('shows by how much a gateway overshoots that checks first and counts later', async () => {
    const port = await findFreePort();
    const gateway = await serveGateway('checked first', port);
    const { status, stderr, finding } = await verify(gateway, '--upstream', `127.0.0.1:${port}`);
    expect(Number(finding.overshoot)).toBeGreaterThan(0.05);
    expect(Number(finding.served) - Number(finding.overshoot)).toBeCloseTo(0.05, 9);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `error: the gateway overshot the limit by $${finding.overshoot}\n`,
    });
  });

  it('passes no gateway that refuses everything, or does not say what it billed', async () => {
    const port = await findFreePort();
    const closed = await verify(await serveGateway('closed'), '--upstream', `127.0.0.1:${port}`);
    expect(closed).toMatchObject({ status: 1, stderr: expect.stringContaining('inconclusive: only $0 of the limit') });
    const silent = await verify(await serveGateway('strict'));
    expect(silent).toMatchObject({ status: 1, stderr: expect.stringContaining('does not say what it billed') });
  });

  it('counts requests that are accepted after the command has deleted the key', async () => {
    const { status, stderr, finding } = await verify(await serveGateway('none'), '--time', '1s', '--delete', 'true');
    expect(finding.accepted_after_deletion).toBeGreaterThanOrEqual(40);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `error: ${finding.accepted_after_deletion} requests were accepted after the key was deleted\n`,
    });
    const failed = await verify(await serveGateway('none'), '--time', '1s', '--delete', 'exit 3');
    expect(failed).toMatchObject({ status: 1, stderr: 'error: the command of --delete failed\n' });
  });

  it.each(PROTOCOLS)('asks in the protocol %s', async (protocol) => {
    const seen = new Set<string>();
    const server = createServer((request, response) => {
      seen.add(`${request.method} ${request.url}`);
      refuse(response, 402, 'no');
    });
    servers.push(server);
    const port = await listen(server, '127.0.0.1', 0);
    await verify(`http://127.0.0.1:${port}/v1`, '--protocol', protocol);
    expect([...seen].filter((line) => line.startsWith('POST')).sort()).toEqual(PATHS[protocol]);
  });

  it('names a wrong argument', async () => {
    const wrong = await verify('http://127.0.0.1:1', '--upstream', 'nowhere');
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('It must be an address and a port.') });
  });
});
