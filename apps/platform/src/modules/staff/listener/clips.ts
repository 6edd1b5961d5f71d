import type { StaffCall } from "@longarm/contract/staff-call";
import { STAFF_BASE } from "@longarm/contract/staff-call";
import { disputeDeskCalls, GameParams, STAFF_CLIP_PART_PATH, StaffClipPart } from "@longarm/contract/staff-disputes";
import type { FastifyInstance } from "fastify";
import * as z from "zod/mini";
import type { AnswerTooMany } from "../../../plugins/limits.ts";
import { callLimit } from "../../../plugins/limits.ts";
import { deskFloor } from "../../play/desk/index.ts";
import { pictureReports } from "../../play/session/index.ts";
import type { PlayTables } from "../../play/tables.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import type { Clips } from "../../records/clips/index.ts";
import { clipOfGame, PARTS_PER_MINUTE, partOf, sendPart, wantClip } from "../../records/clips/index.ts";
import { gameIdOf } from "../../records/disputes/index.ts";
import type { GameOfPlayer, HistoryTables } from "../../records/history/index.ts";
import { gameOn } from "../../records/history/index.ts";
import { Refused } from "../sign-in/index.ts";
import type { ActsDeps } from "./desk.ts";
import { besideGame } from "./disputes.ts";
import { seesPlayer } from "./floor.ts";
import type { GuardDeps } from "./guard.ts";
import { guardOf } from "./guard.ts";
import type { Handlers } from "./routes.ts";
import { callerOf } from "./routes.ts";

/** A report is of the seconds before it, and without trouble one is kept a minute. */
const REPORTED_MS = 65_000;

type Params = Readonly<Record<string, string>>;

/** Recordings of games. What is read of one is noted by the clip's id, so that its parts are one reading. */
export function clipHandlers(deps: ActsDeps, clips: Clips): Handlers {
  const { source } = deps;
  const read = async (params: Params, staffId: string) => {
    const found = await gameIn(deps, params);
    const { id, shown } = await clipOfGame(clips, found);
    if (id !== undefined && shown.state === "ready") await clips.noteReading(id, staffId);
    const skewMs = shown.skewMs ?? 0;
    const from = new Date(shown.fromMs - skewMs - REPORTED_MS);
    const to = new Date(shown.toMs - skewMs + REPORTED_MS);
    const picture = await pictureReports(source.withTables<PlayTables>(), found.game.session, { from, to });
    return { ...shown, picture };
  };
  return {
    clip: ({ params, caller }) => read(params, caller().staffId),
    async requestClip({ params, caller }) {
      await wantClip(clips, await gameIn(deps, params));
      return await read(params, caller().staffId);
    },
    async gameOfClip({ params, caller }) {
      const { machineId, playerId, game } = await gameIn(deps, params);
      const player = await findPlayer(source.withTables<PlayersTables>(), playerId);
      const [machine] = await deskFloor(source, machineId);
      return {
        machine: { id: machineId, name: machine?.name ?? machineId },
        player: seesPlayer(caller()) ? { id: playerId, username: player?.username ?? playerId } : null,
        ...(await besideGame(deps, { machineId, playerId, game }, caller())),
      };
    },
  };
}

/** @throws Refused: there is no such game of a player. */
async function gameIn({ source }: Pick<ActsDeps, "source">, params: Params): Promise<GameOfPlayer> {
  const read = z.safeParse(GameParams, params);
  const id = read.success && gameIdOf({ machineId: read.data.machine, gameNumber: read.data.number });
  const found = id === false ? undefined : await gameOn(source.withTables<HistoryTables>(), id);
  if (found === undefined) throw new Refused("thing.unknown", { kind: "game" });
  return found;
}

const PART = {
  method: "GET",
  path: STAFF_CLIP_PART_PATH,
  answer: z.unknown(),
  for: disputeDeskCalls.clip.for,
} as const satisfies StaffCall;

/** GET clips/{machine}/{number}/parts/{name}: one file of a clip, streamed. */
export function clipPartRoute(
  app: FastifyInstance,
  guard: GuardDeps,
  deps: Pick<ActsDeps, "source">,
  clips: Clips,
  tooMany: AnswerTooMany,
): void {
  const limit = callLimit(app, PARTS_PER_MINUTE, (request) => `clip ${callerOf(request).staffId}`, undefined, tooMany);
  const url = STAFF_BASE + PART.path.replaceAll(/\{(\w+)\}/g, ":$1");
  app.get(url, { onRequest: [guardOf(guard, PART), limit], exposeHeadRoute: false }, async (request, reply) => {
    const params = z.safeParse(StaffClipPart, request.params);
    const part = params.success
      ? await partOf(clips, await gameIn(deps, request.params as Params), params.data.name)
      : undefined;
    if (part === undefined || !params.success) throw new Refused("thing.unknown", { kind: "clip" });
    await clips.noteReading(part.id, callerOf(request).staffId);
    return await sendPart(reply, part, params.data.name);
  });
}
