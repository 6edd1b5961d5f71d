import { SIMULATED_EVENTS, SIMULATED_FAULTS } from "@longarm/contract/machine";
import { askOperation } from "../../modules/play/operations/index.ts";
import { askPlatform, BY, readBy, wouldAsk } from "../ask-platform.ts";
import type { Command } from "../command.ts";
import { DRY_RUN, UsageProblem } from "../command.ts";

/** Makes something happen at a simulated machine. */
export const simulate: Command = {
  words: "simulate",
  about: "make something happen at a simulated machine",
  more: [
    "  longarm simulate nar-01 tilt",
    "  longarm simulate nar-01 repair",
    "",
    `${SIMULATED_FAULTS.join(", ").padEnd(23)} at once; repair ends them`,
    "handpay, bonus,         with the machine's next game, which the player starts;",
    "  freespins, jackpot      repair takes the wish back, a restart of the agent forgets it",
    "offline                 the line between machine and agent is dead; repair mends it",
    `repair                  ends ${SIMULATED_FAULTS.join(", ")} and offline. A hand pay that is owed stays owed: longarm handpay confirm`,
    "",
    "It happens at the machine, so everything else is as with a real one: events, meters, locks, money.",
  ].join("\n"),
  places: [
    { name: "machine", about: "its id, such as nar-01" },
    { name: "event", about: SIMULATED_EVENTS.join(", ") },
  ],
  options: { by: BY, "dry-run": DRY_RUN },
  prepare(given) {
    const machineId = String(given.get("machine"));
    const event = String(given.get("event"));
    const what = SIMULATED_EVENTS.find((one) => one === event);
    if (what === undefined)
      throw new UsageProblem(`"${event.slice(0, 40)}" cannot be simulated. There are: ${SIMULATED_EVENTS.join(", ")}.`);
    const by = readBy(given);
    if (given.has("dry-run")) return (deps) => wouldAsk(deps, machineId, `bring ${what} at ${machineId}`);
    return (deps) =>
      askPlatform(deps, by, (ask, who) => askOperation(ask, { kind: "simulate", machineId, body: { what }, by: who }));
  },
};
