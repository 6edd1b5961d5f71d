import { SIMULATED_EVENTS, SIMULATED_FAULTS } from "@longarm/contract/machine";
import { openLedger } from "@longarm/ledger/ledger";
import type { ControlTables, Reservation } from "../../modules/play/control/index.ts";
import { readWish, wishReservation } from "../../modules/play/control/index.ts";
import { machineExists } from "../../modules/play/machines.ts";
import type { FloorRow } from "../../modules/play/operations/index.ts";
import { listFloor, owedAt } from "../../modules/play/operations/index.ts";
import type { PlayTables } from "../../modules/play/tables.ts";
import type { StaffTables } from "../../modules/staff/accounts/index.ts";
import { payByHand, slipsOf } from "../../modules/staff/desk/index.ts";
import type { CommandDeps } from "../command.ts";
import { actCommand, CommandRefused, command, UsageProblem } from "../command.ts";
import { actAtDesk, sayOutcome } from "../desk.ts";
import { argument, DRY_RUN, flag, futureTime, instantOf, MACHINE, plainText, required } from "../fields.ts";
import { count, printableLine, sayTable, timeText, writeAmount } from "../output.ts";
import { asStaff, carryOut, namedPlayer, noMachine, requestOperation, sayDryOperation } from "../staff.ts";

export const machinesList = command({
  name: "machines list",
  about: "list the machines: player, state, and why one is closed",
  more: "  longarm machines list --taken",
  options: {
    taken: flag("only those whose seat is taken"),
    trouble: flag("only those that something keeps players away from"),
  },
  async run({ db, say }, { taken, trouble }) {
    const all = await listFloor(db);
    const rows = all
      .filter(({ player }) => !taken || player !== null)
      .filter((row) => !trouble || troubleOf(row) !== "");
    sayTable(say, rows, columnsOf);
    const players = all.filter(({ player }) => player !== null).length;
    say(`${count(all.length, "machine")}, ${count(players, "player")}.`);
    return { machines: rows };
  },
});

const STATUS: Readonly<Record<FloorRow["status"], string>> = {
  notAvailable: "not available",
  available: "available",
  waiting: "waiting",
  playing: "playing",
  reserved: "reserved",
};

function columnsOf(row: FloorRow): string[] {
  const { id, name, simulated, status, state, player, credit } = row;
  const seat = player === null ? ["", "", ""] : [state, player, writeAmount(credit)];
  return [id, name, STATUS[status], ...seat, troubleOf(row), simulated ? "simulated" : ""];
}

/** Everything that keeps players away. */
function troubleOf({ answers, lockup, mode, differences }: FloorRow): string {
  return [
    answers ? "" : "does not answer",
    mode === "open" ? "" : mode,
    lockup === null ? "" : `locked: ${lockup}`,
    differences === 0 ? "" : `${count(differences, "difference")} to explain (suspense list)`,
  ]
    .filter((text) => text !== "")
    .join(", ");
}

export const machinesReserve = actCommand({
  name: "machines reserve",
  needs: "machine.operate",
  about: "keep a machine for a player until a time",
  more: [
    "  longarm machines reserve nar-01 --player deniz.aydin --until 2h",
    "",
    "Only that player may sit down there until then. A player who sits there now may stay.",
  ].join("\n"),
  arguments: { machine: MACHINE },
  options: {
    player: required("<username>", "who may sit", plainText),
    until: required("<time>", "30m, 2h, 7d, 2026-12-31 or 2026-12-31T18:00Z", futureTime),
    dryRun: DRY_RUN,
  },
  async run(deps, { player: username, until: time, ...input }) {
    const player = await namedPlayer(deps.db, username);
    const until = await instantOf(deps.db, time);
    const what = `for ${player.username} until ${timeText(until)} UTC`;
    return await setReservation(deps, input, { playerId: player.id, until }, what);
  },
});

export const machinesRelease = actCommand({
  name: "machines release",
  needs: "machine.operate",
  about: "end a machine's reservation",
  more: "  longarm machines release nar-01",
  arguments: { machine: MACHINE },
  options: { dryRun: DRY_RUN },
  run: (deps, input) => setReservation(deps, input, null, "for everybody"),
});

type Input = { readonly machine: string; readonly by: string; readonly dryRun: boolean };

async function setReservation(deps: CommandDeps, input: Input, reservation: Reservation | null, what: string) {
  const { machine, by, dryRun } = input;
  await asStaff(deps, by, async (transaction) => {
    const trx = transaction.withTables<ControlTables>();
    const was = await readWish(trx, machine);
    if (was === undefined) throw new CommandRefused(noMachine(machine));
    if (reservation === null && was.reservedFor === null) throw new CommandRefused(`${machine} is not reserved.`);
    if (!dryRun) await wishReservation(trx, machine, reservation, by);
  });
  if (dryRun) {
    deps.say(`Would keep ${machine} ${what}. Nothing was changed.`);
    return { machine, dryRun };
  }
  deps.say(`${machine} is kept ${what}.`);
  const carriedOut = await carryOut(deps, { kind: "carryOut", machineId: machine, body: {}, by });
  return { machine, until: reservation?.until ?? null, carriedOut };
}

export const handPayConfirm = actCommand({
  name: "handpay confirm",
  needs: "handPay.pay",
  about: "pay what a machine owes by hand, and reset the machine",
  more: [
    "  longarm handpay confirm nar-01",
    "",
    "The amount goes to the player's wallet, once, and the machine can be played again. When the machine could not be",
    "reset, the same command tries the reset again and pays nothing.",
  ].join("\n"),
  arguments: { machine: MACHINE },
  options: { dryRun: DRY_RUN },
  async run(deps, { machine, by, dryRun }) {
    const owed = await owedAt({ db: deps.db.withTables<PlayTables>() }, machine);
    if (dryRun) {
      const what = owed
        ? `pay the hand pay ${owed.handPayId} of ${writeAmount(owed.amount)} at ${machine} and reset the machine`
        : "";
      const would = await sayDryOperation(deps, machine, what);
      if (owed === undefined) throw new CommandRefused(`The machine ${machine} owes no hand pay.`);
      return { ...would, handPay: owed.handPayId, amount: owed.amount };
    }
    if (owed === undefined) {
      const isThere = await machineExists(deps.db, machine);
      throw new CommandRefused(isThere ? `The machine ${machine} owes no hand pay.` : noMachine(machine));
    }
    const { handPayId, amount: machineAmount } = owed;
    // What is paid already is only reset, below.
    const isPaid = (await slipsOf(deps.db.withTables<StaffTables>(), [{ machineId: machine, handPayId }])).size > 0;
    if (deps.acting.caller !== null && !isPaid) {
      const sent = { params: { id: machine }, fields: { handPay: handPayId, machineAmount }, dryRun: false };
      const outcome = await actAtDesk(deps, deps.acting.caller, "payHandPay", sent);
      const would = `pay the hand pay ${handPayId} at ${machine}`;
      const done = ({ machineReset }: Record<string, unknown>) =>
        `Paid ${writeAmount(machineAmount)} at ${machine}. ${machineReset === true ? "The machine was reset." : "The machine could not be reset: run it again."}`;
      return sayOutcome(deps, outcome, { done, would });
    }
    const { paid, slip } = await asStaff(deps, by, (transaction) =>
      payByHand(
        transaction.withTables<StaffTables>(),
        openLedger(transaction),
        { machineId: machine, handPayId, machineAmount, override: null },
        // Who may read the database on the server acts alone; the slip says so.
        { by: { id: deps.acting.id, actor: by }, signedBy: null, onePerson: true },
      ),
    );
    if (paid === "unknownPlayer")
      deps.say(`The player who won the hand pay ${printableLine(handPayId)} is unknown: no wallet was paid.`);
    const body = { handPayId, announce: paid === "player" };
    const reset = await carryOut(deps, { kind: "confirmHandPay", machineId: machine, body, by });
    return { machine, handPay: handPayId, amount: machineAmount, slip: slip?.number ?? null, reset };
  },
});

export const simulate = actCommand({
  name: "simulate",
  needs: "machine.simulate",
  about: "make something happen at a simulated machine",
  more: [
    "  longarm simulate nar-01 tilt",
    "  longarm simulate nar-01 repair",
    "",
    `${SIMULATED_FAULTS.join(", ").padEnd(23)} at once; repair ends them`,
    "handpay, bonus,         with the machine's next game, which the player starts;",
    "  freespins, jackpot      repair cancels it, a restart of the agent forgets it",
    "offline                 the connection between machine and agent is lost; repair restores it",
    `repair                  ends ${SIMULATED_FAULTS.join(", ")} and offline. A hand pay that is owed stays owed: longarm handpay confirm`,
    "",
    "It happens at the machine, so everything else is as with a real one: events, meters, locks, money.",
  ].join("\n"),
  arguments: {
    machine: MACHINE,
    event: argument(SIMULATED_EVENTS.join(", "), (text) => {
      const event = SIMULATED_EVENTS.find((one) => one === text);
      if (event !== undefined) return event;
      throw new UsageProblem(`"${text.slice(0, 40)}" cannot be simulated. There are: ${SIMULATED_EVENTS.join(", ")}.`);
    }),
  },
  options: { dryRun: DRY_RUN },
  run: (deps, { machine, event, by, dryRun }): Promise<unknown> =>
    dryRun
      ? sayDryOperation(deps, machine, `bring ${event} at ${machine}`)
      : requestOperation(deps, { kind: "simulate", machineId: machine, body: { what: event }, by }),
});
