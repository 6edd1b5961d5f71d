import { caOn } from "./ca-on.ts";
import { de } from "./de.ts";
import { gb } from "./gb.ts";
import { lab } from "./lab.ts";
import type { Market, MarketId } from "./market.ts";
import { mt } from "./mt.ts";
import { none } from "./none.ts";
import type { RuleName, Rules } from "./rules.ts";
import { RULE_NAMES } from "./rules.ts";
import { se } from "./se.ts";
import { usNj } from "./us-nj.ts";

export const MARKETS: Readonly<Record<MarketId, Market>> = {
  none,
  gb,
  de,
  se,
  "ca-on": caOn,
  mt,
  "us-nj": usNj,
  lab,
};

/** The values of a market's rules, without their sources. */
export function rulesOfMarket(id: MarketId): Rules {
  const { rules } = MARKETS[id];
  const value = <K extends RuleName>(name: K) => rules[name].value as Rules[K];
  return Object.fromEntries(RULE_NAMES.map((name) => [name, value(name)])) as Rules;
}
