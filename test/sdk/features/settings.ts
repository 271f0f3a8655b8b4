import { expect } from 'vitest';
import type { Received } from '../received/index.ts';
import type { Ask } from '../scenario.ts';
import { user } from '../support/messages.ts';
import type { Run } from './run.ts';

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, warm: { type: 'boolean' } },
  required: ['city', 'warm'],
  additionalProperties: false,
};

/** A setting that reaches the provider unchanged, or is dropped if the provider's protocol cannot express it. */
function setting(fields: Partial<Ask>, read: (received: Received) => unknown, sent: unknown, leftOut: unknown): Run {
  return {
    ask: (cell) => cell.ask({ ...fields, turns: [user('Hello.', { text: 'Hi.' })] }),
    check: ({ cell, response, expected }) => {
      expect(response.text).toBe('Hi.');
      expect(read(cell.received(response))).toEqual(expected.kind === 'works' ? sent : leftOut);
    },
  };
}

export const SETTINGS: Readonly<Record<string, Run>> = {
  schema: {
    ask: (cell) => cell.ask({ schema: SCHEMA, turns: [user('Weather?', { text: '{"city":"Ulm","warm":true}' })] }),
    check: ({ cell, response }) => {
      expect(JSON.parse(response.text)).toEqual({ city: 'Ulm', warm: true });
      expect(cell.received(response).responseFormat).toEqual({ schema: SCHEMA });
    },
  },
  json: {
    // OpenAI accepts this format only if the conversation mentions JSON.
    ask: (cell) => cell.ask({ schema: 'any', turns: [user('Weather, in JSON?', { text: '{"city":"Ulm"}' })] }),
    check: ({ cell, response }) => {
      expect(JSON.parse(response.text)).toEqual({ city: 'Ulm' });
      const received = cell.received(response);
      if (cell.upstream === 'anthropic-messages') expect(received.system.join()).toContain('JSON object');
      else expect(received.responseFormat).toBe('any');
    },
  },
  choices: {
    ask: (cell) => cell.ask({ choices: 2, turns: [user('Hello.', { text: 'Hi there.' })] }),
    check: ({ cell, response }) => {
      expect(response).toMatchObject({ text: 'Hi there.', choices: 2 });
      expect(cell.received(response).choices).toBe(2);
    },
  },
  logprobs: {
    ask: (cell) => cell.ask({ logprobs: 2, turns: [user('Hello.', { text: 'Hi there, you.' })] }),
    check: ({ cell, response }) => {
      expect(response.text).toBe('Hi there, you.');
      expect(response.logprobs).toBeGreaterThan(0);
      expect(cell.received(response).logprobs).toBe(2);
    },
  },
  seed: setting({ seed: 7 }, (received) => received.seed, 7, null),
  penalty: setting({ presencePenalty: 0.5 }, (received) => received.presencePenalty, 0.5, null),
  'top-k': setting({ topK: 12 }, (received) => received.topK, 12, null),
  'high-temperature': setting({ temperature: 1.5 }, (received) => received.temperature, 1.5, 1),
  'user-id': setting({ userId: 'user-7' }, (received) => received.userId, 'user-7', ''),
  'cache-hint': {
    ask: (cell) => cell.ask({ cacheHint: true, turns: [user('Hello.', { text: 'Hi.' })] }),
    check: ({ cell, response, expected }) => {
      expect(response.text).toBe('Hi.');
      expect(cell.received(response).cacheHints).toHaveLength(expected.kind === 'works' ? 1 : 0);
    },
  },
  citation: {
    ask: (cell) => {
      const citations = [{ url: 'https://example.com/source', title: 'A source' }];
      return cell.ask({ turns: [user('Cite.', { text: 'The source says so.', citations })] });
    },
    check: ({ cell, response }) => {
      expect(response.text).toBe('The source says so.');
      if (cell.client !== 'anthropic-messages') expect(response.cited).toContain('https://example.com/source');
    },
  },
};
