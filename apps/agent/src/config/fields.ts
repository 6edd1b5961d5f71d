import * as z from "zod/mini";

/** One variable: absent or empty gives `fallback`; else `read` gives its value, or undefined when it is not `must`. */
export function field<T>(fallback: T, must: string, read: (text: string) => T | undefined): z.ZodMiniType<T> {
  return z.pipe(
    z.optional(z.string()),
    z.transform((text: string | undefined, context): T => {
      const given = text?.trim() ?? "";
      if (given === "") return fallback;
      const value = read(given);
      if (value !== undefined) return value;
      context.issues.push({ code: "custom", message: must, input: undefined });
      return fallback;
    }),
  ) as unknown as z.ZodMiniType<T>;
}

/** One variable that must be given. */
export function needed<T>(must: string, read: (text: string) => T | undefined): z.ZodMiniType<T> {
  return z.pipe(
    z.optional(z.string()),
    z.transform((text: string | undefined, context) => {
      const value = text === undefined ? undefined : read(text.trim());
      if (value === undefined) context.issues.push({ code: "custom", message: must, input: undefined });
      return value;
    }),
  ) as unknown as z.ZodMiniType<T>;
}

export function wholeNumber(least: number, most: number, fallback: number): z.ZodMiniType<number> {
  return field(fallback, `must be a whole number from ${least} to ${most}`, (text) => numberIn(text, least, most));
}

export function numberIn(text: string, least: number, most: number): number | undefined {
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

export function yesNo(fallback: boolean): z.ZodMiniType<boolean> {
  return field(fallback, "must be yes or no", (text) => {
    if (/^(1|true|yes)$/i.test(text)) return true;
    return /^(0|false|no)$/i.test(text) ? false : undefined;
  });
}

export function oneOf<const W extends readonly string[]>(words: W, fallback: W[number]): z.ZodMiniType<W[number]> {
  return field<W[number]>(fallback, `must be one of ${words.join(", ")}`, (text) =>
    words.find((word) => word === text),
  );
}

/** Parts between commas, each passing `holds`. */
export function listOf(must: string, holds: (item: string) => boolean): z.ZodMiniType<readonly string[]> {
  return field<readonly string[]>([], must, (text) => {
    const items = text.split(",").map((item) => item.trim());
    return items.every(holds) ? items : undefined;
  });
}
