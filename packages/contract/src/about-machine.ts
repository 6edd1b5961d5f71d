import * as z from "zod/mini";
import { Stakes } from "./lobby-lists.ts";
import type { OperatorText } from "./settings.ts";

/** Words for people: the same in every language, or by language. */
const words = (max: number): z.ZodMiniType<OperatorText> => {
  const text = z.string().check(z.minLength(1), z.maxLength(max));
  return z.union([text, z.object({ tr: z.optional(text), en: z.optional(text), ar: z.optional(text) })]);
};

const symbolName = words(32);
const times = z.number().check(z.gt(0), z.lte(1_000_000));

/** What so many of a symbol pay, and the free spins that they bring. */
const Prize = z.object({
  count: z.int().check(z.gte(1), z.lte(40)),
  times: z.optional(times),
  freeSpins: z.optional(z.int().check(z.gte(1), z.lte(1_000))),
});

/** `on` a line its prizes count in stakes of the line, `anywhere` in whole stakes. `wild`: counts as the other symbols of a line. */
export const PaytableSymbol = z.object({
  name: symbolName,
  on: z.enum(["line", "anywhere"]),
  wild: z.optional(z.boolean()),
  prizes: z.array(Prize).check(z.minLength(1), z.maxLength(8)),
});

/** What a machine's game pays. `lines`: on each reel the row from the top, 0 first. */
export const Paytable = z.object({
  rows: z.int().check(z.gte(1), z.lte(8)),
  lines: z
    .array(z.array(z.int().check(z.gte(0), z.lte(7))).check(z.minLength(1), z.maxLength(8)))
    .check(z.maxLength(50)),
  symbols: z.array(PaytableSymbol).check(z.minLength(1), z.maxLength(16)),
  /** Every prize of a free spin counts this many times. */
  freeSpinFactor: z.optional(times),
  /** One such symbol on each of these reels (1 first) opens a bonus of so many picks, each of `least` to `most` whole stakes. */
  bonus: z.optional(
    z.object({
      name: symbolName,
      reels: z.array(z.int().check(z.gte(1), z.lte(8))).check(z.minLength(1), z.maxLength(8)),
      picks: z.int().check(z.gte(1), z.lte(100)),
      least: times,
      most: times,
    }),
  ),
});
export type Paytable = z.infer<typeof Paytable>;

/** The longest text of an operator's rules for one machine, characters. */
export const RULES_MAX = 1_000;
export const Rules = words(RULES_MAX);

/** The long-run return in percent of what is staked; with progressive jackpots it may be above 100 for a while. */
export const ReturnPercent = z.number().check(z.gt(0), z.lte(200));

/** What a machine states of itself and its operator of it. Whatever is absent was not stated: the page says so and invents nothing. */
export const MachineAbout = z.object({
  model: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
  stakes: z.optional(Stakes),
  paytable: z.optional(Paytable),
  /** `by`: who states it. */
  return: z.optional(z.object({ percent: ReturnPercent, by: z.enum(["machine", "operator"]) })),
  /** The operator's own words on this machine. */
  rules: z.optional(Rules),
});
export type MachineAbout = z.infer<typeof MachineAbout>;
