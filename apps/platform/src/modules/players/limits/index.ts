export { cashInProblem, sitProblem } from "./check.ts";
export type { LimitKind, LimitOwner, Limits, LimitsTables, SetLimit, Standing } from "./limits.ts";
export {
  COUNTED_HOURS,
  holdsFrom,
  LIMIT_KINDS,
  limitsOf,
  limitsOfAll,
  RELAX_AFTER_MS,
  setLimit,
  standingLimits,
} from "./limits.ts";
