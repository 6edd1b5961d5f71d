import { askOperation, owedAt } from "../../modules/play/operations/index.ts";
import type { PlayTables } from "../../modules/play/tables.ts";
import { writeAmount } from "../amount.ts";
import { askPlatform, BY, readBy, wouldAsk } from "../ask-platform.ts";
import type { Command, CommandDeps } from "../command.ts";
import { CommandRefused, DRY_RUN } from "../command.ts";

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
  options: { by: BY, "dry-run": DRY_RUN },
  prepare(given) {
    const machineId = String(given.get("machine"));
    const by = readBy(given);
    if (given.has("dry-run")) return (deps) => tryOut(deps, machineId);
    return (deps) =>
      askPlatform(deps, by, (ask, who) => askOperation(ask, { kind: "confirmHandPay", machineId, body: {}, by: who }));
  },
};

async function tryOut(deps: CommandDeps, machineId: string): Promise<object> {
  const owed = await owedAt({ db: deps.db.withTables<PlayTables>() }, machineId);
  const what = owed
    ? `pay the hand pay ${owed.handPayId} of ${writeAmount(owed.amount)} at ${machineId} and reset the machine`
    : "";
  const would = await wouldAsk({ ...deps, ...(what === "" && { say: () => {} }) }, machineId, what);
  if (owed === undefined) throw new CommandRefused(`The machine ${machineId} owes no hand pay.`);
  return { ...would, handPay: owed.handPayId, amount: owed.amount };
}
