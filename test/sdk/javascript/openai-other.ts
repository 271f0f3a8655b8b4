import OpenAI from 'openai';
import { type Other, type OtherResponse, type Target, Unsupported } from '../scenario.ts';
import { emptyOther, sdkError, Wire } from './responses-common.ts';

/** Model lists and embeddings by npm `openai`. */
export async function openaiOther(target: Target, other: Other): Promise<OtherResponse> {
  const wire = new Wire();
  const client = new OpenAI({ apiKey: target.key, baseURL: target.baseUrl, maxRetries: 0, fetch: wire.fetch });
  const response = emptyOther();
  try {
    switch (other.call) {
      case 'models':
        for await (const model of client.models.list()) response.models.push(model.id);
        break;
      case 'model':
        response.models.push((await client.models.retrieve(other.model)).id);
        break;
      case 'embed': {
        const { model, texts, dimensions } = other;
        const made = await client.embeddings.create({ model, input: texts, ...(dimensions && { dimensions }) });
        response.embeddings = made.data.map((each) => each.embedding);
        response.tokens = made.usage.prompt_tokens;
        break;
      }
      case 'count':
        throw new Unsupported('counting tokens');
      default:
        other satisfies never;
    }
  } catch (error) {
    response.error = sdkError(error);
  }
  response.headers = wire.headers;
  return response;
}
