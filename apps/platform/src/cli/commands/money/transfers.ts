import { listOpenTransfers } from "../../../modules/play/books/index.ts";
import { writeAmount } from "../../amount.ts";
import type { Command } from "../../command.ts";
import { count, tableLines } from "../../output/table.ts";

/** Lists transfers whose outcome is open, with who looks after them. */
export const transfersOpen: Command = {
  words: "transfers open",
  about: "list transfers whose outcome is not known yet: how old, which node asks the machine, what came back",
  more: [
    "  longarm transfers open",
    "",
    "Nothing needs to be done by hand: the node named as owner asks the machine's own record until it tells, and no time decides. What is older",
    "than TRANSFER_ALARM_MS also calls for staff: see why the machine or its agent does not answer.",
  ].join("\n"),
  options: {},
  prepare:
    () =>
    async ({ db, say }) => {
      const rows = await listOpenTransfers(db);
      const head = ["transfer", "machine", "player", "way", "amount", "state", "age", "owner", "asked", "answer"];
      const cells = rows.map((row) => [
        ...[row.id, row.machineId, row.player ?? "", row.direction === "cashIn" ? "cash-in" : "cash-out"],
        ...[row.asked === null ? "all" : writeAmount(row.asked), row.state, `${row.ageS} s`, row.owner],
        ...[String(row.askedTimes), row.lastAnswer ?? ""],
      ]);
      if (rows.length > 0) for (const line of tableLines([head, ...cells])) say(line);
      say(`${count(rows.length, "transfer")} with an open outcome.`);
      return { transfers: rows };
    },
};
