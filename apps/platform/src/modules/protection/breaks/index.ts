export type { LongPlay, OnBreak } from "./breaks.ts";
export { breakOf, breakProblem, breaksOf, forceBreaks, isOnBreak, playClosedFor } from "./breaks.ts";
export { createBreaks } from "./player-routes.ts";
