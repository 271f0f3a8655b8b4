import type { ProbeDependencies, ProbeTarget } from './call-provider.ts';
import { checkEmbeddingsUsage, checkError, checkVectors } from './check.ts';
import { type EmbeddingsProbe, probeEmbeddings } from './probe-embeddings.ts';
import { withoutConversation } from './requests.ts';
import type { TestRecord } from './test-record.ts';

/** Two, because providers differ in how they take several. */
const TEXTS = ['ready', 'The capital of France is Paris.'];

/** Tests a deployment of an embedding model: vectors, usage, and what an invalid request gets. */
export async function testEmbeddings(deps: ProbeDependencies, target: ProbeTarget, record: TestRecord): Promise<void> {
  const send = (request: EmbeddingsProbe) =>
    record.send((timeoutMs) => probeEmbeddings(deps, target, request, timeoutMs));
  const embedded = await send({ texts: TEXTS });
  record.add('embeddings', true, embedded, ({ vectors }) => checkVectors(vectors, TEXTS.length));
  if (embedded?.kind !== 'response') {
    for (const name of ['usage', 'error']) record.skip(name, true, 'the first request failed');
    return;
  }
  record.add('usage', true, embedded, ({ usage }) => checkEmbeddingsUsage(usage));
  const refused = await send({ texts: TEXTS, spoil: withoutConversation });
  if (refused === undefined) record.skip('error', true);
  else record.push('error', true, checkError(refused), refused);
}
