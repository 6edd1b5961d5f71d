export type { AnswerOrder, HoldsFrom, SetLimit } from "./changes.ts";
export {
  answerLimit,
  holdsFrom,
  lockLimits,
  looserWishes,
  looserWishesOf,
  OWN_LIMIT,
  RELAX_AFTER_MS,
  setLimit,
  takeLimitBack,
  waitOf,
} from "./changes.ts";
export type {
  HeldLimit,
  Limited,
  LimitKind,
  LimitName,
  LimitOwner,
  Limits,
  LimitsTables,
  Standing,
} from "./limits.ts";
export {
  ANSWER_DAYS,
  exclusionSetAt,
  isExcluded,
  LIMIT_KINDS,
  limitNameOf,
  limitOf,
  limitPartsOf,
  limitsOf,
  limitsOfAll,
  mayHaveToLeave,
  playersWithLimits,
  standingLimits,
  strictestOf,
  wasEverLimited,
} from "./limits.ts";
export { begunLimits, newsAt, readNews } from "./news.ts";
export type { LimitsOfferTables, OfferAnswer, OfferGate } from "./offer.ts";
export { answerOffer, limitsOfferDue, offerProblem } from "./offer.ts";
