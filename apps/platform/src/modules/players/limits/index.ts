export type { LimitKind, LimitOwner, Limits, LimitsTables, SetLimit, Standing } from "./limits.ts";
export {
  COUNTED_HOURS,
  exclusionSetAt,
  holdsFrom,
  LIMIT_KINDS,
  limitsOf,
  limitsOfAll,
  mayHaveToLeave,
  playersWithLimits,
  RELAX_AFTER_MS,
  setLimit,
  standingLimits,
} from "./limits.ts";
