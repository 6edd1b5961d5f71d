import type { Game, MachineEvent, MachineEventKind } from "@longarm/contract/agent-link";
import type { FaultEvent, PageEventKind } from "@longarm/contract/machine";
import { beginsFault, isFaultEvent, PAGE_EVENT_KINDS } from "@longarm/contract/machine";
import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import type { AgentSink, ReportedState } from "../agents/index.ts";
import { storeEvent, storeMeters, storeOffline } from "../machines.ts";
import type { RestoresTables } from "../restores/index.ts";
import { isFirstSinceRestore } from "../restores/index.ts";
import type { OpenSeat, PlayEvent } from "../seat/index.ts";
import type { MetersNow } from "../tables.ts";
import { bookGame } from "./book-game.ts";
import type { GameParts } from "./connection.ts";
import type { PlayParts } from "./deps.ts";
import { noteHandPay } from "./hand-pay.ts";
import { grantSeat } from "./holder.ts";
import type { Work } from "./work.ts";

/** Takes what agents report into seats, history and ledger. `work` does the open work of a machine whose agent is back. */
export function createAgentSink(parts: GameParts, work: Work): AgentSink {
  const { bus } = parts.deps;
  const panels = new Map<string, string>();
  /** Machines whose press is being noted: one that comes meanwhile is the same news. */
  const noting = new Set<string>();
  return {
    takeGame: (game) => takeGame(parts, game),
    takeEvent: (event) => takeEvent(parts, event),
    async linked(machineId) {
      let connected = false;
      const grant = await parts.seats.within(machineId, async (seat) => {
        await seat.happen("agentBack");
        seat.announceStatus();
        connected = (await seat.facts()).agent;
        const { epoch, play_session_id: playSessionId, ending } = seat.row;
        return playSessionId === null || ending !== null ? null : { machineId, epoch, playSessionId };
      });
      // That the machine is away is said at once: by the answer to the grant it may be back, and what is said last stays on the page.
      if (!connected) bus.publish("agent.linked", { machineId, connected });
      if (grant !== null) await grantSeat(parts, grant);
      if (connected) bus.publish("agent.linked", { machineId, connected });
      await work.workOn(machineId);
    },
    async unlinked(machineId) {
      const away = await parts.seats.within(machineId, async (seat) => {
        await seat.happen("agentGone");
        seat.announceStatus();
        return !(await seat.facts()).agent;
      });
      if (away) bus.publish("agent.linked", { machineId, connected: false });
    },
    metersReported(machineId, meters) {
      bus.publish("machine.meters", { machineId, meters });
      // The panel is the player's alone: another stake or band means that the player is there.
      const panel = `${meters.bet} ${meters.activeBand}`;
      const before = panels.get(machineId);
      panels.set(machineId, panel);
      if (before === undefined || before === panel || noting.has(machineId)) return;
      noting.add(machineId);
      void playerTouched(parts, machineId).finally(() => noting.delete(machineId));
    },
    stateReported: async (machineId, told) => {
      const answersAgain = await stateReported(parts, machineId, told);
      if (answersAgain === null) return;
      bus.publish("agent.linked", { machineId, connected: answersAgain });
      if (answersAgain) await work.workOn(machineId);
    },
  };
}

async function playerTouched({ seats, deps }: GameParts, machineId: string): Promise<void> {
  try {
    await seats.within(machineId, (seat) => seat.happen("input"));
  } catch (error) {
    deps.log.warn({ err: error, machineId }, "a press could not be noted; the next one will be");
  }
}

/**
 * Stores the state that the agent reports of its machine. It is no event of the journal: enable and disable have none, and an offline machine
 * sends none. Returns whether the machine can be reached now; null: that did not change.
 */
async function stateReported(
  { seats }: GameParts,
  machineId: string,
  { isOffline, lockup }: ReportedState,
): Promise<boolean | null> {
  return await seats.within(machineId, async (seat) => {
    const { agent: wasReachable, meters } = await seat.facts();
    if ((meters.lockup ?? null) !== lockup) {
      const { lockup: _old, ...open } = meters;
      const now: MetersNow = lockup === null ? open : { ...open, lockup };
      await storeMeters(seat.trx, machineId, now);
      await seat.happen(lockup === null ? "repaired" : "fault");
    }
    await storeOffline(seat.trx, machineId, isOffline);
    const { agent: isReachable } = await seat.facts();
    if (isReachable === wasReachable) return null;
    await seat.happen(isReachable ? "agentBack" : "agentGone");
    return isReachable;
  });
}

type Taken = Handled<Record<string, never>>;
type Head = {
  readonly machineId: string;
  readonly seq: number;
  readonly playSessionId?: string | undefined;
  readonly meters: MetersNow;
  readonly at: string;
};

/** Takes a game's start or end, once by (machine, seq), in order, in one transaction with all its effects. */
export function takeGame(parts: PlayParts, game: Game): Promise<Taken> {
  return takeOnce(parts, game, async (seat, playSessionId) => {
    if (game.phase === "ended") await bookGame(parts, seat, game.game, playSessionId);
    await seat.happen(game.phase === "ended" ? "gameEnded" : "gameStarted");
  });
}

/** Takes any other event the same way. */
export function takeEvent(parts: PlayParts, event: MachineEvent): Promise<Taken> {
  return takeOnce(parts, event, async (seat, playSessionId) => {
    const { machineId, seq, kind, at, ...body } = event;
    await seat.trx
      .insertInto("machine_event")
      .values({
        machine_id: machineId,
        seq,
        kind,
        play_session_id: playSessionId,
        happened_at: at,
        body: JSON.stringify(body),
      })
      .execute();
    if (kind === "handPayPending" && event.handPay) await noteHandPay(seat, event.handPay, playSessionId);
    if (kind === "eventsLost")
      await parts.deps.alarms.keep(seat.trx, {
        alarm: "events",
        subject: `machine:${machineId}`,
        machineId,
        facts: { machineId, seq },
        sentence: "a machine has lost events",
      });
    pushToPages(seat, event, playSessionId);
    const seatEvent = seatEventOf(kind);
    if (seatEvent !== null) await seat.happen(seatEvent);
  });
}

/** Pages learn only what happens in the play session that is open now. */
function pushToPages(seat: OpenSeat, event: MachineEvent, playSessionId: string | null): void {
  const { machineId, kind, amount = event.handPay?.amount, name } = event;
  if (playSessionId === null || playSessionId !== seat.row.play_session_id || !isForPages(kind)) return;
  const about = { machineId, playSessionId, kind };
  seat.announce("machine.event", {
    ...about,
    ...(amount !== undefined && { amount }),
    ...(name !== undefined && { name }),
  });
}

const forPages: ReadonlySet<string> = new Set(PAGE_EVENT_KINDS);
const isForPages = (kind: string): kind is PageEventKind => forPages.has(kind);

/** What a machine's event means to its seat; null: it is only kept. Every fault locks it. */
const SEAT_EVENTS = {
  handPayPending: "handPayPending",
  handPayReset: "handPayReset",
  bonusStarted: "bonusStarted",
  bonusEnded: "bonusEnded",
  powerUp: "repaired",
  jackpot: null,
  transferComplete: null,
  eventsLost: null,
  other: null,
} as const satisfies Record<Exclude<MachineEventKind, FaultEvent>, PlayEvent | null>;

function seatEventOf(kind: MachineEventKind): PlayEvent | null {
  if (isFaultEvent(kind)) return beginsFault(kind) ? "fault" : "repaired";
  return SEAT_EVENTS[kind];
}

async function takeOnce(
  parts: PlayParts,
  event: Head,
  take: (seat: OpenSeat, playSessionId: string | null) => Promise<void>,
): Promise<Taken> {
  return await parts.seats.within(event.machineId, async (seat): Promise<Taken> => {
    const { taken_seq: last } = await seat.trx
      .selectFrom("machine")
      .select("taken_seq")
      .where("id", "=", event.machineId)
      .executeTakeFirstOrThrow();
    if (event.seq <= last) return done({});
    // An agent's journal may be older than this platform's knowledge of it: the first event sets where we begin.
    const isNext = last === 0 || event.seq === last + 1;
    if (!isNext && !(await isFirstSinceRestore(seat.trx.withTables<RestoresTables>(), event.machineId, event.seq))) {
      return refused("request.invalid", {
        detail: `The machine ${event.machineId} sends event ${event.seq}, but ${last + 1} is next: repeat from there`,
      });
    }
    await storeEvent(seat.trx, event.machineId, event);
    await take(seat, await sessionOf(seat, event));
    return done({});
  });
}

/** The play session of an event: the one it names, or that is open now when it names none. One that we do not know (from after the restored backup) has no play session. */
async function sessionOf(seat: OpenSeat, event: Head): Promise<string | null> {
  if (event.playSessionId === undefined || event.playSessionId === seat.row.play_session_id)
    return seat.row.play_session_id;
  const named = await seat.trx
    .selectFrom("play_session")
    .select("id")
    .where("id", "=", event.playSessionId)
    .where("machine_id", "=", event.machineId)
    .executeTakeFirst();
  return named?.id ?? null;
}
