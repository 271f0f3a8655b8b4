import { diagnostic } from '../../request/diagnostics.ts';
import type { GeminiContent } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/**
 * Rejects names of objects stored in the provider's account: the account is shared, so a name could be that of another
 * customer's data. The messages say what to send instead.
 */
export function checkReferencePolicy({ request, aliases }: ParsedRequest, { errors }: PolicyFindings): void {
  const reject = (path: string, message: string) => errors.push(diagnostic(aliases.path(path), message));
  if (isSet(request.cachedContent)) {
    reject('cachedContent', 'contents stored at the provider are not accepted; send them in contents');
  }
  if (isSet(request.continuationToken)) {
    const instead = 'send the response so far in contents, and set automaticContinuation to false in the SDK';
    reject('continuationToken', `responses stored at the provider cannot be continued; ${instead}`);
  }
  for (const [i, content] of request.contents.entries()) checkContent(content, `contents[${i}]`, reject);
  if (request.systemInstruction) checkContent(request.systemInstruction, 'systemInstruction', reject);
}

type Reject = (path: string, message: string) => void;

function checkContent({ parts }: Pick<GeminiContent, 'parts'>, path: string, reject: Reject): void {
  for (const [i, part] of (parts ?? []).entries()) {
    const at = `${path}.parts[${i}]`;
    checkFile(part.fileData?.fileUri, `${at}.fileData.fileUri`, reject);
    for (const [j, inner] of (part.functionResponse?.parts ?? []).entries()) {
      checkFile(inner.fileData?.fileUri, `${at}.functionResponse.parts[${j}].fileData.fileUri`, reject);
    }
  }
}

function checkFile(uri: string | undefined, path: string, reject: Reject): void {
  if (uri === undefined || isPublicUrl(uri)) return;
  reject(path, 'files stored at the provider are not accepted; send the content as inlineData or a public https URL');
}

/**
 * Whether it is a public address, not one of the provider's own APIs, where the shared account has rights. https
 * addresses of Cloud Storage are public or signed.
 */
function isPublicUrl(uri: string): boolean {
  const url = URL.parse(uri);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return false;
  const host = url.hostname.replace(/\.$/, '');
  if (host === 'storage.googleapis.com') return true;
  return host !== 'googleapis.com' && !host.endsWith('.googleapis.com');
}

function isSet(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== '';
}
