import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { storableItems } from '@tollgate/protocols/openai-responses/shared/storable-item';
import type { ResponseTransformer, StreamTransformer } from '@tollgate/protocols/protocol';
import type { ItemStore } from './item-store.ts';

/** Takes the last bytes of an answer on their way to the client. */
export type Keeper = (answer: Buffer) => void;

/**
 * Keeps the items of an answer while it goes out: the client can name them as soon as it has it. An item that could not be
 * kept is refused when it is named, so that nothing is lost silently.
 */
export function itemKeeper(items: ItemStore, accountId: string, logger: Logger): Keeper {
  return (answer) => {
    const storable = storableItems(answer);
    items.keep(accountId, storable).then(
      (kept) => {
        if (kept < storable.length) logger.warn({ account_id: accountId }, 'the account keeps no more items for now');
      },
      (error: unknown) => logger.warn({ reason: messageOf(error) }, 'the items of an answer could not be kept'),
    );
  };
}

/** The passage, with what it renders shown to the keeper. */
export function keepingWhole(passage: ResponseTransformer, keep: Keeper): ResponseTransformer {
  return {
    transform: (body) => {
      const reading = passage.transform(body);
      if (reading.kind !== 'response') return reading;
      return { ...reading, render: (final) => kept(reading.render(final), keep) };
    },
  };
}

/** The passage, with the bytes that close it shown to the keeper. */
export function keepingStream(passage: StreamTransformer, keep: Keeper): StreamTransformer {
  return {
    push: (event) => passage.push(event),
    eof: () => passage.eof(),
    close: (final) => kept(passage.close(final), keep),
  };
}

function kept(bytes: Buffer, keep: Keeper): Buffer {
  keep(bytes);
  return bytes;
}
