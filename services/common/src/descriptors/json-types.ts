/**
 * The JSON of a message by the one rule of `toJson`, as a type of its generated interface. A type cannot see the rules of the
 * proto file: times that are always set, and enumerations, are given as `Known`.
 */
export type JsonOf<T, Known extends object = object> = Omit<JsonFields<T>, keyof Known> & Known;

type JsonFields<T> = { [K in keyof T & string as JsonName<K>]: JsonField<K, T[K]> };

/** `createdAtMs` is `created_at`, `dayNanos` is `day`, and any other name the proto file's. */
type JsonName<K extends string> = K extends `${infer Name}Ppm`
  ? `${SnakeCase<Name>}_percent`
  : SnakeCase<WithoutUnit<K extends TimeName ? WithoutUnit<K, 'Ms'> : K, 'Nanos'>>;
type TimeName = `${string}AtMs` | `${string}UntilMs`;
type WithoutUnit<K extends string, Unit extends string> = K extends `${infer Name}${Unit}` ? Name : K;

type JsonField<K extends string, V> = K extends TimeName
  ? string | null
  : undefined extends V
    ? JsonOptional<K, Exclude<V, undefined>>
    : JsonValue<K, V>;

/** A wrapped list is that list, absent settings are written as objects of nulls, and what else is absent as null. */
type JsonOptional<K extends string, V> = IsSettings<V> extends true ? JsonFields<V> : JsonValue<K, V> | null;
type IsSettings<V> = V extends string | number | bigint | boolean | Buffer
  ? false
  : [keyof V] extends [OptionalKeys<V>]
    ? true
    : false;
type OptionalKeys<V> = { [K in keyof V]: undefined extends V[K] ? K : never }[keyof V];

type JsonValue<K extends string, V> = V extends bigint
  ? K extends `${string}Nanos`
    ? string
    : number
  : K extends `${string}Ppm`
    ? string
    : V extends string | boolean
      ? V
      : V extends number
        ? number extends V
          ? number
          : string
        : V extends Buffer
          ? string
          : V extends readonly (infer Item)[]
            ? JsonValue<K, Item>[]
            : string extends keyof V
              ? V
              : Wrapped<V> extends never
                ? JsonFields<V>
                : Wrapped<V>;

/** The list or map that a message only wraps, else never. */
type Wrapped<V> = keyof V extends infer K extends keyof V
  ? V[K] extends readonly unknown[] | Record<string, string>
    ? V[K]
    : never
  : never;

type SnakeCase<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Text;
