/**
 * The vocabulary of the configuration's JSON Schema (draft-07, which editors know best).
 *
 * It is closed, so that a keyword that the checker could not word does not compile. Beyond the standard,
 * `patternErrorMessage` says what a text that breaks `pattern` is not (editors show it too), and `x-otherNames` lists
 * what other programs call a key, for suggestions only.
 */
export type ConfigurationSchema = TextSchema | IntegerSchema | BooleanSchema | ListSchema | MapSchema;

interface CommonSchema {
  readonly description: string;
  readonly 'x-otherNames'?: readonly string[];
}

interface TextSchema extends CommonSchema {
  readonly type: 'string';
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly patternErrorMessage?: string;
  readonly default?: string;
}

interface IntegerSchema extends CommonSchema {
  readonly type: 'integer';
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

interface BooleanSchema extends CommonSchema {
  readonly type: 'boolean';
  readonly default?: boolean;
}

interface ListSchema extends CommonSchema {
  readonly type: 'array';
  readonly items: ConfigurationSchema;
  readonly maxItems: number;
  readonly default?: readonly unknown[];
}

interface MapSchema extends CommonSchema {
  readonly type: 'object';
  readonly properties?: Readonly<Record<string, ConfigurationSchema>>;
  readonly additionalProperties: false | ConfigurationSchema;
  readonly propertyNames?: NameSchema;
  readonly maxProperties?: number;
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
  readonly oneOf?: readonly VariantSchema[];
  readonly default?: Readonly<Record<string, never>>;
}

interface NameSchema {
  readonly maxLength: number;
  readonly pattern: string;
  readonly patternErrorMessage: string;
}

interface VariantSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, { readonly enum: readonly string[] }>>;
}

/** The value that a user may write under a schema: every key may be left out. */
export type Written<Schema> = Schema extends { properties: infer Properties }
  ? { readonly [Key in keyof Properties]?: Written<Properties[Key]> }
  : Schema extends { additionalProperties: infer Value }
    ? Readonly<Record<string, Written<Value>>>
    : Schema extends { items: infer Item }
      ? readonly Written<Item>[]
      : Leaf<Schema>;

/** The value under a schema once it is checked: keys with a default are there. */
export type Checked<Schema> = Schema extends { properties: infer Properties }
  ? {
      readonly [Key in keyof Properties as Properties[Key] extends Defaulted ? Key : never]: Checked<Properties[Key]>;
    } & {
      readonly [Key in keyof Properties as Properties[Key] extends Defaulted ? never : Key]?: Checked<Properties[Key]>;
    }
  : Schema extends { additionalProperties: infer Value }
    ? Readonly<Record<string, Checked<Value>>>
    : Schema extends { items: infer Item }
      ? readonly Checked<Item>[]
      : Leaf<Schema>;

interface Defaulted {
  readonly default: unknown;
}

type Leaf<Schema> = Schema extends { enum: readonly (infer Choice)[] }
  ? Choice
  : Schema extends { type: 'string' }
    ? string
    : Schema extends { type: 'integer' }
      ? number
      : Schema extends { type: 'boolean' }
        ? boolean
        : never;
