import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { findItemReferences, replaceItemReferences } from '@tollgate/protocols/openai-responses/shared/item-references';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { pausesFor, runStages } from '../../shared/scheduling/stages.ts';
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
