export { MARKETS, rulesOfMarket } from "./all.ts";
export type { MarketChoice, MarketScope, MarketTables } from "./chosen.ts";
export {
  AGE_MIN_MOST,
  chooseMarket,
  hasMarkets,
  marketChoices,
  marketsAt,
  marketsOf,
  mayClosePlay,
  mayLimitPlay,
  mayOfferLimits,
  rulesOf,
  rulesOfAll,
} from "./chosen.ts";
export type { Market, MarketId } from "./market.ts";
export { MARKET_IDS } from "./market.ts";
export type { CareThresholds, ForcedBreak, LimitOffer, Register, RuleName, Rules, Source } from "./rules.ts";
export { REGISTERS, RULE_NAMES, strictest } from "./rules.ts";
