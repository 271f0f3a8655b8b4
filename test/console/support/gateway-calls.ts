import OpenAI from 'openai';

/** A model of the simulated provider. */
export const MODEL = 'simulated-small';

/** Asks a model with the official SDK. Throws its error, with the status, when the gateway refuses. */
export async function chat(baseURL: string, apiKey: string, model = MODEL, content = 'Hello'): Promise<string> {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const response = await client.chat.completions.create({ model, messages: [{ role: 'user', content }] });
  return response.choices[0]?.message.content ?? '';
}
