import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { ChatMessage } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/** Top-level fields by which compatible upstreams refer to objects stored in the account. */
const REFERENCES: readonly string[] = ['previous_response_id', 'conversation', 'container', 'cached_content'];

/**
 * Rejects ids of objects stored in the provider's account: the account is shared, so an id could name another customer's
 * data. The messages say what to send instead.
 */
export function checkReferencePolicy({ request }: ParsedRequest, { errors }: PolicyFindings): void {
  for (const field of REFERENCES) {
    const value = request[field];
    if (value === undefined || value === null) continue;
    errors.push(
      diagnostic(field, 'ids of objects stored at the provider are not accepted; send the conversation in messages'),
    );
  }
  for (let i = 0; i < request.messages.length; i++) {
    const message = request.messages[i];
    if (message !== undefined) checkMessage(message, i, errors);
  }
}

function checkMessage(message: ChatMessage, index: number, errors: Diagnostic[]): void {
  if (message.role === 'assistant' && typeof message.audio?.id === 'string') {
    errors.push(
      diagnostic(
        `messages[${index}].audio.id`,
        'ids of earlier audio are not accepted; send the transcript as content',
      ),
    );
  }
  if (!Array.isArray(message.content)) return;
  for (let i = 0; i < message.content.length; i++) {
    const part = message.content[i];
    if (part !== undefined) checkPart(part, `messages[${index}].content[${i}]`, errors);
  }
}

/** A part of any type, or the object in it, can name an uploaded file. */
function checkPart(part: Readonly<Record<string, unknown>>, path: string, errors: Diagnostic[]): void {
  if (typeof part['file_id'] === 'string') errors.push(uploadedFile(`${path}.file_id`));
  for (const [key, value] of Object.entries(part)) {
    if (typeof value === 'object' && value !== null && 'file_id' in value && typeof value.file_id === 'string') {
      errors.push(uploadedFile(`${path}.${key}.file_id`));
    }
  }
}

function uploadedFile(path: string): Diagnostic {
  return diagnostic(path, 'ids of uploaded files are not accepted; send the content as file_data');
}
