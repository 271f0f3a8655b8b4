import type { TransportFailure } from '../controls/schema.ts';
import type { Exchange } from '../exchange/exchange.ts';

const GARBAGE = '\u0000\u0001<<<not an answer>>>\ufffd{"choices": [';

/**
 * Fails a call instead of responding.
 *
 * @param json the JSON of the regular response, for failures that send a part of it
 */
export async function failTransport(exchange: Exchange, failure: TransportFailure, json: string): Promise<void> {
  switch (failure) {
    case 'reset':
      exchange.reset();
      return;
    case 'stall':
      await exchange.stall();
      return;
    case 'garbage':
      exchange.send({ status: 200, headers: JSON_TYPE, body: GARBAGE });
      return;
    case 'truncated':
      exchange.send({ status: 200, headers: JSON_TYPE, body: json.slice(0, Math.floor(json.length / 2)) });
      return;
    case 'empty':
      exchange.send({ status: 200, headers: JSON_TYPE, body: '' });
      return;
    case 'wrong_content_type':
      exchange.send({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: json });
      return;
    default:
      return failure satisfies never;
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
