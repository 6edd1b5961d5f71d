import type { ControlTables, Reservation } from "../../../modules/play/control/index.ts";
import { readWish, wishReservation } from "../../../modules/play/control/index.ts";
import { asStaff, haveCarriedOut } from "../../as-staff.ts";
import { BY, readBy, whoAsks } from "../../ask-platform.ts";
import type { Command, CommandDeps, Place } from "../../command.ts";
import { CommandRefused, DRY_RUN } from "../../command.ts";
import { namedPlayer } from "../../named-player.ts";
import { timeText } from "../../output/table.ts";
import { instantOf, readToCome } from "../../reading/times.ts";

const MACHINE: Place = { name: "machine", about: "its id, such as nar-01" };

/** Keeps a machine for one player. */
export const machinesReserve: Command = {
  words: "machines reserve",
  about: "keep a machine for a player until a time",
  more: [
    "  longarm machines reserve nar-01 --player deniz.aydin --until 2h",
    "",
    "Nobody else may sit down there until then. Whoever plays it now is not sent away.",
  ].join("\n"),
  places: [MACHINE],
  options: {
    player: { type: "string", value: "<username>", about: "who may sit", needed: true },
    until: { type: "string", value: "<time>", about: "30m, 2h, 7d, 2026-12-31 or 2026-12-31T18:00Z", needed: true },
    by: BY,
    "dry-run": DRY_RUN,
  },
  prepare(given) {
    const toCome = readToCome("until", given.get("until")?.toString() ?? "");
    const username = given.get("player")?.toString() ?? "";
    const asked = { machineId: String(given.get("machine")), by: readBy(given), dryRun: given.has("dry-run") };
    return async (deps) => {
      const player = await namedPlayer(deps.db, username);
      const until = await instantOf(deps.db, "until", toCome);
      const what = `for ${player.username} until ${timeText(until)} UTC`;
      return await keep(deps, asked, { playerId: player.id, until }, what);
    };
  },
};

/** Keeps a machine for nobody any more. */
export const machinesRelease: Command = {
  words: "machines release",
  about: "end a machine's reservation",
  more: "  longarm machines release nar-01",
  places: [MACHINE],
  options: { by: BY, "dry-run": DRY_RUN },
  prepare(given) {
    const asked = { machineId: String(given.get("machine")), by: readBy(given), dryRun: given.has("dry-run") };
    return (deps) => keep(deps, asked, null, "for everybody");
  },
};

type Asked = { readonly machineId: string; readonly by: string | undefined; readonly dryRun: boolean };

async function keep(deps: CommandDeps, asked: Asked, reservation: Reservation | null, what: string) {
  const { machineId, dryRun } = asked;
  const who = whoAsks(deps, asked.by);
  await asStaff(deps, who, async (transaction) => {
    const trx = transaction.withTables<ControlTables>();
    const was = await readWish(trx, machineId);
    if (was === undefined) throw new CommandRefused(`There is no machine "${machineId.slice(0, 64)}" here.`);
    if (reservation === null && was.reservedFor === null) throw new CommandRefused(`${machineId} is not reserved.`);
    if (!dryRun) await wishReservation(trx, machineId, reservation, who);
  });
  if (dryRun) {
    deps.say(`Would keep ${machineId} ${what}. Nothing was changed.`);
    return { machine: machineId, dryRun };
  }
  deps.say(`${machineId} is kept ${what}.`);
  const carriedOut = await haveCarriedOut(deps, { kind: "carryOut", machineId, body: {}, by: who });
  return { machine: machineId, until: reservation?.until ?? null, carriedOut };
}
