import { CLIP_PART_PATH, ClipPartOfGame, clipCalls } from "@longarm/contract/clips";
import { GameId } from "@longarm/contract/player-record";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import type { PlatformDeps } from "../../../deps.ts";
import { callLimit } from "../../../plugins/limits.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import type { GameOfPlayer, HistoryTables } from "../history/index.ts";
import { gameOn, lastGames } from "../history/index.ts";
import type { Clips } from "./clips.ts";
import { clipOfGame, partOf, wantClip } from "./served.ts";
import { PARTS_PER_MINUTE, sendPart } from "./stream.ts";

const BODY_BYTES_MAX = 1_024;

type Parts = Pick<PlatformDeps, "db"> & {
  readonly clips: Clips;
  /** Whether the player has a question about a game, decided or not. */
  readonly hasQuestion: (playerId: string, game: string) => Promise<boolean>;
};

/** Recordings of the caller's own games: the last ten, and those with a question. */
export function createPlayerClips({ db, clips, hasQuestion }: Parts, app: FastifyInstance, guard: Guard): void {
  const tables = db.kysely.withTables<HistoryTables>();
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const own = { onRequest: guard };
  const limit = callLimit(app, PARTS_PER_MINUTE, (request) => `clip ${request.caller?.playerId}`);

  /** The caller's game; else the refusal is sent. */
  async function gameFor(reply: FastifyReply, playerId: string, id: string): Promise<GameOfPlayer | undefined> {
    const found = await gameOn(tables, id);
    if (found?.playerId !== playerId) {
      void notThere(reply, "no game of the caller has this id");
      return undefined;
    }
    const isLast = (await lastGames(tables, playerId, undefined)).some((game) => game.id === found.game.id);
    if (isLast || (await hasQuestion(playerId, found.game.id))) return found;
    const detail = "the game is none of the last ten, and there is no question about it";
    void sendProblem(reply, { name: "request.invalid", detail }, 409);
    return undefined;
  }
  const answer = async (reply: FastifyReply, game: GameOfPlayer) =>
    reply.header("cache-control", "no-store").send((await clipOfGame(clips, game)).shown);

  typed.get(
    "/v1/player/clips/:id",
    { ...own, schema: { params: z.object({ id: GameId }) } },
    async (request, reply) => {
      const game = await gameFor(reply, callerOf(request).playerId, request.params.id);
      return game === undefined ? reply : await answer(reply, game);
    },
  );
  const { path, body } = clipCalls.requestClip;
  typed.post(`/v1/${path}`, { ...own, bodyLimit: BODY_BYTES_MAX, schema: { body } }, async (request, reply) => {
    const game = await gameFor(reply, callerOf(request).playerId, request.body.game);
    if (game === undefined) return reply;
    await wantClip(clips, game);
    return await answer(reply, game);
  });
  typed.get(
    `/v1/${CLIP_PART_PATH.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    { onRequest: [guard, limit], config: { countedApart: true }, schema: { params: ClipPartOfGame } },
    async (request, reply) => {
      const { id, name } = request.params;
      const game = await gameFor(reply, callerOf(request).playerId, id);
      if (game === undefined) return reply;
      // Index and chain have what the machine counted in its whole life: they are the venue's.
      const part = name.endsWith(".mp4") ? await partOf(clips, game, name) : undefined;
      return part === undefined ? notThere(reply, "the clip has no such part") : await sendPart(reply, part, name);
    },
  );
}

const notThere = (reply: FastifyReply, detail: string) => sendProblem(reply, { name: "request.invalid", detail }, 404);
