export { type DeskAgent, deskAgents } from "./agents.ts";
export { type DeskMachine, deskFloor } from "./floor.ts";
export { deskMachine, deskMachineEvents, deskMachineGames, deskPulse } from "./machine.ts";
export {
  type DeskHandPay,
  deskDiscrepancies,
  deskHandPays,
  deskPlaySessions,
  deskUnresolved,
} from "./money.ts";
