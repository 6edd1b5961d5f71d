export { cashInProblem, sitProblem } from "./check.ts";
export type { Limits, SetLimit, Standing } from "./limits.ts";
export { COUNTED_HOURS, holdsFrom, limitsOf, limitsOfAll, RELAX_AFTER_MS, setLimit, standingLimits } from "./limits.ts";
export type { LimitKind, LimitOwner, LimitsTables } from "./tables.ts";
export { LIMIT_KINDS } from "./tables.ts";
