import { at, listOr, numberAt, textOr } from '../support/json.ts';
import { emptyReceived, type Media, type Received } from './received.ts';

export function readGemini(body: unknown): Received {
  return readCamel(camel(body));
}

/** What stands within these is the customer's own. */
const OPAQUE_KEYS: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
]);

/** The provider takes names in snake case too, which Google's SDK for Python sends in part. */
function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [name, OPAQUE_KEYS.has(name) ? inner : camel(inner)];
    }),
  );
}

function readCamel(body: unknown): Received {
  const received = emptyReceived();
  for (const part of listOr(body, 'systemInstruction', 'parts')) received.system.push(textOr(part, 'text'));
  for (const content of listOr(body, 'contents')) readContent(content, received);
  for (const tool of listOr(body, 'tools')) {
    for (const declaration of listOr(tool, 'functionDeclarations')) {
      received.tools.push({
        name: textOr(declaration, 'name'),
        description: textOr(declaration, 'description'),
        parameters: at(declaration, 'parametersJsonSchema') ?? at(declaration, 'parameters'),
        // Calls must fit the schemas in this mode.
        strict: textOr(body, 'toolConfig', 'functionCallingConfig', 'mode') === 'VALIDATED',
      });
    }
  }
  received.toolChoice = toolChoiceOf(at(body, 'toolConfig', 'functionCallingConfig'));
  const config = at(body, 'generationConfig');
  const schema = at(config, 'responseJsonSchema') ?? at(config, 'responseSchema');
  if (textOr(config, 'responseMimeType') === 'application/json') {
    received.responseFormat = schema === undefined ? 'any' : { schema };
  }
  const level = textOr(config, 'thinkingConfig', 'thinkingLevel');
  const budget = numberAt(config, 'thinkingConfig', 'thinkingBudget');
  if (level !== '') received.reasoning = { effort: level.toLowerCase() };
  if (budget !== null) received.reasoning = budget === 0 ? 'off' : { budget };
  received.stop = listOr(config, 'stopSequences').map(String);
  received.maxTokens = numberAt(config, 'maxOutputTokens');
  received.temperature = numberAt(config, 'temperature');
  received.topK = numberAt(config, 'topK');
  received.seed = numberAt(config, 'seed');
  received.presencePenalty = numberAt(config, 'presencePenalty');
  received.choices = numberAt(config, 'candidateCount') ?? 1;
  if (at(config, 'responseLogprobs') === true) received.logprobs = numberAt(config, 'logprobs') ?? 0;
  return received;
}

function readContent(content: unknown, received: Received): void {
  const name = textOr(content, 'role');
  if (name !== 'user' && name !== 'model') throw new Error(`there is no role ${name} in generateContent`);
  const role = name === 'model' ? 'assistant' : 'user';
  const parts = listOr(content, 'parts');
  const spoken = parts.filter((part) => at(part, 'thought') !== true);
  received.turns.push({ role, text: spoken.map((part) => textOr(part, 'text')).join('') });
  for (const part of parts) readPart(part, received);
}

function readPart(part: unknown, received: Received): void {
  const signature = textOr(part, 'thoughtSignature');
  if (signature !== '') received.signatures.push(signature);
  if (at(part, 'thought') === true) received.thoughts.push(textOr(part, 'text'));
  const media = mediaOf(part);
  if (media !== undefined) {
    if (media.mediaType.startsWith('audio/')) received.audio.push(media);
    else if (media.mediaType === 'application/pdf') received.files.push(media);
    else received.images.push(media);
  }
  const call = at(part, 'functionCall');
  if (call !== undefined) {
    received.calls.push({ id: textOr(call, 'id'), name: textOr(call, 'name'), input: at(call, 'args') ?? {} });
  }
  const result = at(part, 'functionResponse');
  if (result === undefined) return;
  const response = at(result, 'response');
  const error = textOr(response, 'error');
  const output = at(response, 'output') ?? at(response, 'result') ?? response;
  received.results.push({
    callId: textOr(result, 'id'),
    name: textOr(result, 'name'),
    text: error || (typeof output === 'string' ? output : JSON.stringify(output)),
    isError: error !== '',
    images: listOr(result, 'parts').flatMap((each) => mediaOf(each) ?? []),
  });
}

function mediaOf(part: unknown): Media | undefined {
  // Bytes may come in either alphabet of base64, and Google's SDK for Python uses that of URLs.
  const data = Buffer.from(textOr(part, 'inlineData', 'data'), 'base64').toString('base64');
  if (data !== '') return { source: data, mediaType: textOr(part, 'inlineData', 'mimeType') };
  const uri = textOr(part, 'fileData', 'fileUri');
  return uri === '' ? undefined : { source: uri, mediaType: textOr(part, 'fileData', 'mimeType') };
}

function toolChoiceOf(config: unknown): Received['toolChoice'] {
  const mode = textOr(config, 'mode');
  const names = listOr(config, 'allowedFunctionNames').map(String);
  if (mode === 'NONE') return 'none';
  if (mode !== 'ANY') return undefined;
  const [only] = names;
  if (only === undefined) return 'required';
  return names.length === 1 ? { tool: only } : { allowed: names };
}
