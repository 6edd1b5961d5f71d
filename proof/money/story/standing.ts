import type { World } from "../world/world.ts";

/** Something that must always hold does not. */
export class Breach extends Error {
  override readonly name = "Breach";
}

type Seat = { readonly id: string; readonly balance: number; readonly taken: number };
type Open = { readonly id: string; readonly machine: string };

/**
 * At any moment: what the ledger says stands on a machine, with what the machine has done and the ledger has not heard yet, is what its
 * credit meter shows. Machines without power are asked later.
 */
export async function checkStanding(world: World): Promise<void> {
  if (!world.gate.idle) return;
  const ids = world.cabinets.map(({ id }) => id);
  const seats = await world.gate.read<Seat>(
    `select s.machine_id as id, coalesce(a.balance_minor, 0) as balance, m.taken_game as taken
     from seat s join machine m on m.id = s.machine_id left join ledger.accounts a on a.address = 'machine:' || s.machine_id
     where s.machine_id = any($1)`,
    [ids],
  );
  const open = await world.gate.read<Open>(
    "select id, machine_id as machine from machine_transfer where machine_id = any($1) and state in ('asking', 'unknown')",
    [ids],
  );
  for (const seat of seats) {
    const cabinet = world.cabinetOf(seat.id);
    const state = cabinet?.look();
    if (cabinet === undefined || state === undefined) continue;
    let due = seat.balance - (state.game?.stake ?? 0);
    for (const { id } of open.filter(({ machine }) => machine === seat.id)) {
      const record = state.done.find(({ transferId }) => transferId === id);
      if (record?.state === "done") due += record.direction === "cashIn" ? record.amount : -record.amount;
    }
    for (const event of cabinet.told.values())
      if (event.what === "gameEnded" && event.gameNumber > seat.taken) due += event.win - event.handPaid - event.stake;
    if (due !== state.credit)
      throw new Breach(
        `${seat.id} shows ${state.credit}, but by the ledger and what it has not heard yet it is ${due}`,
      );
  }
}
