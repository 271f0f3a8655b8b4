import { describe, expect, test } from 'vitest';
import { pathParameters } from '../../testing/translate/clients.ts';
import { CHAT_LISTS } from '../../testing/translate/long-lists/chat.ts';
import { GEMINI_LISTS } from '../../testing/translate/long-lists/gemini.ts';
import type { LongLists } from '../../testing/translate/long-lists/list.ts';
import { MESSAGES_LISTS } from '../../testing/translate/long-lists/messages.ts';
import { RESPONSES_LISTS } from '../../testing/translate/long-lists/responses.ts';
import { PROTOCOL_NAMES, type ProtocolName } from '../canonical/protocol-name.ts';
import type { ClientRequest } from '../interface/protocol.ts';
import { ITEMS_PER_TURN, runToEnd, type Stages } from '../lists/stages.ts';
import { protocolOf } from '../registry.ts';
import { Diagnostics } from '../request/diagnostics.ts';

const TURNS = 2;
const ELEMENTS = TURNS * ITEMS_PER_TURN;
const TARGET = { upstreamModel: 'claude-sonnet-4-5', outputTokens: 1_000, isStream: false, maxOutputTokens: 8_000 };

const LISTS: Readonly<Record<ProtocolName, LongLists>> = {
  'openai-chat': CHAT_LISTS,
  'openai-responses': RESPONSES_LISTS,
  'anthropic-messages': MESSAGES_LISTS,
  gemini: GEMINI_LISTS,
};

/**
 * Lists that are handled as one: they belong to a single part, tool or field, which makes a hundred thousand of their
 * elements the work of milliseconds. `joined`: read one by one, and a single part then.
 */
const AS_ONE: Readonly<Record<ProtocolName, RegExp>> = {
  'openai-chat':
    /^(annotations|details of reasoning|metadata|modalities|parts of a prediction|properties|token biases|tools that|unknown)/,
  'openai-responses':
    /^(annotations|edits of|include|items of other|metadata|parts of a summary|properties|runs of tools|tools that|unknown)/,
  'anthropic-messages':
    /^(blocks of a (document|search)|citations|edits of|properties|references|servers|skills|stop sequences|tools that|unknown)/,
  gemini:
    /^(formats|labels|members|modalities|parts of a result|properties|safety|stop sequences|tools that|unknown|values)/,
};
const JOINED = 'contents of the model, pieces of a stream';

function turnsOf<T>(stages: Stages<T>): { result: T; turns: number } {
  for (let turns = 1; ; turns++) {
    const step = stages.next();
    if (step.done === true) return { result: step.value, turns };
  }
}

function requestOf(name: ProtocolName, body: object): ClientRequest | undefined {
  const result = runToEnd(protocolOf(name).parseRequest(Buffer.from(JSON.stringify(body)), pathParameters(false)));
  return result.ok ? result.request : undefined;
}

describe.each(PROTOCOL_NAMES)('a request of %s is translated in turns of at most a thousand items', (name) => {
  const lists = Object.entries(LISTS[name]).filter(([list]) => !AS_ONE[name].test(list) && !list.includes('malformed'));
  test.each(lists)('%s', (list, body) => {
    const request = requestOf(name, body(ELEMENTS));
    if (request === undefined) throw new Error('it cannot be read');
    const decoded = turnsOf(request.canonical());
    expect(decoded.turns, 'reading').toBeGreaterThan(TURNS);
    const { result } = decoded;
    if (!result.ok) throw new Error(result.error.message);
    if (list === JOINED) return;
    for (const upstream of PROTOCOL_NAMES) {
      if (upstream === name) continue;
      const { encodeRequest } = protocolOf(upstream).upstream;
      const writing = turnsOf(encodeRequest(result.request, TARGET, new Diagnostics()));
      expect(writing.turns, `writing ${upstream}`).toBeGreaterThan(TURNS);
    }
  });
});

describe.each(PROTOCOL_NAMES)('a request of %s', (name) => {
  test('takes more turns the more it has, and a short one none', () => {
    const [list] = Object.values(LISTS[name]);
    if (list === undefined) throw new Error('no list');
    const turns = (n: number) =>
      turnsOf(protocolOf(name).parseRequest(Buffer.from(JSON.stringify(list(n))), pathParameters(false))).turns;
    expect(turns(2 * ELEMENTS)).toBeGreaterThanOrEqual(turns(ELEMENTS) + TURNS);
    const short = requestOf(name, list(3));
    // Items of other requests count for the turn, too.
    expect(short && turnsOf(short.canonical()).turns).toBeLessThanOrEqual(2);
  });
});
