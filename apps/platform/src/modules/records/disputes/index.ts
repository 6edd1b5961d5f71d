export { bookedBeside } from "./booked.ts";
export type { DisputeActor, DisputeRow, Verdict } from "./disputes.ts";
export {
  addStaffStep,
  decideDispute,
  disputeWordsKept,
  eraseDisputeWords,
  gameIdOf,
  listDisputes,
  lockDispute,
  newsFor,
  noteReading,
  paysDispute,
  stepsOf,
  waitingDisputes,
} from "./disputes.ts";
export { createDisputes, dueDaysOf, stateOf } from "./player-routes.ts";
