import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { bufferedResponse, streamedResponse } from '@tollgate/protocols/testing/translate/upstream-responses';
import { costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { ENDPOINTS, withKey } from '@tollgate/test-support/gateway/endpoints';
import { describe, expect } from 'vitest';
import { Auditor } from './support/database.ts';
import { withGateway } from './support/shared-gateway.ts';
import { bill, DOLLAR } from './support/web-search.ts';

const TEXT = 'What was found.';
const MAX_TOKENS = 100;
const LIMIT = 3;
const SEARCHES = 50;

/** How each protocol asks for searches, and reports them. */
const WIRE: Readonly<Record<ProtocolName, { asked: object; usage: object }>> = {
  'openai-chat': {
    asked: { web_search_options: {} },
    usage: { prompt_tokens: 9, completion_tokens: 3, num_search_queries: SEARCHES },
  },
  'openai-responses': {
    asked: { tools: [{ type: 'web_search' }] },
    usage: {
      input_tokens: 9,
      output_tokens: 3,
      server_side_tool_usage_details: { web_search_calls: SEARCHES },
    },
  },
  'anthropic-messages': {
    asked: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    usage: { input_tokens: 9, output_tokens: 3, server_tool_use: { web_search_requests: SEARCHES } },
  },
  gemini: { asked: { tools: [{ googleSearch: {} }] }, usage: { promptTokenCount: 9, candidatesTokenCount: 3 } },
};

/** Gemini lists its queries beside the content. */
function withQueries(protocol: ProtocolName, body: string): string {
  if (protocol !== 'gemini') return body;
  const queries = Array.from({ length: SEARCHES }, (_, index) => `query ${index}`);
  const grounding = `"groundingMetadata":${JSON.stringify({ webSearchQueries: queries })}`;
  return body.replaceAll('"content":{"role":"model"', `${grounding},"content":{"role":"model"`);
}

const CALLS = ENDPOINTS.flatMap((endpoint) => [false, true].map((stream) => ({ endpoint, stream })));

describe.each(CALLS)('$endpoint.protocol, with stream: $stream', ({ endpoint, stream }) => {
  withGateway(
    'searches far beyond their limit are charged at the hold; the operator bears the rest',
    async ({ gateway }) => {
      const { protocol, request } = endpoint;
      const account = await gateway.accounts.create(DOLLAR);
      const { asked, usage } = WIRE[protocol];
      const given = { text: TEXT, finish: 'stop', usage: JSON.stringify(usage) };
      const body = withQueries(
        protocol,
        stream ? streamedResponse(protocol, given) : bufferedResponse(protocol, given),
      );
      const headers = { 'content-type': stream ? 'text/event-stream' : 'application/json' };
      const text = gateway.hostile.prepare({ headers, body });
      const wire = request({ model: `hostile-web-${protocol}`, text, maxTokens: MAX_TOKENS, stream });
      const searching = { ...wire, body: JSON.stringify({ ...JSON.parse(String(wire.body)), ...asked }) };
      const response = await gateway.send(withKey(account.key, searching));
      expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
      expect(response.text).toContain(TEXT);

      const record = await recordOf(gateway, account, response.headers['x-request-id']);
      expect(record).toMatchObject({ usage_estimated: false, usage: { input: 9, output: 3, search: SEARCHES } });
      const paid = costOf(record);
      const whole = bill({ input: 9, output: 3, searches: SEARCHES });
      // The hold has the longest prompt for each search within the limit too.
      expect(paid).toBeGreaterThan(bill({ input: 9, output: 3, searches: LIMIT }));
      expect(paid).toBeLessThan(whole / 3n);
      const auditor = new Auditor(gateway.stack.facts.database_url);
      try {
        expect(await auditor.books(account.accountId)).toMatchObject({ revenue: whole, operatorLoss: paid - whole });
      } finally {
        await auditor.close();
      }
    },
  );
});
