import { createHmac } from "node:crypto";
import type { InitAnswer, InitAsk } from "@longarm/contract/game-socket";
import type { IceServer } from "@longarm/contract/ice-server";
import { MACHINE_STATUS } from "@longarm/contract/lobby-lists";
import { addressOfMachine } from "@longarm/link/environment";
import type * as z from "zod/mini";
import { invitationProblem } from "../../protection/gates/index.ts";
import { isReachable, Refusal } from "../seat/index.ts";
import type { MachineFactsKept, MetersNow } from "../tables.ts";
import type { Connection, GameParts } from "./connection.ts";
import { holdOffered } from "./hold.ts";
import { grantSeat, holderGone } from "./holder.ts";
import type { Seated } from "./sit.ts";
import { sit } from "./sit.ts";

type Ask = z.output<typeof InitAsk>;
type Offer = { readonly sdp: string; readonly framesPerSecond?: number | undefined };

/** Takes the seat for this socket and, with an offer, starts the video in the same round trip. Refuses as `sit` does. */
export async function initPlayer(parts: GameParts, connection: Connection, ask: Ask): Promise<InitAnswer> {
  const seated = await sit(parts, connection);
  connection.seated = seated;
  parts.holders.set(connection.socketId, connection);
  if (connection.closed) {
    parts.holders.delete(connection.socketId);
    await holderGone(parts, connection.machineId, connection.socketId);
    throw new Refusal("session.terminated", "the socket closed while it sat down");
  }
  // Before the offer: the agent's candidates may come before its answer does.
  joinOpen(connection);
  const granting = grantSeat(parts, seated);
  // Beside its grant: the agent answers it behind that.
  const [answered, granted, meters, call, hold] = await Promise.all([
    answerTo(parts, connection, ask, granting),
    granting,
    metersNow(parts, seated),
    parts.calls.now(seated.machineId, connection.playerId),
    holdOffered(parts, connection.playerId),
  ]);
  // Its close has given the seat back and ended the video already.
  if (connection.closed) throw new Refusal("session.terminated", "the socket closed while it joined");
  const { facts } = seated;
  const answer: InitAnswer = {
    machine: { ...machineOf(facts), status: MACHINE_STATUS.playing },
    bandSelects: facts.bandSelects,
    activeBand: meters.activeBand,
    buttons: facts.buttons,
    iceServers: iceServersFor(parts, connection),
    meters,
    limits: facts.limits,
    playSession: playSessionOf(seated),
    epoch: seated.epoch,
    webcam: facts.webcam,
    call,
    ...(hold !== undefined && { hold }),
    ...(granted !== undefined && connection.protection.begin(granted)),
    ...answered,
  };
  // Behind the answer, which begins the page's state anew.
  parts.deps.clock.after(0, () => {
    connection.pushAway();
    connection.protection.start();
  });
  return answer;
}

function playSessionOf({ playSessionId: id, startedAt, netMinor, wageredMinor: wagered, games }: Seated) {
  return { id, startedAt, netMinor, played: { games, wagered, won: wagered + netMinor } };
}

/** A socket that closed meanwhile gets no video: nothing would ever end it, and a machine serves few viewers. */
function joinOpen(connection: Connection): void {
  if (connection.closed) throw new Refusal("session.terminated", "the socket closed while it joined");
  connection.join();
}

/** How long `init` waits for the machine's own meters, ms; then those of its last event serve. */
const METERS_WITHIN_MS = 1_500;

async function metersNow({ agents }: GameParts, { machineId, meters }: Seated): Promise<MetersNow> {
  const answer = await agents.request("egm.meters", { machineId }, METERS_WITHIN_MS);
  return answer.is === "done" ? answer.data.meters : meters;
}

/**
 * A place to watch, while somebody plays: no seat, no money, no presses. Where the agent's are taken and there is a media server (`CROWD_WHEP`) the
 * answer has its address instead of video.
 * Refuses with: machine.not_available (no play session runs), machine.unreachable, spectators.full, spectators.yours, and what keeps a player from
 * watching (`invitationProblem`).
 */
export async function initSpectator(parts: GameParts, connection: Connection, ask: Ask): Promise<InitAnswer> {
  const { deps, watchers } = parts;
  const machine = await deps.db
    .selectFrom("machine as m")
    .innerJoin("seat as s", "s.machine_id", "m.id")
    .select(["m.facts", "m.meters", "m.watchable", "s.play_session_id", isReachable().as("answers")])
    .where("m.id", "=", connection.machineId)
    .executeTakeFirst();
  if (!machine || machine.play_session_id === null) throw new Refusal("machine.not_available");
  if (!machine.answers) throw new Refusal("machine.unreachable");
  if (!machine.watchable) throw new Refusal("spectators.full");
  const closed = await invitationProblem(deps.db, connection.playerId);
  if (closed !== null) throw new Refusal(closed.name, undefined, { params: closed.params });
  const { CROWD_WHEP: crowdWhep } = deps.config.play;
  const place = await (crowdWhep === null ? watchers.take(connection) : watchers.takeOrJoinCrowd(connection));
  if (place !== null && place !== "crowd") throw new Refusal(place);
  connection.role = "spectator";
  connection.crowd = place === "crowd";
  connection.watched = machine.play_session_id;
  // Nothing else gives this place back for a socket that closed meanwhile.
  if (connection.closed) await watchers.leave(connection);
  joinOpen(connection);
  return {
    machine: { ...machineOf(machine.facts), status: MACHINE_STATUS.playing },
    bandSelects: [],
    activeBand: null,
    buttons: [],
    iceServers: iceServersFor(parts, connection),
    meters: machine.meters,
    // The room is the player's to see.
    webcam: false,
    ...(connection.crowd && crowdWhep !== null
      ? { crowd: { whep: addressOfMachine(crowdWhep, connection.machineId) } }
      : await answerTo(parts, connection, ask)),
  };
}

/**
 * Moves a spectator to the crowd, or from there to a place of the agent.
 * Refuses with: spectators.full, spectators.yours.
 */
async function moveSpectator({ watchers }: GameParts, connection: Connection, crowd: boolean): Promise<void> {
  const problem = await watchers.take(connection, { crowd });
  if (problem !== null) throw new Refusal(problem);
  connection.crowd = crowd;
  // Its row was removed when the socket closed, and is there again.
  if (connection.closed) await watchers.leave(connection);
}

/**
 * Gives the browser's offer to the agent and answers its SDP.
 * Refuses with: machine.unreachable, pipeline.failed (the agent cannot capture it), spectators.full (the agent has no place for one more spectator),
 * spectators.yours.
 */
export async function offerTo(
  parts: GameParts,
  connection: Connection,
  { sdp, framesPerSecond }: Offer,
  withinMs?: number,
): Promise<string> {
  const offer = {
    machineId: connection.machineId,
    viewerId: connection.viewerId,
    role: connection.role,
    sdp,
    iceServers: iceServersFor(parts, connection),
    ...(connection.seated && { epoch: connection.seated.epoch }),
    ...(framesPerSecond !== undefined && { framesPerSecond }),
  };
  // The media server did not serve it.
  const fromCrowd = connection.crowd;
  if (fromCrowd) await moveSpectator(parts, connection, false);
  connection.offers();
  const answer = await parts.agents.request("rtc.offer", offer, withinMs);
  if (answer.is === "done") return answer.data.sdp;
  if (fromCrowd) await moveSpectator(parts, connection, true);
  if (answer.is !== "refused") throw new Refusal("machine.unreachable");
  const isFull = answer.refusal.name === "spectators.full" && connection.role === "spectator";
  const cause = answer.refusal.name === STALE ? STALE : undefined;
  throw new Refusal(isFull ? "spectators.full" : "pipeline.failed", answer.refusal.reason, { cause });
}

/** Refused by an agent that does not know the seat of the offer, or knows a newer one; the cause of the `Refusal`. */
const STALE = "seat.stale_epoch";

/** How long `init` waits for the video's answer, ms: together with the grant before it less than the page waits for `init`. */
const PICTURE_WITHIN_MS = 5_000;

/**
 * Without video the seat is still the player's: the page sends an `offer` again. `granting`: the grant that is on its way. The offer is sent once more
 * behind it where the agent did not wait for that: for so long, or because it is of an older version.
 */
async function answerTo(
  parts: GameParts,
  connection: Connection,
  ask: Ask,
  granting?: Promise<unknown>,
): Promise<{ answer?: string }> {
  if (ask.offer === undefined || connection.closed) return {};
  const offer = { sdp: ask.offer, framesPerSecond: ask.framesPerSecond };
  try {
    return { answer: await offerTo(parts, connection, offer, PICTURE_WITHIN_MS) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (granting !== undefined && error.cause === STALE) {
      await granting;
      return await answerTo(parts, connection, ask);
    }
    parts.deps.log.warn({ machineId: connection.machineId, detail: error.message }, "no video at init");
    return {};
  }
}

/** Minted for this account now; empty: those of the settings hold. */
export function iceServersFor({ deps }: GameParts, { playerId }: Connection) {
  return mintIceServers(deps.config.turn, playerId, deps.clock.now());
}

/** The facts of the wire, without those that a player alone gets. */
function machineOf({
  bandSelects: _bands,
  buttons: _buttons,
  limits: _limits,
  webcam: _webcam,
  ...machine
}: MachineFactsKept) {
  return machine;
}

/** How long minted TURN credentials are valid, ms. */
const TURN_CREDENTIALS_MS = 600_000;

/** Of an account's name at the TURN servers. */
const NAME_CHARS = 24;

/** `secret`: shared with the servers. */
export type TurnServers = { readonly urls: readonly string[]; readonly secret: string | null };

/**
 * Mints TURN credentials by the TURN REST scheme: the user name is an expiry in seconds and a name, the password its HMAC-SHA1 under the
 * secret shared with the TURN servers. A server counts places by the name, which is one per account: new sockets bring no more
 * places. The name does not reveal the account. No servers configured: an empty list, and those of the settings hold.
 */
export function mintIceServers({ urls, secret }: TurnServers, accountId: string, nowMs: number): IceServer[] {
  if (urls.length === 0 || secret === null) return [];
  const name = createHmac("sha256", secret).update(`account ${accountId}`).digest("hex").slice(0, NAME_CHARS);
  const username = `${Math.floor((nowMs + TURN_CREDENTIALS_MS) / 1_000)}:${name}`;
  const credential = createHmac("sha1", secret).update(username).digest("base64");
  return [{ urls: [...urls], username, credential }];
}
