import type { EgmEvent } from "../../apps/agent/src/ports/egm.ts";
import { transferIdOf } from "../../apps/platform/src/modules/play/wallet/transfer-id.ts";
import type { Cabinet } from "./agent-box.ts";
import type { Claim } from "./claims.ts";
import { unaccountable, unaccounted } from "./claims.ts";
import { operatorWrong } from "./operator-side.ts";
import { broughtBy, providerWrong } from "./provider-side.ts";
import { plainId } from "./sas-machine.ts";
import type { World } from "./world.ts";
import { depositOf } from "./world.ts";

export type Row = {
  readonly id: string;
  readonly machine: string;
  readonly player: string;
  readonly direction: "cashIn" | "cashOut";
  readonly asked: number | null;
  readonly state: "asking" | "unknown" | "done" | "refused";
  readonly amount: number;
};

/** Calls for staff that no fault of a story explains. */
const WRONG =
  /differ|missing|do not add up|never told|more than it was asked|could not be booked|has lost events|cannot be booked/;

/** Everything that must hold when all is quiet: the books, the machines and the model say the same, to the last coin. */
export async function checkBooks(world: World): Promise<Row[]> {
  const wrong: string[] = [];
  const rows = await world.gate.read<Row>(
    `select id, machine_id as machine, player_id as player, direction, asked, state, amount
     from machine_transfer where machine_id = any($1)`,
    [world.cabinets.map(({ id }) => id)],
  );
  const truths = new Map(world.cabinets.map((cabinet) => [cabinet.id, truthOf(cabinet)]));
  const claims = await unaccountable(world);
  wrong.push(...transfersWrong(rows, truths, claims), ...answersWrong(world, rows));
  wrong.push(...(await ledgerWrong(world, rows, claims)), ...(await walletsWrong(world, rows, { truths, claims })));
  wrong.push(...(await gamesWrong(world, truths)), ...(await holdsWrong(world)));
  wrong.push(...(await operatorWrong(world)), ...(await providerWrong(world)));
  for (const [alarm, { machineId = "", times }] of world.alarms)
    if (WRONG.test(alarm) && !claims.has(machineId)) wrong.push(`${times} times "${alarm}"`);
  if (wrong.length > 0) throw new Breach(wrong.slice(0, 12).join("; "));
  return rows;
}

/**
 * Each transfer moved at its machine what it is decided as, once; none moved that is not written down. What a machine has lost the record of is
 * not decided as moved, and claimed by its amount.
 */
function transfersWrong(
  rows: readonly Row[],
  truths: ReadonlyMap<string, Truth>,
  claims: ReadonlyMap<string, readonly Claim[]>,
): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const wrong: string[] = [];
  for (const row of rows) {
    const moved = truths.get(row.machine)?.moved.get(row.id)?.amount ?? 0;
    const booked = row.state === "done" ? row.amount : 0;
    const claimed = unaccounted(claims.get(row.machine) ?? [], row.id);
    if (moved !== booked + claimed)
      wrong.push(`${row.direction} ${row.id} moved ${moved} at ${row.machine} and is ${row.state} ${booked}`);
  }
  for (const [machine, { moved, twice }] of truths) {
    for (const id of twice) wrong.push(`${id} moved money twice at ${machine}`);
    for (const id of moved.keys())
      if (!byId.has(id)) wrong.push(`${id} moved money at ${machine} and is not written down`);
  }
  return wrong;
}

/** The outcome that a page received is the real one: "done" of that amount, or that nothing was moved. */
function answersWrong(world: World, rows: readonly Row[]): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return world.visitors.flatMap(({ playerId, asks }) =>
    asks.flatMap(({ id, direction, pageOutcome = "unknown", repeated }) => {
      const row = byId.get(transferIdOf(playerId, id));
      const came = row?.state === "done" ? `done ${row.amount}` : "refused";
      const isNo = pageOutcome.startsWith("refused");
      const right = pageOutcome === "unknown" || pageOutcome === came || (isNo && (repeated || came === "refused"));
      return right ? [] : [`the page received "${pageOutcome}" for the ${direction} ${id}, and it is ${came}`];
    }),
  );
}

type Moved = {
  readonly id: string;
  readonly kind: string;
  readonly amount: number;
  readonly origin: string;
  readonly target: string;
};

/** Each decided transfer is in the ledger once, and the ledger has no transfer without a request. */
async function ledgerWrong(
  world: World,
  rows: readonly Row[],
  claims: ReadonlyMap<string, readonly Claim[]>,
): Promise<string[]> {
  const machines = world.cabinets.map(({ id }) => `machine:${id}`);
  const players = world.visitors.map(({ playerId }) => `player:${playerId}`);
  const all = await world.gate.read<Moved>(
    `select t.id, t.kind, t.amount_minor as amount, f.address as origin, o.address as target from ledger.transfers t
     join ledger.accounts f on f.id = t.from_account join ledger.accounts o on o.id = t.to_account
     where f.address = any($1) or o.address = any($1)`,
    [[...machines, ...players]],
  );
  const due = new Map(
    rows.filter(({ state, amount }) => state === "done" && amount > 0).map((row) => [row.id, row.amount]),
  );
  const wrong: string[] = [];
  const explained = new Set([...claims.keys()].map((id) => `machine:${id}`));
  for (const { id, kind, amount, origin, target } of all) {
    // What a seat was held for comes back from there; that it does so once is checked with the holds.
    if (origin === "fees" && kind === "correction") continue;
    // What goes back to a provider, or comes back from one, is checked with the payments.
    if (origin.startsWith("provider:") || target.startsWith("provider:")) continue;
    if ((kind === "suspense" || kind === "correction") && !explained.has(origin) && !explained.has(target))
      wrong.push(`${kind} of ${amount} (${id})`);
    if (kind !== "cashIn" && kind !== "cashOut") continue;
    if (due.get(id) !== amount)
      wrong.push(`the ledger moved ${amount} by ${id}, decided ${due.get(id) ?? "as nothing"}`);
    due.delete(id);
  }
  for (const [id, amount] of due) wrong.push(`${id} is done with ${amount} and not in the ledger`);
  const holds = await world.gate.read<{ id: string }>(
    `select h.id from ledger.holds h join ledger.accounts f on f.id = h.from_account
     where h.status = 'open' and f.address = any($1)`,
    [players],
  );
  for (const { id } of holds) wrong.push(`the hold ${id} is open`);
  const differences = await world.gate.read<object>("select * from discrepancy where machine_id = any($1)", [
    world.cabinets.map(({ id }) => id).filter((id) => !claims.has(id)),
  ]);
  for (const row of differences) wrong.push(`a difference is noted: ${JSON.stringify(row)}`);
  for (const breach of await world.gate.read<object>("select * from ledger.breaches()"))
    wrong.push(JSON.stringify(breach));
  return wrong;
}

/**
 * Every wallet holds what was put in, and what its player has won less what was staked. Of a player of a machine that has lost a record: what was
 * put in and paid by hand, less the cash-ins and with the cash-outs that were decided. What a player owes is below zero.
 */
async function walletsWrong(
  world: World,
  rows: readonly Row[],
  { truths, claims }: { truths: ReadonlyMap<string, Truth>; claims: ReadonlyMap<string, readonly Claim[]> },
): Promise<string[]> {
  const playerOf = new Map(rows.map(({ id, player }) => [id, player]));
  const due = new Map(world.visitors.map(({ playerId }, at) => [playerId, depositOf(world, at)]));
  const add = (player: string, amount: number): void => void due.set(player, (due.get(player) ?? 0) + amount);
  const wrong: string[] = [];
  const byRows = new Set(rows.filter(({ machine }) => claims.has(machine)).map(({ player }) => player));
  for (const { player, direction, state, amount } of rows)
    if (byRows.has(player) && state === "done") add(player, direction === "cashIn" ? -amount : amount);
  for (const { player, amount } of await paidByHand(world, byRows)) add(player, amount);
  for (const { player, price, back } of await feesOf(world)) add(player, back - price);
  for (const [player, amount] of broughtBy(world)) add(player, amount);
  for (const [machine, { netOf }] of truths)
    for (const [transferId, net] of netOf) {
      const player = playerOf.get(transferId);
      if (player === undefined) wrong.push(`${machine} played with credits that belong to no player`);
      else if (!byRows.has(player)) add(player, net);
    }
  const accounts = await world.gate.read<{ player: string; balance: number }>(
    `select split_part(address, ':', 2) as player, sum(balance_minor)::bigint as balance from ledger.accounts where address = any($1) group by 1`,
    [world.visitors.flatMap(({ playerId }) => [`player:${playerId}`, `owed:${playerId}`])],
  );
  const here = new Map(accounts.map(({ player, balance }) => [player, balance]));
  for (const [player, wanted] of due) {
    const balance = (here.get(player) ?? 0) + (world.operator?.wallet.balanceOf(player) ?? 0);
    if (balance !== wanted) wrong.push(`${player} has ${balance} instead of ${wanted}`);
  }
  return wrong;
}

type Fee = { readonly id: string; readonly player: string; readonly price: number; readonly back: number };

/** What the ledger has moved for held seats, and back of it. */
const feesOf = async (world: World): Promise<Fee[]> =>
  await world.gate.read(
    `select t.id, substr(f.address, 8) as player, t.amount_minor as price,
       coalesce((select sum(b.amount_minor) from ledger.transfers b where b.corrects = t.id), 0)::bigint as back
     from ledger.transfers t join ledger.accounts f on f.id = t.from_account
     where t.kind = 'fee' and f.address = any($1)`,
    [world.visitors.map(({ playerId }) => `player:${playerId}`)],
  );

/** Each hold took its price once, as its page was answered; nothing was taken without a hold, and nothing came back twice. */
async function holdsWrong(world: World): Promise<string[]> {
  type Hold = { id: string; player: string; price: number; transfer: string | null };
  const holds = await world.gate.read<Hold>(
    "select id, player_id as player, price, transfer_id as transfer from seat_hold where player_id = any($1)",
    [world.visitors.map(({ playerId }) => playerId)],
  );
  const wrong: string[] = [];
  const fees = new Map((await feesOf(world)).map((fee) => [fee.id, fee]));
  const known = new Map(holds.map((hold) => [hold.id, hold]));
  for (const { id, player, price, transfer } of holds) {
    const fee = transfer === null ? undefined : fees.get(transfer);
    if (transfer !== null) fees.delete(transfer);
    if ((fee?.price ?? 0) !== price || (fee && (fee.player !== player || fee.back > fee.price)))
      wrong.push(`the hold ${id} of ${price} took ${JSON.stringify(fee)}`);
  }
  for (const { id, price } of fees.values()) wrong.push(`${price} were taken by ${id}, for no held seat`);
  for (const { playerId, holds: asks } of world.visitors)
    for (const { id, taken, repeated } of asks) {
      if (taken === undefined) continue;
      const hold = known.get(id);
      // A hold under another id that was not over was answered instead.
      if (
        hold === undefined
          ? typeof taken === "number" && !holds.some(({ player }) => player === playerId)
          : taken !== hold.price && !repeated
      )
        wrong.push(`the page was answered ${taken} for the hold ${id}, and it is ${hold?.price ?? "none"}`);
    }
  return wrong;
}

/** Hand pays of these players; that each is one of its machine is checked with the games. */
async function paidByHand(
  world: World,
  players: ReadonlySet<string>,
): Promise<readonly { readonly player: string; readonly amount: number }[]> {
  if (players.size === 0) return [];
  return await world.gate.read(
    `select substr(o.address, 8) as player, t.amount_minor as amount from ledger.transfers t
     join ledger.accounts o on o.id = t.to_account where t.kind in ('handPay', 'jackpot') and o.address = any($1)`,
    [[...players].map((player) => `player:${player}`)],
  );
}

/** One row of the history for each game of a machine, with its stake, win and credits. */
async function gamesWrong(world: World, truths: ReadonlyMap<string, Truth>): Promise<string[]> {
  type Game = { machine: string; games: number; staked: number; won: number; paid: number };
  const kept = await world.gate.read<Game>(
    `select machine_id as machine, count(*)::bigint as games, sum(stake)::bigint as staked, sum(win)::bigint as won,
       sum(hand_paid)::bigint as paid from game where machine_id = any($1) group by machine_id`,
    [[...truths.keys()]],
  );
  const byMachine = new Map(kept.map((one) => [one.machine, one]));
  return [...truths].flatMap(([machine, { games }]) => {
    const sum = (of: (game: (typeof games)[number]) => number): number =>
      games.reduce((all, game) => all + of(game), 0);
    const real = [games.length, sum((game) => game.stake), sum((game) => game.win), sum((game) => game.handPaid)].join(
      " ",
    );
    const { games: count = 0, staked = 0, won = 0, paid = 0 } = byMachine.get(machine) ?? {};
    const inHistory = [count, staked, won, paid].join(" ");
    return inHistory === real
      ? []
      : [`${machine} played ${real} (games, staked, won, by hand), the history has ${inHistory}`];
  });
}

/** What one machine has really done, by its own record. Amounts in minor units. */
type Truth = {
  /** Money that moved, by transfer id; `twice` has each id that moved it twice. */
  readonly moved: ReadonlyMap<string, { readonly direction: string; readonly amount: number }>;
  readonly twice: readonly string[];
  readonly games: readonly Extract<EgmEvent, { what: "gameEnded" }>[];
  /** Won less staked, by the transfer that had brought the last credits before the game; "": none had. */
  readonly netOf: ReadonlyMap<string, number>;
};

/** Folds all events of a machine, in the order in which they happened. */
function truthOf(cabinet: Cabinet): Truth {
  cabinet.look();
  const moved = new Map<string, { direction: string; amount: number }>();
  const netOf = new Map<string, number>();
  const twice: string[] = [];
  const games: Extract<EgmEvent, { what: "gameEnded" }>[] = [];
  let owner = "";
  for (const event of [...cabinet.events.values()].sort((one, other) => one.seq - other.seq)) {
    if (event.what === "transferComplete") {
      const { transferId, direction, amount } = event;
      if (moved.has(transferId)) twice.push(transferId);
      moved.set(transferId, { direction, amount });
      if (direction === "cashIn") owner = transferId;
    }
    if (event.what === "gameEnded") {
      games.push(event);
      netOf.set(owner, (netOf.get(owner) ?? 0) + event.win - event.stake);
    }
  }
  return { moved, twice, games, netOf };
}

/** Something that must always hold does not. */
export class Breach extends Error {
  override readonly name = "Breach";
}

type Seat = { readonly id: string; readonly balance: number; readonly taken: number };
type Open = { readonly id: string; readonly machine: string };

/**
 * At any moment: the machine's balance in the ledger, with what the machine has done and the ledger does not have yet, is what its
 * credit meter shows. Machines without power are checked later.
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
  const claims = await unaccountable(world);
  for (const seat of seats) {
    if (claims.has(seat.id)) continue;
    const cabinet = world.cabinetOf(seat.id);
    const state = cabinet?.look();
    if (cabinet === undefined || state === undefined) continue;
    let due = seat.balance - (state.game?.stake ?? 0);
    for (const { id } of open.filter(({ machine }) => machine === seat.id)) {
      const record = state.done.find((one) => one.state === "done" && plainId(one.transferId) === id);
      if (record?.state === "done") due += record.direction === "cashIn" ? record.amount : -record.amount;
    }
    for (const event of cabinet.events.values())
      if (event.what === "gameEnded" && event.gameNumber > seat.taken) due += event.win - event.handPaid - event.stake;
    if (due !== state.credit)
      throw new Breach(
        `${seat.id} shows ${state.credit}, but the ledger and the events on their way to it make ${due}`,
      );
  }
}
