import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { ResponseTransformer, StreamTransformer } from '@tollgate/protocols/interface/protocol';
import { findItemReferences, replaceItemReferences } from '@tollgate/protocols/openai-responses/shared/item-references';
import { storableItems } from '@tollgate/protocols/openai-responses/shared/storable-item';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { pausesFor, runStages } from '../../shared/scheduling.ts';
import type { ItemStore } from './item-store.ts';

/** More than any conversation refers to. */
const MAX_REFERENCES = 2_000;

export interface ReferenceDependencies {
  /** Undefined without a store. */
  items: ItemStore | undefined;
  logger: Logger;
}

/**
 * Replaces item references by the stored items; only the responses protocol has them. Without a store, or for items that
 * are not stored, the references stay, and parsing the request rejects them with advice.
 *
 * @throws ApiError when the store cannot be reached, or for too many references
 */
export async function resolveItemReferences(
  { items, logger }: ReferenceDependencies,
  protocol: ProtocolName,
  accountId: string,
  body: Buffer,
): Promise<Buffer> {
  if (items === undefined || protocol !== 'openai-responses') return body;
  const pause = pausesFor(body.length);
  const references = await runStages(findItemReferences(body), pause);
  if (references.length === 0) return body;
  if (references.length > MAX_REFERENCES) {
    throw apiErrors.invalidRequest(`input: more than ${MAX_REFERENCES} item references. Send the items themselves.`);
  }
  const ids = [...new Set(references.map(({ id }) => id))];
  try {
    const found = await items.find(accountId, ids);
    return await runStages(replaceItemReferences(body, found), pause);
  } catch (error) {
    logger.warn({ reason: messageOf(error) }, 'items that a request refers to could not be looked up');
    throw apiErrors.unavailable('The store of earlier items');
  }
}

/** Stores the items in the last bytes of a response while they are sent to the client. */
export type StoreItems = (response: Buffer) => void;

/**
 * Creates the function that stores the items of an account's responses. It does not delay the response; an item that could
 * not be stored is rejected when a request refers to it, so nothing is lost silently.
 */
export function createStoreItems(items: ItemStore, accountId: string, logger: Logger): StoreItems {
  return (response) => {
    const storable = storableItems(response);
    items.store(accountId, storable).then(
      (stored) => {
        if (stored < storable.length)
          logger.warn({ account_id: accountId }, 'the account stores no more items for now');
      },
      (error: unknown) => logger.warn({ reason: messageOf(error) }, 'the items of a response could not be stored'),
    );
  };
}

/** A transformer that also stores the items of the response it renders. */
export function storingResponse(transformer: ResponseTransformer, store: StoreItems): ResponseTransformer {
  return {
    transform: (body) => {
      const result = transformer.transform(body);
      if (result.kind !== 'response') return result;
      return { ...result, render: (final) => stored(result.render(final), store) };
    },
  };
}

/** A transformer that also stores the items in the bytes that close the stream. */
export function storingStream(transformer: StreamTransformer, store: StoreItems): StreamTransformer {
  return {
    push: (event) => transformer.push(event),
    eof: () => transformer.eof(),
    close: (final) => stored(transformer.close(final), store),
  };
}

function stored(bytes: Buffer, store: StoreItems): Buffer {
  store(bytes);
  return bytes;
}
