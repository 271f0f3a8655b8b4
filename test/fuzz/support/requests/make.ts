import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { mutateJson, writeJson } from '../json-mutation.ts';
import { chance, type Random, weighted } from '../random.ts';
import { type ValidCall, validCall } from './calls.ts';
import type { Corpus } from './valid.ts';
import type { FuzzRequest, Wire } from './wire.ts';

/** Keys for requests. */
export interface Keys {
  good: string;
  /** Well formed, and deleted. */
  deleted: string;
}

/** Creates the request of a case: a valid call with mutated fields, bytes, headers and key. */
export function makeRequest(random: Random, corpus: Corpus, slot: number, keys: Keys): FuzzRequest {
  const call = validCall(random, corpus, slot);
  const mutations: string[] = [];
  const wire: Wire = {
    method: call.method,
    path: call.path,
    headers: call.body === undefined ? [] : [['content-type', 'application/json']],
    body: bodyOf(random, call, mutations),
  };
  present(random, wire, keys, mutations);
  if (chance(random, 50)) mutateHead(random, wire, mutations);
  if (chance(random, 15)) mutateTarget(random, wire, mutations);
  return { kind: call.kind, protocol: call.protocol, model: call.model, streamed: call.streamed, wire, mutations };
}

function bodyOf(random: Random, call: ValidCall, mutations: string[]): Buffer | undefined {
  if (call.body === undefined) return undefined;
  const times = weighted(random, [
    [680, 0],
    [210, 1],
    [70, 2],
    [40, 4],
  ]);
  let text = writeJson(call.body);
  if (times > 0) {
    const mutated = mutateJson(random, call.body, times);
    text = mutated.text;
    mutations.push(...mutated.names.map((name) => `body: ${name}`));
  }
  if (!chance(random, 30)) return Buffer.from(text);
  const bytes = mutateBytes(random, Buffer.from(text), mutations);
  return namesAnother(bytes, call.model) ? Buffer.from(text) : bytes;
}

/** Whether a changed byte produced the model of another slot, so that the call would count for its case. */
function namesAnother(bytes: Buffer, model: string | undefined): boolean {
  if (model === undefined) return false;
  const named = /"model":"([^"]*)"/.exec(bytes.toString('latin1'))?.[1];
  return named !== undefined && named !== model && named.length === model.length && /^[a-z]\d+-/.test(named);
}

function mutateBytes(random: Random, body: Buffer, mutations: string[]): Buffer {
  const at = random.below(Math.max(1, body.length));
  const [name, bytes] = weighted<() => [string, Buffer]>(random, [
    [3, () => ['truncated', body.subarray(0, at)]],
    [
      2,
      () => [
        'a byte changed',
        Buffer.concat([body.subarray(0, at), Buffer.from([random.below(256)]), body.subarray(at + 1)]),
      ],
    ],
    [1, () => ['bytes behind', Buffer.concat([body, Buffer.from('{}')])]],
    [1, () => ['a byte order mark', Buffer.concat([Buffer.from('\ufeff'), body])]],
    [1, () => ['UTF-16', Buffer.from(body.toString('utf8'), 'utf16le')]],
    [
      1,
      () => [
        'an invalid sequence',
        Buffer.concat([body.subarray(0, at), Buffer.from([0xc3, 0x28, 0xff]), body.subarray(at)]),
      ],
    ],
    [1, () => ['empty', Buffer.alloc(0)]],
    [1, () => ['white space', Buffer.concat([Buffer.alloc(100_000, ' '), body])]],
    [1, () => ['another value', Buffer.from(random.pick(['null', '[]', '"text"', '1', '{}', '[[', '{"model":']))]],
  ])();
  mutations.push(`bytes: ${name}`);
  return bytes;
}

/** How the key is sent: usually in one header, unchanged. */
function present(random: Random, wire: Wire, { good, deleted }: Keys, mutations: string[]): void {
  if (!chance(random, 30)) {
    wire.headers.push(chance(random, 700) ? ['authorization', `Bearer ${good}`] : ['x-api-key', good]);
    return;
  }
  const [name, headers] = random.pick<[string, [string, string][]]>([
    ['none', []],
    ['deleted', [['authorization', `Bearer ${deleted}`]]],
    ['a character changed', [['x-api-key', `${good.slice(0, -4)}AAAA`]]],
    ['cut short', [['authorization', `Bearer ${good.slice(0, 20)}`]]],
    ['empty', [['authorization', 'Bearer ']]],
    ['another scheme', [['authorization', `Basic ${Buffer.from(good).toString('base64')}`]]],
    [
      'another scheme, and a key',
      [
        ['authorization', 'Basic abc'],
        ['x-api-key', good],
      ],
    ],
    [
      'two, the first wrong',
      [
        ['authorization', 'Bearer nonsense'],
        ['x-api-key', good],
      ],
    ],
    ['of the generative paths', [['x-goog-api-key', good]]],
    ['odd spelling', [['AUTHORIZATION', `bearer   ${good}`]]],
    [
      'twice',
      [
        ['x-api-key', good],
        ['x-api-key', deleted],
      ],
    ],
    ['long', [['x-api-key', `sk-tollgate-${'a'.repeat(6_000)}`]]],
  ]);
  mutations.push(`key: ${name}`);
  wire.headers.push(...headers);
}

const BOMB = brotliCompressSync(Buffer.alloc(40 * 1024 * 1024, 'a'));

function mutateHead(random: Random, wire: Wire, mutations: string[]): void {
  const body = wire.body ?? Buffer.alloc(0);
  const encode = (encoding: string, bytes: Buffer) => {
    wire.headers.push(['content-encoding', encoding]);
    wire.body = bytes;
  };
  const retype = (type: string) => {
    wire.headers = [...wire.headers.filter(([name]) => name !== 'content-type'), ['content-type', type]];
  };
  const [name, apply] = random.pick<[string, () => void]>([
    ['gzip', () => encode('gzip', gzipSync(body))],
    ['deflate', () => encode('deflate', deflateSync(body))],
    ['br', () => encode('br', brotliCompressSync(body))],
    ['zstd', () => encode('zstd', zstdCompressSync(body))],
    ['gzip that is none', () => encode('gzip', body)],
    ['gzip cut short', () => encode('gzip', gzipSync(body).subarray(0, 12))],
    ['a bomb', () => encode('br', BOMB)],
    ['two encodings', () => encode('gzip, br', body)],
    ['an unknown encoding', () => encode('x-nonsense', body)],
    ['text/plain', () => retype('text/plain')],
    ['a charset', () => retype('application/json; charset=utf-16')],
    ['a wrong content type', () => retype('application/json; =; ;;')],
    ['form data', () => retype('multipart/form-data')],
    [
      'a traceparent',
      () => void wire.headers.push(['traceparent', '00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-zz']),
    ],
    ['betas', () => void wire.headers.push(['anthropic-beta', 'a,b,,c, '.repeat(40)])],
    ['a version', () => void wire.headers.push(['anthropic-version', '\u00e9'])],
    ['an organization', () => void wire.headers.push(['openai-organization', 'x'.repeat(2_000)])],
    ['a websocket', () => void wire.headers.push(['connection', 'upgrade'], ['upgrade', 'websocket'])],
    ['expect', () => void wire.headers.push(['expect', '100-continue'])],
    ['a range', () => void wire.headers.push(['range', 'bytes=0-1'], ['if-none-match', '*'])],
    [
      'many headers',
      () => void wire.headers.push(...Array.from({ length: 150 }, (_, at): [string, string] => [`x-${at}`, 'y'])),
    ],
    [
      'a forwarded address',
      () => void wire.headers.push(['x-forwarded-for', 'nonsense, 1.2.3.4, ::'], ['forwarded', 'for=x']),
    ],
  ]);
  mutations.push(`head: ${name}`);
  apply();
}

function mutateTarget(random: Random, wire: Wire, mutations: string[]): void {
  const [path = '', query] = wire.path.split('?');
  const again = query === undefined ? '' : `?${query}`;
  const [name, change] = random.pick<[string, Partial<Wire>]>([
    ['method', { method: random.pick(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'POST']) }],
    ['slash', { path: `${path}/` }],
    ['two slashes', { path: `/${wire.path}` }],
    ['escapes', { path: `${path}%00%2f${again}` }],
    ['bad escape', { path: `${path}%zz` }],
    ['a key in the query', { path: `${path}?key=sk-tollgate-secret&alt=sse` }],
    ['a long query', { path: `${path}?${'a=b&'.repeat(1_500)}` }],
    ['upper case', { path: wire.path.toUpperCase() }],
    ['__proto__', { path: `${path}?__proto__[x]=1&constructor=2&alt[]=sse` }],
    ['colons', { path: `${path}::generateContent:` }],
  ]);
  mutations.push(`target: ${name}`);
  Object.assign(wire, change);
}
