/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One variable: how its text becomes a value. An empty variable counts as absent, as in most shells and unit files. */
export type Variable<T> = {
  /** What the text must be, as the end of a sentence: `must be yes or no`. */
  readonly must: string;
  /** The value when the variable is absent; undefined: the variable is required. */
  readonly fallback: T | undefined;
  /** Undefined: the text is not what it must be. */
  parse(text: string): T | undefined;
};
type Variables = Readonly<Record<string, Variable<unknown>>>;
/** The values of all variables, by name. */
export type Values<V extends Variables> = { readonly [Name in keyof V]: V[Name] extends Variable<infer T> ? T : never };

/** The configuration cannot be used. Its message names every bad variable with what it must be, one a line. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

type Checks<V extends Variables> = {
  /** What the caller has found wrong with other variables. */
  readonly complaints?: readonly string[];
  /** What is wrong with variables together, once each is right alone. */
  contradictions?(values: Values<V>): readonly string[];
};

/**
 * Reads the environment of a process.
 * @throws ConfigError naming every bad variable at once; it never repeats a value, which may be a secret.
 */
export function readEnvironment<V extends Variables>(
  variables: V,
  environment: Environment,
  checks: Checks<V> = {},
): Values<V> {
  const complaints: string[] = [];
  const found: Record<string, unknown> = {};
  for (const [name, { must, fallback, parse }] of Object.entries(variables)) {
    const given = environment[name]?.trim() ?? "";
    const value = given === "" ? fallback : parse(given);
    if (value === undefined) complaints.push(`${name} ${must}`);
    found[name] = value;
  }
  const values = found as Values<V>;
  if (complaints.length === 0) complaints.push(...(checks.contradictions?.(values) ?? []));
  complaints.push(...(checks.complaints ?? []));
  if (complaints.length === 0) return values;
  throw new ConfigError(["The configuration cannot be used:", ...complaints.map((line) => `  ${line}`)].join("\n"));
}

/** A variable that may be absent. */
export const variable = <T>(fallback: T, must: string, parse: (text: string) => T | undefined): Variable<T> => ({
  fallback,
  must,
  parse,
});

/** A variable that a process cannot start without. */
export const required = <T>(must: string, parse: (text: string) => T | undefined): Variable<T> => ({
  fallback: undefined,
  must,
  parse,
});

/** A whole number between two bounds, written in digits. */
export const wholeNumber = (min: number, max: number, fallback: number): Variable<number> =>
  variable(fallback, `must be a whole number from ${min} to ${max}`, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });

/** `1`, `true`, `yes` or `0`, `false`, `no`. */
export const yesNo = (fallback: boolean): Variable<boolean> =>
  variable(fallback, "must be yes or no", (text) => {
    if (/^(1|true|yes)$/i.test(text)) return true;
    return /^(0|false|no)$/i.test(text) ? false : undefined;
  });

const TEXT_LENGTH_MAX = 4_000;
/** Free text. */
export const text = <T extends string | null>(fallback: T, lengthMax = TEXT_LENGTH_MAX): Variable<string | T> =>
  variable<string | T>(fallback, `must have 1 to ${lengthMax} characters`, (given) =>
    given.length <= lengthMax ? given : undefined,
  );

/** One of a few words. */
export const oneOf = <const W extends string>(words: readonly W[], fallback: NoInfer<W>): Variable<W> =>
  variable(fallback, `must be one of ${words.join(", ")}`, (given) => words.find((word) => word === given));

const LIST_LENGTH_MAX = 8_000;
/** A list separated by commas. */
export const listOf = (must: string, isItem: (item: string) => boolean): Variable<readonly string[]> =>
  variable<readonly string[]>([], must, (given) => {
    const items = given.split(",").map((item) => item.trim());
    const named = items.filter((item) => item !== "");
    return given.length <= LIST_LENGTH_MAX && named.every(isItem) ? named : undefined;
  });

/** One machine's address, of a template that `machineAddress` has read. */
export const addressOfMachine = (address: string, machineId: string): string =>
  address.replaceAll("{machine}", encodeURIComponent(machineId));

const ADDRESS_LENGTH_MAX = 2_000;
/** An address of each machine at a media server, with `{machine}` in place of its id; null: there is none. */
export const machineAddress: Variable<string | null> = variable<string | null>(
  null,
  "must be an http or https address with {machine} in place of a machine's id, without a user name",
  (given) => {
    const url = URL.parse(addressOfMachine(given, "m"));
    const isPlain = url !== null && url.username === "" && url.password === "" && url.hash === "";
    const fits = isPlain && /^https?:$/.test(url.protocol) && given.includes("{machine}");
    return fits && given.length <= ADDRESS_LENGTH_MAX ? given : undefined;
  },
);

/** True for an address that only this computer can reach. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
