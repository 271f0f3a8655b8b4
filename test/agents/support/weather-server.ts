import { createInterface } from 'node:readline';

/** A server of the Model Context Protocol on standard input and output, with one tool: https://modelcontextprotocol.io */
const TOOL = {
  name: 'read_weather',
  description: 'Reads the weather of a city.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

interface Message {
  id?: number | string;
  method?: string;
  params?: { protocolVersion?: string; arguments?: { city?: string } };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message: Message = JSON.parse(line);
  const result = resultOf(message);
  if (message.id !== undefined) {
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n`);
  }
});

function resultOf({ method, params }: Message): object {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'weather', version: '1' },
      };
    case 'tools/list':
      return { tools: [TOOL] };
    case 'tools/call':
      return { content: [{ type: 'text', text: `Sunny in ${params?.arguments?.city ?? ''}` }] };
    default:
      return {};
  }
}
