import { inputText } from '../../canonical/tool-call.ts';
import { elementsOf } from '../../json/elements.ts';
import { parseLosslessObject } from '../../json/lossless.ts';
import { memberOf } from '../../json/object.ts';
import { scanObject } from '../../json/scan.ts';

const LIMITS = { maxDepth: 256, uniqueKeys: false, within: [] };

/**
 * The inputs of the calls in the `content` of a message or a response, by their place in it, each as a text in which numbers
 * keep all their digits.
 */
export function toolInputs(message: Buffer): (index: number) => string {
  const scanned = scanObject(message, LIMITS);
  const member = scanned.ok ? memberOf(scanned.object, 'content') : undefined;
  const spans = scanned.ok && member !== undefined ? elementsOf(scanned.object, member) : [];
  return (index) => {
    const span = spans[index];
    return span === undefined ? '{}' : inputOf(message.subarray(span.start, span.end));
  };
}

function inputOf(block: Buffer): string {
  const scanned = scanObject(block, LIMITS);
  const member = scanned.ok ? memberOf(scanned.object, 'input') : undefined;
  if (member === undefined) return '{}';
  const text = block.toString('utf8', member.valueStart, member.valueEnd);
  const object = parseLosslessObject(text);
  return object === undefined ? text : inputText(object);
}
