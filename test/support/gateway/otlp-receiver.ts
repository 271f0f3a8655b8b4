import { createServer } from 'node:http';
import { listen } from '@tollgate/common/http-server';
import { at, listAt, textAt } from './json.ts';

/** One exported span. */
export interface ReceivedSpan {
  /** `service.name` of its resource. */
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  links: string[];
  attributes: Record<string, unknown>;
}

/** Receives OTLP/HTTP exports of spans in JSON. */
export interface OtlpReceiver {
  url: string;
  /** The spans of a trace so far. */
  spansOf: (traceId: string) => ReceivedSpan[];
  /** Everything received, as text. */
  raw: () => string;
  stop: () => Promise<void>;
}

/** https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export async function startOtlpReceiver(place = { host: '127.0.0.1', port: 0 }): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  let raw = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      if (request.url === '/v1/traces') {
        raw += text;
        spans.push(...readExport(JSON.parse(text)));
      }
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    });
  });
  const port = await listen(server, place.host, place.port);
  return {
    url: `http://127.0.0.1:${port}`,
    spansOf: (traceId) => spans.filter((span) => span.traceId === traceId),
    raw: () => raw,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function readExport(body: unknown): ReceivedSpan[] {
  return listAt(body, 'resourceSpans').flatMap((resource) => {
    const service = String(attributesOf(at(resource, 'resource'))['service.name']);
    return listAt(resource, 'scopeSpans').flatMap((scope) =>
      listAt(scope, 'spans').map((span) => ({
        service,
        name: textAt(span, 'name'),
        traceId: textAt(span, 'traceId'),
        spanId: textAt(span, 'spanId'),
        parentSpanId: String(at(span, 'parentSpanId') ?? ''),
        links: (at(span, 'links') === undefined ? [] : listAt(span, 'links')).map((link) => textAt(link, 'traceId')),
        attributes: attributesOf(span),
      })),
    );
  });
}

function attributesOf(holder: unknown): Record<string, unknown> {
  const list = at(holder, 'attributes') === undefined ? [] : listAt(holder, 'attributes');
  return Object.fromEntries(list.map((each) => [textAt(each, 'key'), Object.values(Object(at(each, 'value')))[0]]));
}
