import { MODEL } from './stand-in-catalogue.ts';

/** The headers with which the SDKs of OpenAI say where they run. */
const STAINLESS = ['arch', 'lang', 'os', 'package-version', 'retry-count', 'runtime', 'runtime-version'].map(
  (name) => `x-stainless-${name}: warm-up`,
);

/** Headers of each kind of client, beside those of the body and the key. */
const CLIENTS: readonly (readonly string[])[] = [
  // The bare minimum, as of a client that is written by hand.
  [],
  // curl
  ['user-agent: curl/8.17.0', 'accept: */*'],
  // The SDK of OpenAI for Python,
  [
    'accept-encoding: gzip, deflate',
    'connection: keep-alive',
    'accept: application/json',
    'user-agent: OpenAI/Python 2.8.1',
    ...STAINLESS,
    'x-stainless-async: false',
    'x-stainless-read-timeout: 600',
  ],
  // for JavaScript,
  [
    'connection: keep-alive',
    'accept: application/json',
    'user-agent: OpenAI/JS 6.9.1',
    ...STAINLESS,
    'x-stainless-timeout: 600',
    'accept-language: *',
    'sec-fetch-mode: cors',
    'accept-encoding: gzip, deflate',
  ],
  // and for Go.
  ['user-agent: OpenAI/Go 3.8.1', 'accept: application/json', ...STAINLESS, 'accept-encoding: gzip'],
  // A traced service behind a proxy.
  [
    'user-agent: okhttp/5.3.2',
    'accept-encoding: gzip',
    'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    'x-forwarded-for: 192.0.2.1',
    'x-forwarded-proto: https',
  ],
];

/** Probes of the kubelet. */
const PROBES = ['/health/live', '/health/ready'].map(
  (path) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: kube-probe/1.34\r\naccept: */*\r\n\r\n`,
);

/**
 * The requests of a warm-up: those of several kinds of clients, buffered and streamed, and probes. V8 optimizes code for the few
 * shapes of objects that it has seen, the headers of a request among them, and discards it with the first other one.
 */
export function warmUpRequests(secret: string): string[] {
  return [...CLIENTS.flatMap((headers) => [false, true].map((stream) => chat(secret, headers, stream))), ...PROBES];
}

function chat(secret: string, headers: readonly string[], stream: boolean): string {
  const body = JSON.stringify({
    model: MODEL,
    messages: [
      { role: 'system', content: 'Answer briefly.' },
      { role: 'user', content: 'word '.repeat(200) },
    ],
    temperature: 0.7,
    max_completion_tokens: 64,
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  });
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: 127.0.0.1',
    ...headers,
    'content-type: application/json',
    `authorization: Bearer ${secret}`,
    `content-length: ${body.length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
