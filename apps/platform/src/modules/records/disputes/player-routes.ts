import type { DisputeAnswer } from "@longarm/contract/player-disputes";
import { disputeCalls as calls } from "@longarm/contract/player-disputes";
import type { PlayedGame } from "@longarm/contract/player-record";
import { GameId } from "@longarm/contract/player-record";
import type { Settings } from "@longarm/contract/settings";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod/mini";
import type { AnyDb, PlatformDeps } from "../../../deps.ts";
import { sendProblem } from "../../../plugins/problems.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import type { MarketTables } from "../../protection/markets/index.ts";
import { marketsAt, rulesOf } from "../../protection/markets/index.ts";
import type { Clips } from "../clips/index.ts";
import { gameWish } from "../clips/index.ts";
import type { HistoryTables } from "../history/index.ts";
import { readGame } from "../history/index.ts";
import { bookedFor } from "./booked.ts";
import type { DisputeRow } from "./disputes.ts";
import {
  additionsLeft,
  addWords,
  askDispute,
  gameIdOf,
  gameOfId,
  listDisputes,
  lockDispute,
  mayAsk,
  readByPlayer,
  stepsOf,
} from "./disputes.ts";

/** A text of the longest, each character in four bytes. */
const BODY_BYTES_MAX = 8_192;
/** Questions that a player's page lists. */
const LISTED_MAX = 50;

type Parts = Pick<PlatformDeps, "db" | "random" | "config" | "log"> & {
  readonly clips: Pick<Clips, "requestClip" | "lock">;
  readonly settings: { independentBodies(): Settings["independentBodies"] };
};

/** Questions of the caller about own games. Nothing that closes play closes them. */
export function createDisputes(parts: Parts, app: FastifyInstance, guard: Guard): void {
  const { db, random, config } = parts;
  const { kysely } = db;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const own = { onRequest: guard };
  const fresh = (reply: FastifyReply) => reply.header("cache-control", "no-store");
  const answer = async (reply: FastifyReply, playerId: string, game: PlayedGame | undefined) =>
    game === undefined ? noGame(reply) : fresh(reply).send(await answerOf(parts, playerId, game));
  const gameOf = (playerId: string, id: string) => readGame(kysely.withTables<HistoryTables>(), playerId, id);

  typed.get(`/v1/${calls.disputes.path}`, own, async (request, reply) => {
    const { playerId } = callerOf(request);
    return fresh(reply).send({ disputes: await listedFor(kysely, playerId) });
  });
  const params = z.object({ id: GameId });
  typed.get("/v1/player/disputes/:id", { ...own, schema: { params } }, async (request, reply) => {
    const { playerId } = callerOf(request);
    return await answer(reply, playerId, await gameOf(playerId, request.params.id));
  });
  const post = { ...own, bodyLimit: BODY_BYTES_MAX };
  typed.post(
    `/v1/${calls.askDispute.path}`,
    { ...post, schema: { body: calls.askDispute.body } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      const { game: id, kind, words = null } = request.body;
      const game = await gameOf(playerId, id);
      if (game === undefined) return noGame(reply);
      const isOpen = (await listDisputes(kysely, { playerId, game: id })).length > 0;
      const kept = isOpen || (await mayAsk(kysely, playerId, game));
      if (kept && !isOpen)
        await kysely.transaction().execute(async (trx) => {
          const dueDays = await dueDaysOf(trx, config.play.DISPUTE_DAYS, { playerId, game: id });
          await askDispute(trx, random, { playerId, game: id, kind, words, dueDays });
        });
      if (kept && !isOpen) await keepRecording(parts, playerId, game);
      if (!kept) return refused(reply, "the game is too long ago, or too many questions are open");
      return await answer(reply, playerId, game);
    },
  );
  typed.post(
    `/v1/${calls.addToDispute.path}`,
    { ...post, schema: { body: calls.addToDispute.body } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      const { game: id, text } = request.body;
      const added = await kysely.transaction().execute(async (trx) => {
        const found = await lockDispute(trx, { playerId, game: id });
        if (found === undefined) return undefined;
        return found.decidedAt === null && (await addWords(trx, found.id, text));
      });
      if (added === undefined) return noGame(reply);
      if (!added) return refused(reply, "the question is decided, or has enough words");
      return await answer(reply, playerId, await gameOf(playerId, id));
    },
  );
  typed.post(
    `/v1/${calls.readDispute.path}`,
    { ...post, schema: { body: calls.readDispute.body } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      const { game: id } = request.body;
      const [found] = await listDisputes(kysely, { playerId, game: id });
      if (found === undefined) return noGame(reply);
      if (found.isNew) await readByPlayer(kysely, found.id);
      return await answer(reply, playerId, await gameOf(playerId, id));
    },
  );
}

/** Fetches the recording of a game from its agent, and keeps it, and all of the session there, for the question. What fails is logged: the question stays. */
async function keepRecording({ db, clips, log }: Parts, playerId: string, game: PlayedGame): Promise<void> {
  const { id } = game;
  try {
    const [found] = await listDisputes(db.kysely, { playerId, game: id });
    if (found === undefined) return;
    await clips.lock(await clips.requestClip(gameWish({ machineId: found.machineId, game })), found.id);
  } catch (error) {
    log.error({ err: error, game: id }, "the recording of a game could not be kept for its question");
  }
}

const noGame = (reply: FastifyReply) =>
  sendProblem(reply, { name: "request.invalid", detail: "no game or question of the caller has this id" }, 404);
const refused = (reply: FastifyReply, detail: string) => sendProblem(reply, { name: "request.invalid", detail }, 409);

/** What a player reads of it. */
export const stateOf = ({ decidedAt, owner }: Pick<DisputeRow, "decidedAt" | "owner">) => {
  if (decidedAt !== null) return "decided";
  return owner === null ? "received" : "lookedAt";
};

/** A game of the player as the page shows it, with the question about it. */
async function answerOf(parts: Parts, playerId: string, game: PlayedGame): Promise<DisputeAnswer> {
  const db: AnyDb = parts.db.kysely;
  const [found] = await listDisputes(db, { playerId, game: game.id });
  const booked = await bookedFor(db, gameOfId(game.id));
  return {
    game,
    booked: booked && { amount: booked.amount, at: booked.at.toISOString() },
    mayAsk: found === undefined && (await mayAsk(db, playerId, game)),
    dueDays: await dueDaysOf(db, parts.config.play.DISPUTE_DAYS, { playerId, game: game.id }),
    independentBodies: found?.verdict == null ? [] : await bodiesFor(parts, { playerId, game: game.id }),
    dispute: found === undefined ? null : await shown(db, found),
  };
}

type OwnGame = { readonly playerId: string; readonly game: string };

/** Within how many days a question is answered: what the venue promises, and sooner where a market of venue, player or machine wants it. */
export async function dueDaysOf(db: AnyDb, promised: number, { playerId, game }: OwnGame): Promise<number> {
  const { machineId } = gameOfId(game);
  const { questionDays } = await rulesOf(db.withTables<MarketTables>(), { playerId, machineId });
  return Math.min(promised, questionDays ?? promised);
}

/** The independent bodies of the markets of venue, player and machine, and those for everybody. */
async function bodiesFor({ db, settings }: Parts, { playerId, game }: OwnGame) {
  const { machineId } = gameOfId(game);
  const [markets = []] = await marketsAt(db.kysely.withTables<MarketTables>(), [{ playerId, machineId }]);
  const names: readonly string[] = markets;
  return settings
    .independentBodies()
    .filter(({ market }) => market === undefined || names.includes(market))
    .map(({ name, address = null, url = null }) => ({ name, address, url }));
}

async function shown(db: AnyDb, row: DisputeRow): Promise<NonNullable<DisputeAnswer["dispute"]>> {
  const steps = await stepsOf(db, row.id, "player");
  const decided = steps.find(({ kind }) => kind === "decided");
  const { id, number, kind, verdict, amount, transferId: transfer, isNew } = row;
  return {
    ...{ id, number, kind, isNew },
    state: stateOf(row),
    openedAt: row.openedAt.toISOString(),
    dueAt: row.dueAt.toISOString(),
    steps: steps.flatMap(({ at, kind: what, sender: from, text, erased }) =>
      what === "note" || what === "mark" || what === "requested"
        ? []
        : [{ at: at.toISOString(), kind: what, from, text, erased }],
    ),
    additionsLeft: row.decidedAt === null ? additionsLeft(steps) : 0,
    decision: verdict === null ? null : { verdict, sentence: decided?.sentence ?? null, amount, transfer },
  };
}

async function listedFor(db: AnyDb, playerId: string) {
  const rows = await listDisputes(db, { playerId, limit: LISTED_MAX });
  const games = await Promise.all(rows.map((row) => readGame(db.withTables<HistoryTables>(), playerId, gameIdOf(row))));
  return rows.flatMap((row, index) => {
    const game = games[index];
    if (game === undefined) return [];
    const { number, kind, openedAt, dueAt, isNew, verdict } = row;
    return {
      ...{ number, kind, isNew, verdict, state: stateOf(row) },
      openedAt: openedAt.toISOString(),
      dueAt: dueAt.toISOString(),
      game: { id: game.id, number: game.number, machine: game.machine, end: game.end },
    };
  });
}
