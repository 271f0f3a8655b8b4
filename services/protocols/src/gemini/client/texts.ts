import type { GeminiContent, GeminiPart } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';

/** All texts of a request that the provider tokenizes, for counting them. */
export function requestTexts({ request }: ParsedRequest): string[] {
  const texts: string[] = [];
  if (request.systemInstruction) addContent(texts, request.systemInstruction);
  for (const content of request.contents) addContent(texts, content);
  for (const tool of request.tools ?? []) {
    for (const declared of tool.functionDeclarations ?? []) texts.push(JSON.stringify(declared));
  }
  const schema = request.generationConfig?.responseSchema ?? request.generationConfig?.responseJsonSchema;
  if (schema) texts.push(JSON.stringify(schema));
  return texts;
}

function addContent(texts: string[], { parts }: Pick<GeminiContent, 'parts'>): void {
  for (const part of parts ?? []) addPart(texts, part);
}

function addPart(texts: string[], part: GeminiPart): void {
  if (part.text) texts.push(part.text);
  const { functionCall, functionResponse, executableCode, codeExecutionResult } = part;
  if (functionCall) texts.push(functionCall.name, JSON.stringify(functionCall.args ?? {}));
  if (functionResponse) texts.push(functionResponse.name, JSON.stringify(functionResponse.response ?? {}));
  if (executableCode?.code) texts.push(executableCode.code);
  if (codeExecutionResult?.output) texts.push(codeExecutionResult.output);
}
