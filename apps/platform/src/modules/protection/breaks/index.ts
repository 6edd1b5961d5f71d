export type { LongPlay, OnBreak } from "./breaks.ts";
export { breakOf, breakProblem, breaksOf, forceBreaks, isOnBreak, playClosedFor, playersOnBreak } from "./breaks.ts";
export { createBreaks } from "./player-routes.ts";
