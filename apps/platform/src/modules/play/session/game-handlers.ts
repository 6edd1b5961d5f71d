import type { MachineAbout } from "@longarm/contract/about-machine";
import type { Press, PressAnswer } from "@longarm/contract/data-channel";
import type { gameSocket, MoneyAnswer } from "@longarm/contract/game-socket";
import type { Handled } from "@longarm/link/answer";
import { done, refused } from "@longarm/link/answer";
import type { Handlers } from "@longarm/link/types";
import type * as z from "zod/mini";
import { Refusal } from "../seat/index.ts";
import type { MoneyOutcome } from "../wallet/index.ts";
import type { Connection, GameParts } from "./connection.ts";
import type { Ended } from "./end-session.ts";
import { endSession } from "./end-session.ts";
import { holdForReturn } from "./hold.ts";
import { viewSeat } from "./holder.ts";
import { iceServersFor, initPlayer, initSpectator, offerTo } from "./init.ts";
import { createOfferLimit } from "./offer-limit.ts";
import { keepPlaying, setCheckEvery } from "./reality-check.ts";
import type { Seated } from "./sit.ts";

/** After `leave` is answered the socket stays open for this long, so that the answer arrives, ms. */
const CLOSE_AFTER_LEAVE_MS = 250;

/** One handler for each request of the game socket: check who asks, call the rule, give its outcome. */
export function gameHandlers(
  parts: GameParts,
  connection: Connection,
): Handlers<(typeof gameSocket)["client"]["requests"]> {
  const { machineId, playerId } = connection;
  const mayOffer = createOfferLimit(parts.deps.clock);
  const money = (seat: Seated, id: string) => ({ machineId, playerId, epoch: seat.epoch, id });
  return {
    init: async (input) => {
      const { role = "player", offer, ...ask } = input;
      const waitMs = offer === undefined ? 0 : parts.offers[role].wait(playerId);
      if (waitMs > 0 && role === "spectator") return tooMany(waitMs);
      return await answered(async () => {
        if (input.machineID !== machineId)
          throw new Refusal("request.invalid", "init must name the machine of the socket's address");
        if (connection.joined || connection.joining)
          throw new Refusal("request.invalid", "init was done before on this socket");
        connection.joining = true;
        try {
          if (await connection.isLocked()) throw new Refusal("session.locked");
          if (role === "spectator") return await initSpectator(parts, connection, input);
          // The seat is the player's at any rate of offers; only the video waits.
          return await initPlayer(parts, connection, waitMs > 0 ? ask : input);
        } finally {
          connection.joining = false;
        }
      });
    },
    offer: async ({ sdp, framesPerSecond }) => {
      const ofSocket = connection.role === "spectator" ? 0 : mayOffer();
      const waitMs = ofSocket > 0 ? ofSocket : parts.offers[connection.role].wait(playerId);
      if (waitMs > 0) return tooMany(waitMs);
      return await answered(async () => {
        if (!connection.joined) throw new Refusal("session.terminated", "init comes first");
        const answer = await offerTo(parts, connection, { sdp, framesPerSecond });
        return { sdp: answer, iceServers: iceServersFor(parts, connection) };
      });
    },
    cashIn: ({ id, amount }) =>
      answered(async () => {
        const command = { ...money(seatOf(connection), id), amount };
        return moneyAnswer(await parts.wallet.cashIn(command, () => connection.act()));
      }),
    cashOut: ({ id, amount }) =>
      answered(async () =>
        moneyAnswer(await parts.wallet.cashOut({ ...money(seatOf(connection), id), amount: amount ?? null })),
      ),
    callAttendant: () =>
      answered(async () => {
        seatOf(connection);
        return await parts.calls.open(machineId, playerId);
      }),
    about: () =>
      answered(async () => {
        seatOf(connection);
        return await aboutMachine(parts, machineId);
      }),
    press: (press) => answered(async () => await pressOverSocket(parts, connection, press)),
    continue: () =>
      answered(async () => {
        // No countdown is answered while the idle lock holds.
        if (!(await connection.act())) throw new Refusal("session.locked");
        return await playerDid(parts, connection);
      }),
    keepPlaying: ({ id }) => answered(async () => await keepPlaying(parts, connection, id)),
    checkEvery: ({ minutes }) => answered(async () => await setCheckEvery(parts, connection, minutes)),
    hold: (wanted) => answered(async () => await holdForReturn(parts, connection, wanted)),
    leave: () => answered(async () => await leaveSeat(parts, connection)),
  };
}

/** What the machine states of itself. Refuses with: machine.unreachable. */
async function aboutMachine({ agents }: GameParts, machineId: string): Promise<MachineAbout> {
  const answer = await agents.request("egm.about", { machineId });
  if (answer.is === "done") return answer.data;
  // An agent of an older version does not know the request: its machine states nothing.
  if (answer.is === "refused" && answer.refusal.name === "request.malformed") return {};
  throw new Refusal("machine.unreachable");
}

/** A press that came without a data channel. One of an older epoch is judged as the agent judges it: refused, which is an outcome. */
async function pressOverSocket(
  parts: GameParts,
  connection: Connection,
  press: z.output<typeof Press>,
): Promise<z.output<typeof PressAnswer>> {
  const seat = seatOf(connection);
  const view = await viewSeat(parts, connection.machineId);
  if (press.epoch !== seat.epoch || view.epoch !== seat.epoch)
    return { seq: press.seq, outcome: "refused", at: press.at, reason: "stale epoch" };
  if (view.press !== true) throw new Refusal(view.press);
  const answer = await parts.agents.request("press", { ...press, machineId: connection.machineId });
  if (answer.is === "refused") throw new Refusal(answer.refusal.name ?? "machine.locked", answer.refusal.reason);
  if (answer.is !== "done") throw new Refusal("machine.unreachable");
  await noteInput(parts, connection);
  return answer.data;
}

const tooMany = (waitMs: number) => refused("request.too_many", { params: { seconds: Math.ceil(waitMs / 1_000) } });

/** Ends the play session; the socket closes by itself once the answer has had time to arrive. */
async function leaveSeat(parts: GameParts, connection: Connection): Promise<Ended> {
  seatOf(connection);
  const { machineId, playerId } = connection;
  const command = { machineId, playerId, event: "playerEnds", reason: "left", notYours: "session.not_yours" } as const;
  connection.leaving = true;
  try {
    const ended = await endSession(parts, command);
    if (ended.outcome === "done") parts.deps.clock.after(CLOSE_AFTER_LEAVE_MS, () => connection.close("ended"));
    else connection.leaving = false;
    return ended;
  } catch (error) {
    connection.leaving = false;
    throw error;
  }
}

/** The seat of a player's socket. A spectator, and a socket before `init`, has none. */
function seatOf({ seated }: Connection): Seated {
  if (seated === null) throw new Refusal("session.not_yours", "this socket holds no seat");
  return seated;
}

/** Notes that the player is there: the idle time begins anew. */
async function playerDid({ seats }: GameParts, connection: Connection): Promise<Record<string, never>> {
  const { epoch } = seatOf(connection);
  await seats.within(connection.machineId, async (seat) => {
    if (seat.row.epoch !== epoch || seat.row.player_id !== connection.playerId) throw new Refusal("seat.stale_epoch");
    const problem = await seat.happen("input");
    if (problem !== null) throw new Refusal(problem);
  });
  return {};
}

/** The press has been made, and that is the answer, whatever became of its seat meanwhile. */
async function noteInput(parts: GameParts, connection: Connection): Promise<void> {
  try {
    await playerDid(parts, connection);
  } catch (error) {
    parts.deps.log.info({ err: error, machineId: connection.machineId }, "a press was made, but its seat has changed");
  }
}

function moneyAnswer(outcome: MoneyOutcome): MoneyAnswer {
  if (outcome.is === "refused") throw new Refusal(outcome.problem.name, outcome.problem.detail);
  return outcome.is === "done" ? { outcome: "done", amount: outcome.amount } : { outcome: "unknown", amount: 0 };
}

/** Answers the socket with the refusals of seats and wallet. */
async function answered<T>(work: () => Promise<T>): Promise<Handled<T>> {
  try {
    return done(await work());
  } catch (error) {
    if (error instanceof Refusal)
      return refused(error.problem, {
        ...(error.detail !== undefined && { detail: error.detail }),
        ...(error.params && { params: error.params }),
      });
    throw error;
  }
}
