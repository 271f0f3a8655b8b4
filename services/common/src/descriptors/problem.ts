/** What is wrong with a field of a request. */
export class FieldProblem extends Error {
  override readonly name = 'FieldProblem';
  /** Such as `caps.day`. */
  readonly field: string;

  constructor(field: string, problem: string) {
    super(problem);
    this.field = field;
  }
}
