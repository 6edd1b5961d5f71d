import type { CheckMinutes, CheckNow, GameRules } from "@longarm/contract/player-protection";
import type { SeatTurn } from "@longarm/contract/player-queue";
import type { Stop } from "../../../clock.ts";
import { newId } from "../../../random.ts";
import type { CheckTables, OpenCheck } from "../../protection/checks/index.ts";
import { answerCheck, chooseCheck, mayChoose, openCheck } from "../../protection/checks/index.ts";
import { gamesSince, isAtRest, Refusal } from "../seat/index.ts";
import type { Connection, GameParts, Protection } from "./connection.ts";
import { endSessionAt } from "./end-session.ts";
import type { ProtectedSeat } from "./seat-rules.ts";
import { gameRulesOf, protectedSeats } from "./seat-rules.ts";

/*
 * The reality check of a player (record 0202; RTS 13B): the agent holds paid games when it is due, whether the platform lives or not. The node with the
 * player's game socket shows it once the machine rests, and ends the play session when no answer comes. The row keeps it over a reload, another
 * device and the end of a node.
 */

/** A check that was not answered for so long is taken as "leave", ms. */
const CHECK_ANSWER_MS = 300_000;
/** The check is looked at a little behind its time: it is judged by the database's clock, ms. */
const BEHIND_MS = 50;
/** The longest wait for a look, ms: a rule may have changed without a message. The agent has it sooner, with the next renewal. */
const LOOK_MS_MAX = 300_000;

type Watched = Pick<Connection, "machineId" | "playerId" | "seated" | "peer" | "closed">;

/** Follows rules and reality check of one holder's game socket, and notifies its page of each change. */
export class CheckWatch implements Protection {
  readonly #parts: GameParts;
  readonly #connection: Watched;
  readonly #follow: (run: () => Promise<void>) => void;
  #stop: Stop = () => {};
  #begun: ProtectedSeat | undefined;
  #shown: { rules?: string; check?: string; turn?: string } = {};
  /** It is due and could not be shown: whatever happens to the seat may be the end of the game. */
  #waits = false;
  #looking: Promise<void> | undefined;
  #again = false;

  constructor(parts: GameParts, connection: Watched, follow: (run: () => Promise<void>) => void) {
    this.#parts = parts;
    this.#connection = connection;
    this.#follow = follow;
  }

  /** The seat changed. */
  seatMoved(): void {
    if (this.#waits) this.look();
  }

  /** Looks now; a look that is wanted meanwhile follows. */
  look(): void {
    if (this.#connection.closed) return;
    if (this.#looking !== undefined) {
      this.#again = true;
      return;
    }
    this.#follow(async () => {
      this.#looking = this.#lookOnce();
      try {
        await this.#looking;
      } finally {
        this.#looking = undefined;
        if (this.#again) {
          this.#again = false;
          this.look();
        }
      }
    });
  }

  close(): void {
    this.#stop();
  }

  async #lookOnce(): Promise<void> {
    const { machineId, seated } = this.#connection;
    this.#stop();
    if (seated === null) return;
    let seat = await seatOfSession(this.#parts, machineId, seated.playSessionId);
    if (seat !== undefined && mustBeShown(seat)) {
      await showCheck(this.#parts, seat);
      seat = await seatOfSession(this.#parts, machineId, seated.playSessionId);
    }
    if (seat === undefined || this.#connection.closed) return;
    const { open } = seat.check;
    if (open !== null && isShown(seat, open) && open.ageMs >= CHECK_ANSWER_MS) {
      await endSessionAt(this.#parts, machineId, "idle", seat.playSessionId);
      return;
    }
    this.#push(seat);
    this.#waits = seat.check.dueInMs === 0 && (open === null || !isShown(seat, open));
    this.#stop = this.#parts.deps.clock.after(nextLookMs(seat), () => this.look());
  }

  #push(seat: ProtectedSeat): void {
    const { peer } = this.#connection;
    const [rules, check] = [gameRulesOf(seat), checkNow(seat)];
    const [rulesText, checkText, turnText] = [JSON.stringify(rules), JSON.stringify(check), turnSaid(seat)];
    if (this.#shown.rules !== rulesText) peer.notify("rules", rules);
    if (this.#shown.check !== checkText) peer.notify("check", check);
    if (this.#shown.turn !== turnText) peer.notify("turn", seat.turn);
    this.#shown = { rules: rulesText, check: checkText, turn: turnText };
  }

  begin(seat: ProtectedSeat): { readonly rules: GameRules; readonly check: CheckNow; readonly turn: SeatTurn } {
    const answer = { rules: gameRulesOf(seat), check: checkNow(seat), turn: seat.turn };
    this.#shown = { rules: JSON.stringify(answer.rules), check: JSON.stringify(answer.check), turn: turnSaid(seat) };
    this.#begun = seat;
    return answer;
  }

  start(): void {
    const seat = this.#begun;
    if (seat === undefined || seat.check.dueInMs === 0) this.look();
    else if (!this.#connection.closed) this.#stop = this.#parts.deps.clock.after(nextLookMs(seat), () => this.look());
  }
}

/** An open check of this seat's own play session is shown; one of an earlier one is shown anew first. */
const isShown = (seat: ProtectedSeat, open: OpenCheck): boolean => open.playSessionId === seat.playSessionId;

const mustBeShown = (seat: ProtectedSeat): boolean =>
  seat.check.dueInMs === 0 && seat.ending === null && (seat.check.open === null || !isShown(seat, seat.check.open));

function nextLookMs(seat: ProtectedSeat): number {
  const { open, dueInMs } = seat.check;
  if (open !== null && isShown(seat, open)) return Math.max(0, CHECK_ANSWER_MS - open.ageMs) + BEHIND_MS;
  // What is due and cannot be shown waits for the seat to change.
  return Math.min(LOOK_MS_MAX, dueInMs === null || dueInMs === 0 ? LOOK_MS_MAX : dueInMs + BEHIND_MS);
}

function checkNow(seat: ProtectedSeat): CheckNow {
  const { open, dueInMs } = seat.check;
  if (open === null || !isShown(seat, open)) return { state: dueInMs === 0 ? "due" : "none" };
  const { id, shownAt, playedMs, games, wagered, won } = open;
  return { state: "open", check: { id, shownAt: shownAt.toISOString(), playedMs, games, wagered, won } };
}

/** The page counts the time that is left by itself. */
const turnSaid = ({ turn }: ProtectedSeat): string => JSON.stringify([turn.limitMin, turn.leftMs !== null]);

async function seatOfSession(
  { deps }: GameParts,
  machineId: string,
  playSessionId: string,
): Promise<ProtectedSeat | undefined> {
  const [seat] = await protectedSeats(deps.db, [machineId]);
  return seat?.playSessionId === playSessionId ? seat : undefined;
}

/** Shows the check that is due, if the machine rests: a game that runs is never covered. The seat's times do not run from then on. */
async function showCheck({ deps, seats }: GameParts, { machineId, playSessionId }: ProtectedSeat): Promise<void> {
  await seats.within(machineId, async (seat) => {
    if (!isAtRest(seat.row.state)) return;
    const [now] = await protectedSeats(seat.trx, [machineId]);
    if (now === undefined || now.playSessionId !== playSessionId || !mustBeShown(now)) return;
    const { playerId, check } = now;
    const { playedMs = 0, from } = check.played ?? {};
    const games = from === undefined ? { games: 0, wagered: 0, won: 0 } : await gamesSince(seat.trx, playerId, from);
    const id = newId(deps.random, "rc");
    await openCheck(seat.trx.withTables<CheckTables>(), { id, playerId, playSessionId }, { playedMs, ...games });
    await seat.happen("checkMoved");
    seat.announce("protection.changed", { machineId });
  });
}

/**
 * The player plays on. The next check counts from now.
 * Refuses with: session.locked, session.not_yours, seat.stale_epoch, request.invalid (no check of this id waits for this player).
 */
export async function keepPlaying(
  { seats }: GameParts,
  connection: Pick<Connection, "machineId" | "playerId" | "seated" | "act">,
  id: string,
): Promise<Record<string, never>> {
  const { machineId, playerId, seated } = connection;
  if (!(await connection.act())) throw new Refusal("session.locked");
  if (seated === null) throw new Refusal("session.not_yours", "this socket holds no seat");
  await seats.within(machineId, async (seat) => {
    if (seat.row.epoch !== seated.epoch || seat.row.player_id !== playerId) throw new Refusal("seat.stale_epoch");
    if (!(await answerCheck(seat.trx.withTables<CheckTables>(), id, playerId, "continue")))
      throw new Refusal("request.invalid", "no reality check of this id waits");
    await seat.happen("checkMoved");
    seat.announce("protection.changed", { machineId });
  });
  return {};
}

/**
 * Keeps how often the player wants a check. An open one must be answered all the same.
 * Refuses with: session.not_yours, session.locked, request.invalid (the market does not allow it), request.too_many.
 */
export async function setCheckEvery(
  { deps }: GameParts,
  connection: Pick<Connection, "machineId" | "playerId" | "seated" | "act">,
  minutes: CheckMinutes | null,
): Promise<Record<string, never>> {
  const { machineId, playerId, seated } = connection;
  if (seated === null) throw new Refusal("session.not_yours", "this socket holds no seat");
  if (!(await connection.act())) throw new Refusal("session.locked");
  const [seat] = await protectedSeats(deps.db, [machineId]);
  if (seat?.playerId !== playerId) throw new Refusal("session.terminated");
  if (!mayChoose(seat.rules, minutes)) throw new Refusal("request.invalid", "the market wants a check more often");
  if (!(await chooseCheck(deps.db.withTables<CheckTables>(), playerId, minutes)))
    throw new Refusal("request.too_many", "changes of the reality check", { params: { seconds: 3_600 } });
  deps.bus.publish("protection.changed", { machineId });
  return {};
}
