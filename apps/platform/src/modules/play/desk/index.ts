export { type DeskAgent, deskAgents } from "./agents.ts";
export { type DeskMachine, deskFloor } from "./floor.ts";
export {
  deskEventsBetween,
  deskEventsSince,
  deskMachine,
  deskMachineEvents,
  deskMachineGames,
  deskPulse,
} from "./machine.ts";
export {
  type DeskHandPay,
  deskDiscrepancies,
  deskHandPayMachines,
  deskHandPays,
  deskMarks,
  deskPlaySessions,
  deskUnresolved,
  deskWrongDays,
} from "./money.ts";
