import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Language, PROTOCOLS, type ProtocolName, type ToolSpec } from './scenario.ts';
import { modelOn } from './support/catalogue.ts';
import { Drivers } from './support/drivers.ts';
import { type SimulatedGateway, startSimulatedGateway } from './support/gateway.ts';

let gateway: SimulatedGateway;
let drivers: Drivers;

beforeAll(async () => {
  gateway = await startSimulatedGateway();
  drivers = await Drivers.start();
}, 240_000);

afterAll(async () => {
  await drivers?.stop();
  await gateway?.stop();
});

const TOOL: ToolSpec = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const CALL = JSON.stringify({ tool_calls: [{ name: TOOL.name, arguments: '{"city":"Ulm"}' }] });
const PROMPT = `Weather? [simulate ${CALL}]`;
const OUTPUT = 'Sunny, with a breeze.';

/** OpenAI's SDK for Python runs tools of responses only. */
const RUNNERS: readonly { language: Language; client: ProtocolName }[] = [
  ...PROTOCOLS.map((client) => ({ language: 'JavaScript' as const, client })),
  ...PROTOCOLS.filter((client) => client !== 'openai-chat').map((client) => ({ language: 'Python' as const, client })),
];

describe.each(RUNNERS)('the tool runner of $client in $language', ({ language, client }) => {
  describe.each(PROTOCOLS)('with an upstream of %s', (upstream) => {
    it.each([false, true])('runs a tool to the end, streamed: %s', async (stream) => {
      const { baseUrl, account } = gateway;
      const run = { model: modelOn(upstream), stream, prompt: PROMPT, tool: TOOL, output: OUTPUT };
      const result = await drivers.get(language, client).run({ baseUrl, key: account.key }, run);
      expect(result).toMatchObject({
        error: null,
        text: expect.stringContaining('simulated'),
        inputs: [{ city: 'Ulm' }],
      });
      expect(gateway.recorder.list().at(-1)).toMatchObject({
        protocol: upstream,
        body: expect.stringContaining(OUTPUT),
      });
    });
  });
});
