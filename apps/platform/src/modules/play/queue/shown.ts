import type {
  PlaceState,
  QueueAnswer,
  QueueOutlook,
  QueuePlace,
  QueueWish,
  WaitRange,
} from "@longarm/contract/player-queue";
import { WISH_MACHINES_MAX } from "@longarm/contract/player-queue";
import { sql } from "kysely";
import type { Clock } from "../../../clock.ts";
import { shareOf } from "../../../random.ts";
import type { PlayDeps } from "../deps.ts";
import { isClosed, isInService, isReachable } from "../seat/index.ts";
import { turnLeftMs, turnMs } from "./fair-time.ts";
import type { InLine } from "./line.ts";
import { linesOf } from "./line.ts";
import { aheadOf } from "./order.ts";
import { CALL_GRACE_MS, ELSEWHERE_MS } from "./queue.ts";
import type { Sittings } from "./sittings.ts";
import type { PlaceRow, QueueDb, WaitingNow } from "./tables.ts";
import { waitingNow, wantsMet, wantsOf, wishOf } from "./tables.ts";
import { waitRange } from "./wait-time.ts";

/** A machine as those who wait for it see it. */
type Machine = {
  readonly id: string;
  readonly name: string;
  readonly brand: string;
  readonly wants: readonly string[];
  readonly closed: boolean;
  readonly working: boolean;
  /** How long the present player has sat, ms; null: the seat is free. */
  readonly sittingMs: number | null;
  /** What is left of the present player's turn, ms; null: there is no such rule. */
  readonly turnLeftMs: number | null;
  /** It is in a bonus, a hand pay or a fault, or its player is away: its end cannot be foreseen. */
  readonly unforeseen: boolean;
};

export type ShownParts = {
  readonly deps: Pick<PlayDeps, "config" | "random">;
  readonly db: QueueDb;
  readonly sittings: Sittings;
};

/** What a player sees of the own places. */
export async function shownTo(parts: ShownParts, playerId: string): Promise<QueueAnswer> {
  const { deps, db, sittings } = parts;
  const { play } = deps.config;
  const { rows: own } = await sql<PlaceRow & { leftMs: number | null }>`
    select q.*, coalesce(q.rank, q.number) as number, (extract(epoch from q.call_until - clock_timestamp()) * 1000)::double precision as "leftMs"
    from queue_place q where q.player_id = ${playerId} and q.ended_at is null order by q.number`.execute(db);
  const machines = await machinesFor(
    db,
    own.flatMap(({ wants }) => wants),
  );
  const lines = await linesOf(
    db,
    machines.map(({ id }) => id),
  );
  const known = await sittings.now();
  const places = own.map((place): QueuePlace => {
    const mine = machinesOf(machines, place.wants);
    const state = stateOf(place, mine);
    return {
      id: place.id,
      wish: wishOf(place.wants),
      ...(place.chosen !== null && { chosen: wishOf(place.chosen) }),
      machines: mine.slice(0, WISH_MACHINES_MAX).map(({ id, name, brand }) => ({ id, name, brand })),
      state,
      ahead: aheadOf(distinct(lines, mine), { ...place, ready: true }),
      wait: state === "waiting" ? waitOf(parts, known, mine, lineOf(lines, mine, place)) : null,
      joinedAt: place.joined_at.toISOString(),
      misses: place.misses,
      passesLeft: Math.max(0, play.QUEUE_PASSES - place.passes),
      linkPass: !place.link_passed,
      call: callOf(place, mine, play.QUEUE_READY_MS),
    };
  });
  return {
    places,
    placesMax: play.QUEUE_PLACES,
    any: { brand: play.QUEUE_ANY_BRAND, denomination: play.QUEUE_ANY_DENOMINATION },
    ended: await endedOf(db, playerId),
  };
}

/** What is seen of a wish before joining holds for so long for every player, ms. */
const OUTLOOK_KEPT_MS = 5_000;
/** So many wishes are kept. */
const OUTLOOKS_MAX = 5_000;

/** What places for wishes would be: the same for every player who has none, so that a floor full of cards is looked at once. */
export class Outlooks {
  readonly #parts: ShownParts;
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly outlook: QueueOutlook; readonly untilMs: number }>();

  constructor(parts: ShownParts, clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
  }

  /** In the order of the wishes. */
  async of(wishes: readonly QueueWish[]): Promise<QueueOutlook[]> {
    const now = this.#clock.now();
    const fresh = (wish: QueueWish) => {
      const kept = this.#kept.get(String(wantsOf(wish)));
      return kept !== undefined && kept.untilMs > now ? kept.outlook : undefined;
    };
    const read = await outlooksOf(
      this.#parts,
      wishes.filter((wish) => fresh(wish) === undefined),
    );
    const answer = wishes.map((wish) => fresh(wish) ?? read.get(wish) ?? { wish, machines: 0, ahead: 0, wait: null });
    if (this.#kept.size > OUTLOOKS_MAX) this.#kept.clear();
    for (const [wish, outlook] of read)
      this.#kept.set(String(wantsOf(wish)), { outlook, untilMs: now + OUTLOOK_KEPT_MS });
    return answer;
  }
}

async function outlooksOf(
  parts: ShownParts,
  wishes: readonly QueueWish[],
): Promise<ReadonlyMap<QueueWish, QueueOutlook>> {
  const { db, sittings } = parts;
  const machines = await machinesFor(db, wishes.flatMap(wantsOf));
  const lines = await linesOf(
    db,
    machines.map(({ id }) => id),
  );
  const known = await sittings.now();
  return new Map(
    wishes.map((wish) => {
      const mine = machinesOf(machines, wantsOf(wish));
      const before = lineOf(lines, mine);
      const waits = mine.some(({ closed, working }) => !closed && working);
      const wait = waits ? waitOf(parts, known, mine, before) : null;
      return [wish, { wish, machines: mine.length, ahead: before.length, wait }];
    }),
  );
}

const machinesOf = (machines: readonly Machine[], wanted: readonly string[]): Machine[] =>
  machines.filter(({ wants }) => wants.some((want) => wanted.includes(want)));

/** How long a wait is for these machines, behind these others; null: it is not known. */
function waitOf(
  { deps }: ShownParts,
  { lengths, seatedShare }: Awaited<ReturnType<Sittings["now"]>>,
  mine: readonly Machine[],
  before: readonly { readonly machineIds: readonly string[] }[],
): WaitRange | null {
  if (mine.some(({ unforeseen }) => unforeseen)) return null;
  const { QUEUE_TURN_MIN: turnMin } = deps.config.play;
  const range = waitRange({
    machines: mine.map(({ id, sittingMs, turnLeftMs }) => ({
      ...{ id, sittingMs, turnLeftMs },
      lengthsMs: lengths.get(id) ?? [],
    })),
    ahead: before.map(({ machineIds }) => machineIds),
    mine: mine.map(({ id }) => id),
    seatedShare,
    turnMs: turnMin === 0 ? null : turnMs(turnMin),
    draw: () => shareOf(deps.random),
  });
  if (range === null) return null;
  const { lowMs, highMs, sittings } = range;
  return { lowS: Math.floor(lowMs / 1_000), highS: Math.ceil(highMs / 1_000), sittings };
}

async function machinesFor(db: QueueDb, wants: readonly string[]): Promise<Machine[]> {
  if (wants.length === 0) return [];
  const { rows } = await sql<Machine>`
    select m.id, coalesce(m.facts ->> 'name', m.id) as name, coalesce(m.facts ->> 'brand', '') as brand, ${wantsMet()} as wants,
      ${isClosed()} as closed, (${isReachable()} and m.lockup is null) as working,
      case when s.player_id is null then null
        else (extract(epoch from clock_timestamp() - ps.started_at) * 1000)::double precision end as "sittingMs",
      ${turnLeftMs()} as "turnLeftMs",
      s.state not in ('free', 'seated', 'playing', 'idling', 'inGame', 'ending') as unforeseen
    from machine m join seat s on s.machine_id = m.id left join play_session ps on ps.id = s.play_session_id
    where ${isInService()} and ${wantsMet()} && ${[...wants]}::text[] order by m.id limit 200`.execute(db);
  return rows;
}

function stateOf({ called_machine, kept_by }: PlaceRow, machines: readonly Machine[]): PlaceState {
  if (called_machine !== null) return "called";
  if (machines.every(({ closed }) => closed)) return "closed";
  if (machines.every(({ closed, working }) => closed || !working)) return "fault";
  if (kept_by === null) return "waiting";
  return kept_by === "wallet.insufficient_funds" ? "funds" : "held";
}

/** Every place of the lines of these machines, once. */
function distinct(lines: readonly InLine[], machines: readonly Machine[]): InLine[] {
  const ids = new Set(machines.map(({ id }) => id));
  return [...new Map(lines.filter(({ machineId }) => ids.has(machineId)).map((one) => [one.id, one])).values()];
}

/** Who is before a place, each with the machines among these that would do; without a place: before one that joins now. */
function lineOf(lines: readonly InLine[], machines: readonly Machine[], place?: PlaceRow) {
  const { id: own, number: mine, lets } = place ?? { id: "", number: Number.POSITIVE_INFINITY, lets: 0 };
  const all = distinct(lines, machines).filter(({ id }) => id !== own);
  const before = all.filter(({ number }) => number < mine);
  const after = all.filter(({ number }) => number > mine).slice(0, lets);
  return [...before, ...after].map(({ id }) => ({
    machineIds: lines
      .filter((one) => one.id === id && machines.some((machine) => machine.id === one.machineId))
      .map(({ machineId }) => machineId),
  }));
}

function callOf(place: PlaceRow & { readonly leftMs: number | null }, machines: readonly Machine[], readyMs: number) {
  if (place.called_machine === null || place.leftMs === null) return null;
  const machine = machines.find(({ id }) => id === place.called_machine);
  return {
    machineId: place.called_machine,
    machine: machine?.name ?? place.called_machine,
    leftMs: Math.max(0, Math.round(place.leftMs - CALL_GRACE_MS)),
    ofMs: place.call_elsewhere ? ELSEWHERE_MS : readyMs,
    elsewhere: place.call_elsewhere,
  };
}

async function endedOf(db: QueueDb, playerId: string): Promise<QueueAnswer["ended"]> {
  const { rows } = await sql<{ id: string; wants: string[]; reason: string; at: Date; machine: string | null }>`
    select q.id, q.wants, q.end_reason as reason, q.ended_at as at,
      (select m.facts ->> 'name' from machine m where ${wantsMet()} && q.wants order by m.id limit 1) as machine
    from queue_place q where q.player_id = ${playerId} and q.ended_at > clock_timestamp() - interval '1 hour'
      and q.end_reason not in ('left', 'seated') order by q.ended_at desc limit 10`.execute(db);
  return rows.map(({ id, wants, reason, at, machine }) => ({
    id,
    wish: wishOf(wants),
    machine: machine ?? "",
    reason,
    at: at.toISOString(),
  }));
}

/** Who waits for each of these machines. */
export async function waitingAt(
  db: QueueDb,
  machineIds: readonly string[],
): Promise<(WaitingNow & { readonly id: string })[]> {
  if (machineIds.length === 0) return [];
  const known = await waitingNow(db, machineIds);
  return machineIds.map((id) => ({ id, ...(known.get(id) ?? { count: 0, called: false }) }));
}
