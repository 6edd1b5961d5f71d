import type { Kysely } from "kysely";
import { sql } from "kysely";
import { isBanned } from "../../players/accounts/index.ts";
import type { LongPlay, OnBreak } from "../../protection/breaks/index.ts";
import { breaksOf, forceBreaks } from "../../protection/breaks/index.ts";
import type { ClosedGate } from "../../protection/gates/index.ts";
import { gatesClosedAt, isKeptOut, mayLoseGate } from "../../protection/gates/index.ts";
import type { Limits, LimitsTables } from "../../protection/limits/index.ts";
import { limitsOfAll, mayHaveToLeave } from "../../protection/limits/index.ts";
import type { MarketTables } from "../../protection/markets/index.ts";
import { hasMarkets, mayLimitPlay, rulesOfAll } from "../../protection/markets/index.ts";
import { openAudit } from "../../records/audit/index.ts";
import type { Agents } from "../agents/index.ts";
import { countedNow } from "../counted.ts";
import type { PlayDeps } from "../deps.ts";
import { eachByItself } from "../each-by-itself.ts";
import type { PlayedKind } from "../limits.ts";
import { heldOf, isReached } from "../limits.ts";
import { isTurnOver } from "../queue/index.ts";
import type { Seats } from "../seat/index.ts";
import { sessionsPlayed } from "../seat/index.ts";
import type { Ended, PlaySessions } from "../session/index.ts";
import type { EndReason, PlayTables } from "../tables.ts";
import type { ControlTables, MachineMode } from "./wishes.ts";
import { endedMeanwhile, endedReservations, endReservation, noteApplied, unapplied } from "./wishes.ts";

export type ControlParts = {
  readonly deps: PlayDeps;
  readonly seats: Seats;
  readonly agents: Pick<Agents, "request" | "machineIds">;
  readonly sessions: Pick<PlaySessions, "endSessionAt">;
};

/** What carrying out came to: whether the machine is set, and the play session that it ended. */
export type CarriedOut = {
  readonly mode: MachineMode;
  /**
   * `away`: the machine could not be reached; it is set as soon as it answers. `unable`: its protocol cannot, so its own buttons still work.
   * `untouched`: there was nothing to set.
   */
  readonly machine: "set" | "away" | "unable" | "untouched";
  readonly ended: Ended | null;
};

/** How often modes and ends of play sessions that are due are looked for, ms. */
const LOOK_MS = 1_000;

/** Carries out the modes that staff sets for machines and the ends that limits of players require. The database holds what is wanted: any node may do it. */
export class Enforcer {
  readonly #parts: ControlParts;
  readonly #busy = new Map<string, Promise<unknown>>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #reached: ReachedLimits;
  #stop = (): void => {};
  #looking = false;

  constructor(parts: ControlParts) {
    this.#parts = parts;
    this.#reached = new ReachedLimits(parts.deps.clock);
  }

  start(): void {
    this.#stop = this.#parts.deps.clock.every(LOOK_MS, () => {
      if (!this.#looking) this.#follow("look", () => this.#look());
    });
  }

  async close(): Promise<void> {
    this.#stop();
    while (this.#pending.size > 0) await Promise.allSettled([...this.#pending]);
  }

  /** Brings a machine to what is wanted of it now: presses end first, then new games, then the play session. One after the other. */
  async carryOut(machineId: string): Promise<CarriedOut> {
    const before = this.#busy.get(machineId);
    const run = (before ?? Promise.resolve()).catch(() => {}).then(() => this.#carryOut(machineId));
    this.#busy.set(machineId, run);
    try {
      return await run;
    } finally {
      if (this.#busy.get(machineId) === run) this.#busy.delete(machineId);
    }
  }

  async #carryOut(machineId: string): Promise<CarriedOut> {
    const { sessions, seats } = this.#parts;
    const { mode, isApplied } = await this.#wishOf(machineId);
    if (mode === "stopped") await this.#endPresses(machineId);
    // An open machine is enabled once: a machine that was disabled at the venue was disabled for a reason.
    const machine =
      mode === "draining" || (mode === "open" && isApplied) ? "untouched" : await this.#setMode(machineId, mode);
    const isEmptied = mode === "draining" || mode === "stopped";
    await seats.within(machineId, async (seat) => seat.announceStatus());
    const ended = isEmptied
      ? ((await sessions.endSessionAt(machineId, "house")) ?? (await endedMeanwhile(this.#db(), machineId)))
      : null;
    return { mode, machine, ended };
  }

  async #wishOf(machineId: string): Promise<{ readonly mode: MachineMode; readonly isApplied: boolean }> {
    const row = await this.#db()
      .selectFrom("machine_control")
      .select(["mode", "told_at"])
      .where("machine_id", "=", machineId)
      .executeTakeFirst();
    return { mode: row?.mode ?? "open", isApplied: row === undefined || row.told_at !== null };
  }

  /** The agent gives up the grant, and refuses every press of the seat from then on. */
  async #endPresses(machineId: string): Promise<void> {
    const { deps, agents } = this.#parts;
    const seat = await deps.db
      .selectFrom("seat")
      .select("epoch")
      .where("machine_id", "=", machineId)
      .executeTakeFirst();
    if (seat && seat.epoch > 0) await agents.request("seat.revoke", { machineId, epoch: seat.epoch });
  }

  async #setMode(machineId: string, mode: MachineMode): Promise<"set" | "away" | "unable"> {
    const answer = await this.#parts.agents.request(mode === "open" ? "egm.enable" : "egm.disable", { machineId });
    const unable = answer.is === "refused" && answer.refusal.name === "machine.not_available";
    if (answer.is !== "done" && !unable) return "away";
    await noteApplied(this.#db(), machineId, mode);
    return unable ? "unable" : "set";
  }

  async #look(): Promise<void> {
    this.#looking = true;
    try {
      const { deps, agents, seats } = this.#parts;
      for (const machineId of await unapplied(this.#db(), agents.machineIds()))
        if (!this.#busy.has(machineId)) this.#follow("mode", () => this.carryOut(machineId));
      await eachByItself(deps.log, await endedReservations(this.#db()), (machineId) =>
        seats.within(machineId, async (seat) => {
          await openAudit(seat.trx, deps.config.play.NODE_ID).actAs("platform");
          if (await endReservation(seat.trx.withTables<ControlTables>(), machineId)) seat.announceStatus();
        }),
      );
      for (const toEnd of await sessionsToEnd(this.#db(), this.#reached, deps.helpListed()))
        this.#follow("end", () => this.#end(toEnd));
      // Each node for the machines that are linked to it: a break is begun once.
      await forceBreaks(this.#db(), await longPlays(this.#db(), agents.machineIds()));
    } finally {
      this.#looking = false;
    }
  }

  /** Where staff empties the machine, presses end first. */
  async #end({ machineId, playSessionId, reason, closed }: ToEnd): Promise<void> {
    if (!closed) await this.#parts.sessions.endSessionAt(machineId, reason, playSessionId);
    else if (!this.#busy.has(machineId)) await this.carryOut(machineId);
  }

  #follow(what: string, run: () => Promise<unknown>): void {
    const running = run()
      .catch((error: unknown) =>
        this.#parts.deps.log.warn({ err: error, what }, "what staff wants could not be carried out, it is tried again"),
      )
      .finally(() => this.#pending.delete(running));
    this.#pending.add(running);
  }

  #db() {
    return this.#parts.deps.db.withTables<ControlTables & LimitsTables & MarketTables>();
  }
}

type Db = Kysely<ControlTables & LimitsTables & MarketTables & PlayTables>;

/** A play session that the platform has to end, and why. `closed`: staff empties the machine. */
type ToEnd = {
  readonly machineId: string;
  readonly playSessionId: string;
  readonly reason: EndReason;
  readonly closed: boolean;
};

type Row = {
  readonly machineId: string;
  readonly playSessionId: string;
  readonly playerId: string;
  readonly banned: boolean;
  readonly closed: boolean;
  /** The machine's key switch is on local. */
  readonly local: boolean;
  /** A break or a national register keeps the player from play. */
  readonly keptOut: boolean;
  /** Something that a market wants before play may be lost. */
  readonly unsure: boolean;
  /** How many games the play session has. */
  readonly games: number;
  /** A bonus runs: its presses finish what was paid for, so a limit waits for its end. */
  readonly bonus: boolean;
  /** Others wait, and the time that the player may sit meanwhile is over. */
  readonly turnOver: boolean;
  /** Free games or a hand pay: a turn waits for their end, as for that of a bonus. */
  readonly owed: boolean;
};

/** Who plays under rules that force a break after long play: it waits for the end of a bonus, so that it is a whole break. Where no market was chosen there are none, and seats are not read. */
async function longPlays(db: Db, machineIds: readonly string[]): Promise<LongPlay[]> {
  if (machineIds.length === 0 || !(await hasMarkets(db))) return [];
  const seats = await db
    .selectFrom("seat")
    .innerJoin("machine", "machine.id", "seat.machine_id")
    .select(["player_id", "machine_id"])
    .where("machine_id", "in", [...machineIds])
    .where("player_id", "is not", null)
    .where("ending", "is", null)
    .where(sql<boolean>`not coalesce((machine.meters ->> 'bonus')::boolean, false)`)
    .execute();
  const held = seats.map(({ player_id, machine_id }) => ({ playerId: player_id ?? "", machineId: machine_id }));
  const rules = await rulesOfAll(db, held);
  return held.flatMap(({ playerId }, at) => {
    const forced = rules[at]?.forcedBreak ?? null;
    return forced === null ? [] : [{ playerId, ...forced }];
  });
}

/** Held seats that may not be held any more: of banned and excluded players, of players who have lost what their market wants before play, at a limit, with others waiting for too long, at machines that staff empties or that a person plays on site. */
async function sessionsToEnd(db: Db, reached: ReachedLimits, helpListed: boolean): Promise<ToEnd[]> {
  const { rows } = await sql<Row>`
    select s.machine_id as "machineId", ps.id as "playSessionId", s.player_id as "playerId", ${isBanned("s.player_id")} as banned,
      coalesce(c.mode in ('draining', 'stopped'), false) as closed, coalesce(m.lockup = 'local', false) as local,
      ${isKeptOut("s.player_id")} as "keptOut", ${mayLoseGate("s.player_id")} as unsure,
      ps.games,
      coalesce((m.meters ->> 'bonus')::boolean, false) as bonus, ${isTurnOver()} as "turnOver",
      (m.meters -> 'handPay' is not null or coalesce((m.meters ->> 'freeSpins')::int, 0) > 0) as owed
    from seat s join play_session ps on ps.id = s.play_session_id
      join machine m on m.id = s.machine_id
      left join machine_control c on c.machine_id = s.machine_id
    where s.ending is null and (${isBanned("s.player_id")} or c.mode in ('draining', 'stopped') or m.lockup = 'local'
      or ${mayHaveToLeave("s.player_id")} or ${isKeptOut("s.player_id")} or ${mayLimitPlay()} or ${mayLoseGate("s.player_id")} or ${isTurnOver()})`.execute(
    db,
  );
  if (rows.length === 0) return [];
  // Looked at every second on every node: not one statement a seat.
  const players = rows.map(({ playerId }) => playerId);
  const [limitsOf, breaks] = [await limitsOfAll(db, rows), await breaksOf(db, players)];
  const isAtLimit = await reached.among(db, rows, limitsOf);
  const sessionOf = await sessionsPlayed(
    db,
    players.filter((playerId) => limitsOf(playerId).session !== null),
  );
  const unsure = rows.filter((row) => row.unsure);
  const closedGates = await gatesClosedAt(db, unsure, helpListed);
  return rows.flatMap((row) => {
    const now = {
      onBreak: breaks.get(row.playerId),
      isAtLimit: isAtLimit(row.playerId),
      minutes: sessionOf(row.playerId).minutes,
      gate: closedGates.get(row.machineId),
    };
    const reason = reasonOf(row, limitsOf(row.playerId), now);
    const { machineId, playSessionId } = row;
    return reason === null ? [] : [{ machineId, playSessionId, reason, closed: row.closed && reason === "house" }];
  });
}

/** What holds for a player at a machine. */
type Held = {
  readonly onBreak: OnBreak | undefined;
  readonly isAtLimit: boolean;
  /** Of the session that a limit of one session counts. */
  readonly minutes: number;
  readonly gate: ClosedGate | undefined;
};

function reasonOf(
  { banned, closed, local, keptOut, bonus, turnOver, owed }: Row,
  { exclusion, session, removed }: Limits,
  { onBreak, isAtLimit, minutes, gate }: Held,
): EndReason | null {
  if (banned) return "banned";
  if (exclusion !== null) return "excluded";
  if (keptOut) return onBreak?.kind === "forced" ? "limit" : "excluded";
  if (closed || local) return "house";
  // Presses of a bonus finish a game that was paid for.
  if (bonus) return null;
  if (gate !== undefined) return gate;
  if (removed.length > 0) return "limitMissing";
  if (isAtLimit || (session !== null && minutes >= session)) return "limit";
  return turnOver && !owed ? "turn" : null;
}

/** Without a game the sums of games change only as old games leave their period: they are added up again after this time, ms. */
const SUMS_MS = 30_000;

/** Which players have reached a limit of loss, stakes or time. The games of a month are added up after a new game only, not each second. */
class ReachedLimits {
  readonly #clock: PlayDeps["clock"];
  #known = new Map<string, { readonly mark: string; readonly untilMs: number; readonly isReached: boolean }>();

  constructor(clock: PlayDeps["clock"]) {
    this.#clock = clock;
  }

  async among(
    db: Db,
    rows: readonly Row[],
    limitsOf: (playerId: string) => Limits,
  ): Promise<(playerId: string) => boolean> {
    const now = this.#clock.now();
    const marks = new Map(rows.map((row) => [row.playerId, markOf(row, limitsOf(row.playerId))]));
    const isStale = (playerId: string) => {
      const known = this.#known.get(playerId);
      return known === undefined || known.mark !== marks.get(playerId) || known.untilMs <= now;
    };
    const stale = [...marks.keys()].filter(isStale);
    const ofGames = await reachedOf(db, ["loss", "wager"], stale, limitsOf);
    const known = [...marks].map(([playerId, mark]) => {
      const before = this.#known.get(playerId);
      if (before !== undefined && !stale.includes(playerId)) return [playerId, before] as const;
      return [playerId, { mark, untilMs: now + SUMS_MS, isReached: ofGames.has(playerId) }] as const;
    });
    this.#known = new Map(known);
    const ofTime = await reachedOf(db, ["time"], [...marks.keys()], limitsOf);
    return (playerId) => ofTime.has(playerId) || this.#known.get(playerId)?.isReached === true;
  }
}

/** What the sums of games depend on, beside the time. */
const markOf = ({ machineId, games }: Row, limits: Limits): string =>
  JSON.stringify([machineId, games, heldOf(limits, "loss"), heldOf(limits, "wager")]);

/** Players who have reached a limit of these kinds; only those who have one are looked up. */
async function reachedOf(
  db: Db,
  kinds: readonly PlayedKind[],
  playerIds: readonly string[],
  limitsOf: (playerId: string) => Limits,
): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  for (const kind of kinds) {
    const limited = playerIds.filter((playerId) => heldOf(limitsOf(playerId), kind).length > 0);
    if (limited.length === 0) continue;
    const counted = await countedNow(db, kind, limited);
    for (const playerId of limited) if (isReached(limitsOf(playerId), kind, counted(playerId))) reached.add(playerId);
  }
  return reached;
}
