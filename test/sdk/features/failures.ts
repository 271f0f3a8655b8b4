import { expect } from 'vitest';
import { modelOn } from '../support/catalogue.ts';
import { countAt, textOr } from '../support/json.ts';
import { user } from '../support/messages.ts';
import type { Run } from './run.ts';

const LIMIT_FIELDS = {
  'openai-chat': 'max_completion_tokens',
  'openai-responses': 'max_output_tokens',
  'anthropic-messages': 'max_tokens',
  gemini: 'generationConfig.maxOutputTokens',
} as const;

const FORTY_WORDS = 'word '.repeat(40);

/** A response that breaks off midway: reported as an error, and charged for the delivered part. */
function interrupted(controls: Record<string, unknown>): Run {
  return {
    unfinished: true,
    ask: (cell) => cell.ask({ model: cell.fragileModel(), turns: [user('Talk.', { text: FORTY_WORDS, ...controls })] }),
    check: async ({ cell, response }) => {
      expect(response.error).not.toBeNull();
      expect(response.violation).toBe('');
      // OpenAI's SDKs expose only the `error` of an event.
      const showsAll = cell.client === 'anthropic-messages' || cell.client === 'gemini';
      if (showsAll) expect(response.error?.reported).toContain(response.headers['x-trace-id']);
      expect(response.pieces).toBeGreaterThan(0);
      const record = await cell.record(response);
      expect(textOr(record, 'status')).toBe('failed');
      expect(countAt(record, 'usage', 'output')).toBeGreaterThan(0);
      expect(countAt(record, 'usage', 'output')).toBeLessThan(40);
    },
  };
}

export const FAILURES: Readonly<Record<string, Run>> = {
  'bad-field': {
    unfinished: true,
    ask: (cell) => cell.ask({ maxTokens: -5, turns: [user('Hello.')] }),
    check: ({ cell, response }) => {
      expect(response.error?.status).toBe(400);
      expect(response.error?.reported).toContain(LIMIT_FIELDS[cell.client]);
      expect(response.error?.reported).toContain('invalid_request_error');
      expect(cell.calls(response)).toEqual([]);
    },
  },
  'upstream-refusal': {
    unfinished: true,
    ask: (cell) => cell.ask({ turns: [user('Hello.', { fail: 400 })] }),
    check: async ({ cell, response }) => {
      expect(response.error?.status).toBe(400);
      expect(response.error?.reported).toContain('invalid_request_error');
      expect(Number(textOr(await cell.record(response), 'cost'))).toBe(0);
    },
  },
  'long-prompt': {
    unfinished: true,
    ask: (cell) => cell.ask({ turns: [user('Hello.', { fail: 'context_length_exceeded' })] }),
    check: async ({ cell, response }) => {
      // OpenAI reports it within the stream of a response.
      const inStream = cell.client === 'openai-responses' && cell.mode === 'stream';
      if (!inStream) expect(response.error?.status).toBe(400);
      expect(response.error?.reported).toMatch(/context window|prompt is too long|token count/);
      expect(Number(textOr(await cell.record(response), 'cost'))).toBe(0);
    },
  },
  'no-credit': {
    unfinished: true,
    ask: async (cell) => {
      const { key } = await cell.gateway.accounts.create(0n);
      const fields = { model: modelOn(cell.upstream), stream: cell.mode === 'stream', turns: [user('Hello.')] };
      return cell.driver.ask({ ...cell.target, key }, fields);
    },
    check: ({ cell, response }) => {
      // The contract's table: 402 on the native endpoints, 400 on those of OpenAI's protocols.
      expect(response.error?.status).toBe(cell.client.startsWith('openai') ? 400 : 402);
      expect(response.error?.reported).toContain('insufficient_balance');
      expect(response.error?.reported).toContain('recharge_url');
      expect(cell.calls(response)).toEqual([]);
    },
  },
  'upstream-failure': {
    unfinished: true,
    ask: (cell) => cell.ask({ model: cell.fragileModel(), turns: [user('Hello.', { fail: 500 })] }),
    check: async ({ cell, response }) => {
      expect(response.error?.status).toBe(502);
      expect(response.error?.reported).toContain('internal_error');
      expect(Number(textOr(await cell.record(response), 'cost'))).toBe(0);
    },
  },
  'broken-stream': interrupted({ error_after_events: 12 }),
  'cut-stream': interrupted({ reset_after_events: 12, token_delay_ms: 2 }),
  abort: {
    unfinished: true,
    ask: (cell) =>
      cell.ask({ disconnectAfter: 5, turns: [user('Talk.', { output_tokens: 2_000, token_delay_ms: 4 })] }),
    check: async ({ cell, response }) => {
      expect(response).toMatchObject({ error: null, pieces: 5 });
      const record = await cell.record(response);
      expect(textOr(record, 'status')).toBe('cancelled');
      const output = countAt(record, 'usage', 'output');
      expect(output).toBeGreaterThanOrEqual(5);
      expect(output).toBeLessThan(1_000);
      expect(Number(textOr(record, 'cost'))).toBeGreaterThan(0);
    },
  },
  count: {
    unfinished: true,
    ask: (cell) => cell.ask({ turns: [user('Count these words, all of them.')] }),
    check: async ({ cell, response }) => {
      const ask = { model: modelOn(cell.upstream), stream: false, turns: [user('Count these words, all of them.')] };
      const counted = await cell.driver.other(cell.target, { call: 'count', ask });
      expect(counted.error).toBeNull();
      // These two providers count tokens themselves; for the others a local tokenizer counts, without the message template.
      const isExact = cell.upstream === 'anthropic-messages' || cell.upstream === 'gemini';
      if (isExact) expect(counted.tokens).toBe(response.usage?.input);
      else expect(counted.tokens).toBeGreaterThan(4);
      expect(counted.tokens).toBeLessThan(60);
    },
  },
};
