/**
 * The values of a form by the names of its fields. An integer that a double cannot hold is a `bigint`: a default of the
 * server only with `exactIntegers`, a value of the user whenever he gives one.
 */
export interface FormContent {
  readonly [field: string]: string | number | bigint | boolean | readonly string[];
}
