import * as z from "zod/mini";

/** A whole number between two bounds, written in digits. */
export function wholeNumber(least: number, most: number, fallback: number): z.ZodMiniType<number> {
  const message = `must be a whole number from ${least} to ${most}`;
  return withDefault(z.string().check(z.regex(/^\d{1,15}$/, message)), fallback, (text) => Number(text), {
    holds: (value) => value >= least && value <= most,
    message,
  });
}

/** Yes or no: `1`, `true`, `yes` or `0`, `false`, `no`. */
export function yesNo(fallback: boolean): z.ZodMiniType<boolean> {
  const schema = z.string().check(z.regex(/^(1|true|yes|0|false|no)$/i, "must be yes or no"));
  return withDefault(schema, fallback, (text) => /^(1|true|yes)$/i.test(text));
}

/** Free text; absent: `fallback`. */
export function textOr<T extends string | null>(fallback: T): z.ZodMiniType<string | T> {
  return withDefault<string | T>(z.string().check(z.maxLength(4_000)), fallback, (text) => text);
}

/** Text of one shape; absent: `fallback`. */
export function textThat(fallback: string, shape: RegExp, message: string): z.ZodMiniType<string> {
  return withDefault(z.string().check(z.regex(shape, message)), fallback, (text) => text);
}

/** One of a few words. */
export function oneOf<const W extends readonly string[]>(words: W, fallback: W[number]): z.ZodMiniType<W[number]> {
  return withDefault<W[number]>(
    z.string().check(z.refine((text) => words.includes(text), `must be one of ${words.join(", ")}`)),
    fallback,
    (text) => text as W[number],
  );
}

/** A list parted by commas, each item checked by `holds`. */
export function listOf(message: string, holds: (item: string) => boolean): z.ZodMiniType<readonly string[]> {
  return withDefault<readonly string[]>(z.string().check(z.maxLength(8_000)), [], splitList, {
    holds: (items) => items.every(holds),
    message,
  });
}

/** True for `https://host[:port]` or `http://…` and nothing behind it. */
export function isOrigin(text: string): boolean {
  const address = URL.parse(text);
  return address !== null && /^https?:$/.test(address.protocol) && address.origin === text.replace(/\/$/, "");
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

type Rule<T> = { readonly holds: (value: T) => boolean; readonly message: string };

/** An empty variable counts as absent, as in most shells and unit files. */
function withDefault<T>(
  schema: z.ZodMiniType<string>,
  fallback: T,
  read: (text: string) => T,
  rule?: Rule<T>,
): z.ZodMiniType<T> {
  return z.pipe(
    z.optional(z.string()),
    z.transform((text: string | undefined, context): T => {
      if (text === undefined || text.trim() === "") return fallback;
      const parsed = z.safeParse(schema, text.trim());
      if (!parsed.success) return complain(context, parsed.error.issues[0]?.message ?? "is not valid", fallback);
      const value = read(parsed.data);
      if (rule && !rule.holds(value)) return complain(context, rule.message, fallback);
      return value;
    }),
  ) as unknown as z.ZodMiniType<T>;
}

type Context = { readonly issues: unknown[] };

function complain<T>(context: Context, message: string, fallback: T): T {
  context.issues.push({ code: "custom", message, input: undefined });
  return fallback;
}
