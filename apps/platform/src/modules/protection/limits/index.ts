export type { LimitKind, LimitOwner, Limits, LimitsTables, SetLimit, Standing } from "./limits.ts";
export {
  COUNTED_HOURS,
  exclusionSetAt,
  holdsFrom,
  isExcluded,
  LIMIT_KINDS,
  limitOf,
  limitsOf,
  limitsOfAll,
  mayHaveToLeave,
  playersWithLimits,
  RELAX_AFTER_MS,
  setLimit,
  standingLimits,
  wasEverLimited,
} from "./limits.ts";
