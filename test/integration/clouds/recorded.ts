import type { ProtocolName } from '../../sdk/scenario.ts';
import { PROVIDERS } from '../providers/index.ts';
import type { RecordedEndpoint, RecordedError, Recording, Scene } from '../providers/recorded.ts';

/** A cloud: its starter catalogue is `deploy/catalogue/clouds/<id>.yaml`, its page `docs/providers/<id>.md`. */
export interface RecordedCloud {
  id: 'azure' | 'bedrock' | 'vertex';
  /** As in the table of docs/providers. */
  name: string;
  endpoints: readonly CloudEndpoint[];
}

export interface CloudEndpoint extends Pick<RecordedEndpoint, 'scenes' | 'errors'> {
  name: string;
  protocol: ProtocolName;
  /** The entry of the starter catalogue. */
  entry: string;
  /** Fields of the entry that differ here, of an endpoint that the page names. */
  fields?: { protocol: ProtocolName; path?: string };
  /** Members of every whole answer and of some events, which clients of the same protocol get as they are. */
  passed: readonly string[];
}

/** The answers of the makers' own API, which a cloud serves as they are but for what it adds. */
export function scenesOf(provider: string, entry: string): readonly Scene[] {
  const { endpoints = [] } = PROVIDERS.find(({ id }) => id === provider) ?? {};
  const found = endpoints.find((endpoint) => endpoint.entry === entry);
  if (found === undefined) throw new Error(`nothing is recorded for ${entry}`);
  return found.scenes;
}

type Edit = (recording: Recording) => Partial<Recording>;

/** The scenes with other answers. */
export function edited(scenes: readonly Scene[], edit: Edit): readonly Scene[] {
  return scenes.map(({ answer, after, ...scene }) => ({
    ...scene,
    answer: { ...answer, ...edit(answer) },
    ...(after !== undefined && { after: { ...after, ...edit(after) } }),
  }));
}

/** An error in OpenAI's shape. */
export function openaiError(
  message: string,
  code: string | null,
  type: string | null = null,
  more: object = {},
): object {
  return { error: { message, type, param: null, code, ...more } };
}

/** An error of Anthropic's models. */
export function anthropicError(type: string, message: string): RecordedError['body'] {
  return { type: 'error', error: { type, message } };
}
