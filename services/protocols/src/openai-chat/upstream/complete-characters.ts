/**
 * Joins what pieces of a text cut apart: JSON's escapes let an upstream end one piece with the first half of a
 * character, and begin the next with the other.
 */
export class CompleteCharacters {
  #half = '';

  /** The text that is whole with this piece. */
  push(piece: string): string {
    let text = this.#half === '' ? piece : this.#half + piece;
    this.#half = '';
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    return text.isWellFormed() ? text : text.toWellFormed();
  }

  /** What is left when no more comes. */
  end(): string {
    const left = this.#half;
    this.#half = '';
    return left.toWellFormed();
  }
}
