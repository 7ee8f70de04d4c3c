/** The values of a form by the names of its fields. */
export interface FormContent {
  readonly [field: string]: string | number | boolean | readonly string[];
}
