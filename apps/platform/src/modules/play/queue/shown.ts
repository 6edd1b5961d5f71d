import type { PlaceState, QueueAnswer, QueuePlace, WaitRange } from "@longarm/contract/player-queue";
import { WISH_MACHINES_MAX } from "@longarm/contract/player-queue";
import { sql } from "kysely";
import { shareOf } from "../../../random.ts";
import type { PlayDeps } from "../deps.ts";
import { isClosed, isInService, isReachable } from "../seat/index.ts";
import { turnLeftMs, turnMs } from "./fair-time.ts";
import type { InLine } from "./line.ts";
import { linesOf } from "./line.ts";
import { aheadOf } from "./order.ts";
import { CALL_GRACE_MS, ELSEWHERE_MS } from "./queue.ts";
import type { Sittings } from "./sittings.ts";
import type { PlaceRow, QueueDb } from "./tables.ts";
import { waitingNow, wantsMet, wishOf } from "./tables.ts";
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

type ShownParts = {
  readonly deps: Pick<PlayDeps, "config" | "random">;
  readonly db: QueueDb;
  readonly sittings: Sittings;
};

/** What a player sees of the own places. */
export async function shownTo({ deps, db, sittings }: ShownParts, playerId: string): Promise<QueueAnswer> {
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
  const { lengths, seatedShare } = await sittings.now();
  const places = own.map((place): QueuePlace => {
    const mine = machines.filter(({ wants }) => wants.some((want) => place.wants.includes(want)));
    const state = stateOf(place, mine);
    const before = lineOf(lines, mine, place);
    const machinesNow = mine.map(({ id, sittingMs, turnLeftMs }) => ({
      ...{ id, sittingMs, turnLeftMs },
      lengthsMs: lengths.get(id) ?? [],
    }));
    const range =
      state !== "waiting" || mine.some(({ unforeseen }) => unforeseen)
        ? null
        : waitRange({
            machines: machinesNow,
            ahead: before.map(({ machineIds }) => machineIds),
            mine: mine.map(({ id }) => id),
            seatedShare,
            turnMs: play.QUEUE_TURN_MIN === 0 ? null : turnMs(play.QUEUE_TURN_MIN),
            draw: () => shareOf(deps.random),
          });
    return {
      id: place.id,
      wish: wishOf(place.wants),
      machines: mine.slice(0, WISH_MACHINES_MAX).map(({ id, name, brand }) => ({ id, name, brand })),
      state,
      ahead: aheadOf(distinct(lines, mine), { ...place, ready: true }),
      wait: range && shownRange(range),
      joinedAt: place.joined_at.toISOString(),
      misses: place.misses,
      passesLeft: Math.max(0, play.QUEUE_PASSES - place.passes),
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

/** Who is before a place, each with the machines among these that would do. */
function lineOf(lines: readonly InLine[], machines: readonly Machine[], place: PlaceRow) {
  const all = distinct(lines, machines).filter(({ id }) => id !== place.id);
  const before = all.filter(({ number }) => number < place.number);
  const after = all.filter(({ number }) => number > place.number).slice(0, place.lets);
  return [...before, ...after].map(({ id }) => ({
    machineIds: lines
      .filter((one) => one.id === id && machines.some((machine) => machine.id === one.machineId))
      .map(({ machineId }) => machineId),
  }));
}

const shownRange = ({
  lowMs,
  highMs,
  sittings,
}: {
  readonly lowMs: number;
  readonly highMs: number;
  readonly sittings: number;
}): WaitRange => ({
  lowS: Math.floor(lowMs / 1_000),
  highS: Math.ceil(highMs / 1_000),
  sittings,
});

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

/** How many players wait for each of these machines. */
export async function waitingAt(db: QueueDb, machineIds: readonly string[]): Promise<{ id: string; count: number }[]> {
  if (machineIds.length === 0) return [];
  const counts = await waitingNow(db, machineIds);
  return machineIds.map((id) => ({ id, count: counts.get(id) ?? 0 }));
}
