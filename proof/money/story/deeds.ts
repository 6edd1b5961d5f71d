import fc from "fast-check";
import { MONEY_STEPS as AGENT_STEPS } from "../../../apps/agent/src/money/steps.ts";
import { MONEY_STEPS as PLATFORM_STEPS } from "../../../apps/platform/src/modules/play/wallet/index.ts";

/** One thing that happens in a story; `gapMs` of virtual time pass behind it. Players, machines and agents are told by number. */
export type Deed = { readonly gapMs: number } & Happening;

const who = fc.nat(63);
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 200, max: 9_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 9_001, max: 70_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(1, 60_000, 60_001) },
);
const maybeAll = fc.option(amount, { nil: null, freq: 3 });
const share = fc.double({ min: 0, max: 1, noNaN: true });
/** Faults that stay are mended more often than made, or most of a story would stand still. */
const seldom = fc.constantFrom(true, false, false, false, false);
const soon = fc.integer({ min: 1, max: 60 });

const deed = <const Name extends string, Fields extends object = Record<never, never>>(
  name: Name,
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
): fc.Arbitrary<{ do: Name } & Fields> =>
  fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<{ do: Name } & Fields>;

const at = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

const weather = fc.constantFrom("calm", "calm", "lossy", "doubling", "mixed", "late");

/** Everything that may happen, and how often; `faults` times as many crashes and troubles. */
const happeningOf = (faults: number) =>
  fc.oneof(
    at(330, deed("cashIn", { who, amount })),
    at(300, deed("cashOut", { who, amount: maybeAll })),
    at(30, deed("repeat", { who, back: fc.nat(2) })),
    at(40, deed("spin", { who, times: fc.integer({ min: 1, max: 4 }) })),
    at(4, deed("spinOver", { who })),
    at(3, deed("panel", { who, button: fc.constantFrom("betUp", "betDown", "maxBet", "band:10", "band:50") })),
    at(6, deed("stay", { who })),
    at(8, deed("leave", { who })),
    at(4, deed("drop", { who })),
    at(4, deed("reload", { who })),
    at(3, deed("move", { who, to: who })),
    at(2, deed("cancel", { who })),
    at(2, deed("kick", { who })),
    at(1, deed("ban", { who })),
    at(2, deed("house", { who })),
    at(3, deed("wish", { at: who, wish: fc.constantFrom("handpay", "handpay", "bonus", "freespins", "jackpot") })),
    at(14, deed("confirm", { at: who })),
    at(4, deed("door", { at: who, open: seldom })),
    at(4, deed("tilt", { at: who, on: seldom })),
    at(3, deed("line", { at: who, cut: seldom })),
    at(1 * faults, deed("power", { at: who })),
    at(2 * faults, deed("powerAtDisk", { at: who, after: soon })),
    at(1 * faults, deed("agentDies", { at: who, share })),
    at(2 * faults, deed("agentDiesAtDisk", { at: who, after: soon, share })),
    at(2 * faults, deed("agentDiesAtStep", { at: who, step: fc.constantFrom(...AGENT_STEPS), share })),
    at(1 * faults, deed("platformDies", {})),
    at(1 * faults, deed("platformDiesAtStep", { step: fc.constantFrom(...PLATFORM_STEPS) })),
    at(2 * faults, deed("platformDiesAtStatement", { after: fc.integer({ min: 1, max: 120 }), behind: fc.boolean() })),
    at(5 * faults, deed("connectionLost", { after: fc.integer({ min: 1, max: 60 }), behind: fc.boolean() })),
    at(3 * faults, deed("linkCut", { at: who })),
    at(3 * faults, deed("storm", { at: who, weather })),
    at(2 * faults, deed("pageStorm", { who, weather })),
    at(2 * faults, deed("cable", { cable: fc.constantFrom("sound", "sound", "deaf", "mute", "slow") })),
    at(3, deed("diskFull", { at: who, full: seldom })),
    at(2, deed("slowDatabase", { slow: seldom })),
    at(2, deed("quiet", { ms: fc.integer({ min: 500, max: 14_000 }) })),
  );
export type Happening = ReturnType<typeof happeningOf> extends fc.Arbitrary<infer H> ? H : never;

const gapMs = fc.oneof(at(6, fc.integer({ min: 0, max: 40 })), at(3, fc.integer({ min: 40, max: 200 })));

/** A story of up to `most` deeds, each length as likely. */
export const storyOf = (most: number, faults: number): fc.Arbitrary<Deed[]> =>
  fc.noBias(
    fc.array(
      fc.tuple(happeningOf(faults), gapMs).map(([what, gap]) => ({ ...what, gapMs: gap }) as Deed),
      { minLength: 1, maxLength: most, size: "max" },
    ),
  );
