const TIMEOUT_MS = 10_000;

/** Whether the gateway accepts a key. @throws if it does not respond */
export async function acceptsKey(baseUrl: string, key: string): Promise<boolean> {
  const response = await listModels(baseUrl, key);
  await response.arrayBuffer();
  if (response.status === 401) return false;
  if (!response.ok) throw new Error(`GET ${baseUrl}/v1/models returned ${response.status}`);
  return true;
}

/** The ids of the models that a key can call. */
export async function modelIds(baseUrl: string, key: string): Promise<string[]> {
  const response = await listModels(baseUrl, key);
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${baseUrl}/v1/models returned ${response.status}: ${text}`);
  const { data }: { data: { id: string }[] } = JSON.parse(text);
  return data.map((model) => model.id);
}

function listModels(baseUrl: string, key: string): Promise<Response> {
  return fetch(`${baseUrl}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
