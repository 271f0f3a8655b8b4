import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { ResponseTransformer, StreamTransformer } from '@tollgate/protocols/interface/protocol';
import { storableItems } from '@tollgate/protocols/openai-responses/shared/storable-item';
import type { ItemStore } from './item-store.ts';

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
