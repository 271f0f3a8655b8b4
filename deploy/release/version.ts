/** A version of Semantic Versioning, without build metadata, which tags of images cannot have. */
const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-z-][\da-z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-z-][\da-z-]*))*))?$/i;

/** Compares two versions: negative if the first one is older. Undefined if one of them is none. */
export function compareVersions(one: string, other: string): number | undefined {
  const [first, second] = [VERSION.exec(one), VERSION.exec(other)];
  if (first === null || second === null) return undefined;
  const numbers = compareLists(first.slice(1, 4), second.slice(1, 4));
  if (numbers !== 0) return numbers;
  const [preview, otherPreview] = [first[4], second[4]];
  if (preview === undefined || otherPreview === undefined)
    return Number(preview === undefined) - Number(otherPreview === undefined);
  return compareLists(preview.split('.'), otherPreview.split('.'));
}

/** The longer list is newer where the other one is its beginning. */
function compareLists(one: readonly string[], other: readonly string[]): number {
  for (const [index, part] of one.entries()) {
    const against = other[index];
    const order = against === undefined ? 1 : compareParts(part, against);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

/** Numbers are older than words. */
function compareParts(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (isNumber && isOtherNumber) return Number(one) - Number(other);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return one === other ? 0 : one < other ? -1 : 1;
}
