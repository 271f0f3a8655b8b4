import type { Content, Truth } from './content.ts';
import { event, type StreamEvent } from './events.ts';

const FINISH = { stop: 'STOP', length: 'MAX_TOKENS', tool: 'STOP' } as const;

export function geminiUsage(truth: Truth): object {
  const prompt = truth.input + truth.cacheRead;
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: truth.cacheRead,
    candidatesTokenCount: truth.output,
    ...(truth.reasoning === 0 ? {} : { thoughtsTokenCount: truth.reasoning }),
    totalTokenCount: prompt + truth.output + truth.reasoning,
  };
}

export function geminiWhole(content: Content, usage: unknown): object {
  return chunk(content, partsOf(content), FINISH[content.finish], usage);
}

export function geminiStream(content: Content, usage: unknown): StreamEvent[] {
  const parts = partsOf(content);
  return [
    ...parts.map((part) => event(chunk(content, [part], undefined, undefined))),
    event(chunk(content, parts.length === 0 ? [{ text: '' }] : [], FINISH[content.finish], usage)),
  ];
}

function partsOf({ pieces, reasoning, tool }: Content): object[] {
  return [
    ...(reasoning === '' ? [] : [{ text: reasoning, thought: true }]),
    ...pieces.map((text) => ({ text })),
    ...(tool === undefined ? [] : [{ functionCall: { name: tool.name, args: JSON.parse(tool.args) as unknown } }]),
  ];
}

function chunk({ model }: Content, parts: object[], finishReason: string | undefined, usage: unknown): object {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason }],
    ...(usage === undefined ? {} : { usageMetadata: usage }),
    modelVersion: model,
    responseId: 'r1',
  };
}
