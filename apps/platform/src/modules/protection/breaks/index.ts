export type { LongPlay, OnBreak } from "./breaks.ts";
export { breakOf, breakProblem, breaksOf, closedBy, forceBreaks, isOnBreak } from "./breaks.ts";
export { createBreaks } from "./player-routes.ts";
