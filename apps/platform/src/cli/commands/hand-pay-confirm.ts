import { askOperation } from "../../modules/operations/index.ts";
import { askPlatform, BY, readBy } from "../ask-platform.ts";
import type { Command } from "../command.ts";

/** Pays what a machine owes its player and has not paid itself. */
export const handPayConfirm: Command = {
  words: "handpay confirm",
  about: "pay what a machine owes by hand, and reset the machine",
  more: [
    "  longarm handpay confirm nar-01",
    "",
    "The amount goes to the player's wallet, once, and the machine can be played again. When the machine could not be",
    "reset, the same command asks it again and pays nothing.",
  ].join("\n"),
  places: [{ name: "machine", about: "its id, such as nar-01" }],
  options: { by: BY },
  prepare(given) {
    const machineId = String(given.get("machine"));
    const by = readBy(given);
    return (deps) =>
      askPlatform(deps, by, (ask, who) => askOperation(ask, { kind: "confirmHandPay", machineId, body: {}, by: who }));
  },
};
