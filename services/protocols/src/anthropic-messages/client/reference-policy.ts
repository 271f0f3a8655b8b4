import { appendKey } from '../../json/path.ts';
import { isRecord, isSet, recordOr } from '../../json/record.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { MessagesRequest } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/** Tool runners of Anthropic's SDKs create a thread by default. At these details they send the full conversation instead. */
const THREAD_UNSUPPORTED = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };

/**
 * Rejects ids of objects stored in the provider's account: the account is shared, so an id could name another customer's
 * data. The messages say what to send instead.
 */
export function checkReferencePolicy({ request }: ParsedRequest, findings: PolicyFindings): void {
  const { errors } = findings;
  checkContainer(request, findings);
  if (isSet(request['thread'])) {
    errors.push({
      ...diagnostic(
        'thread',
        'conversations stored at the provider are not accepted; send the full conversation in messages',
      ),
      details: THREAD_UNSUPPORTED,
    });
  }
  if (isSet(request['user_profile_id'])) {
    errors.push(diagnostic('user_profile_id', 'ids of objects stored at the provider are not accepted; remove it'));
  }
  if (typeof request.diagnostics?.previous_message_id === 'string') {
    findings.warnings.push(diagnostic('diagnostics', 'left out, since the provider account is shared'));
    findings.edits.push({ op: 'remove', path: ['diagnostics'] });
  }
  for (let i = 0; i < request.messages.length; i++) {
    const content = request.messages[i]?.content;
    if (!Array.isArray(content)) continue;
    for (let j = 0; j < content.length; j++) findFiles(content[j], `messages[${i}].content[${j}]`, findings);
  }
}

/** A container is the provider's machine for tools that it runs; skills are loaded into it. */
function checkContainer({ container }: MessagesRequest, { errors, warnings, edits }: PolicyFindings): void {
  if (!isSet(container)) return;
  const { id, skills } = recordOr(container);
  if (typeof container === 'string' || isSet(id)) {
    const path = typeof container === 'string' ? 'container' : 'container.id';
    errors.push(diagnostic(path, 'ids of containers at the provider are not accepted; remove it'));
    return;
  }
  const custom = Array.isArray(skills) ? skills.findIndex((skill) => recordOr(skill)['type'] !== 'anthropic') : -1;
  if (custom >= 0) {
    errors.push(
      diagnostic(`container.skills[${custom}]`, 'ids of skills stored at the provider are not accepted; remove it'),
    );
    return;
  }
  warnings.push(diagnostic('container', 'left out, since tools run by the provider are not supported'));
  edits.push({ op: 'remove', path: ['container'] });
}

/** A block, its source and the blocks within can name an uploaded file; a tool's input is the client's own. */
function findFiles(value: unknown, path: string, findings: PolicyFindings): void {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) findFiles(value[i], `${path}[${i}]`, findings);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'input') continue;
    const place = appendKey(path, key);
    if (key === 'file_id' && typeof inner === 'string') {
      findings.errors.push(
        diagnostic(place, 'ids of uploaded files are not accepted; send the content with a source of type base64'),
      );
    } else if (typeof inner === 'object') findFiles(inner, place, findings);
  }
}
