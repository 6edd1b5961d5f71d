import { OwnId } from "@longarm/contract/ids";
import { DISPUTE_VERDICTS } from "@longarm/contract/player-disputes";
import type { DisputeCase, DisputeCaseDetail } from "@longarm/contract/staff-disputes";
import * as z from "zod/mini";
import type { Random } from "../../../random.ts";
import { deskEventsBetween, deskFloor, deskMachineGames } from "../../play/desk/index.ts";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import { newestEntries } from "../../records/audit/index.ts";
import type { DisputeRow } from "../../records/disputes/index.ts";
import { bookedBeside, gameIdOf, listDisputes, noteReading, stateOf, stepsOf } from "../../records/disputes/index.ts";
import { listSamples } from "../../records/evidence/index.ts";
import type { GameOfPlayer, HistoryTables } from "../../records/history/index.ts";
import { readGame } from "../../records/history/index.ts";
import { ringPlayer } from "../../talk/outbox/index.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import {
  askBack,
  checkMoment,
  checkVerdict,
  keepRequested,
  namesOf,
  noteOn,
  payAndDecide,
  personOf,
  requestedWords,
  takeOver,
} from "../desk/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import { doAct, Refused, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps, Executes } from "./desk.ts";
import { idIn } from "./floor.ts";
import { listed } from "./people.ts";
import { entryRow } from "./records.ts";
import type { Handlers } from "./routes.ts";

/** Before and after a game, ms: what is shown beside it. */
const BESIDE_MS = 30_000;
/** Audit entries of one subject that are shown. */
const ENTRIES_MAX = 100;
/** Drawn games that are listed; older ones come by the command line. */
const SAMPLES_MAX = 200;

/** Questions of players about a game: what was kept of it, and what staff does. */
export function disputeHandlers(deps: ActsDeps): Handlers {
  const { db, source } = deps;
  return {
    disputes: async ({ query: { state, after, limit } }) => {
      if (after !== undefined && !z.safeParse(OwnId, after).success)
        throw new Refused("request.invalid", { where: "after" });
      const rows = await listDisputes(source, { state, after, limit });
      return await listed(db, await shown(deps, rows), rows.length === limit ? (rows.at(-1)?.id ?? null) : null);
    },
    dispute: async ({ params, caller }) => {
      const detail = await disputeDetail(deps, idIn(params, "question"), caller());
      await noteReading(source, detail.id, caller().staffId);
      return detail;
    },
    sampledGames: async ({ query: { state } }) => {
      const machines = await machineNames(deps);
      const rows = await listSamples(source, { state, limit: SAMPLES_MAX });
      return await listed(
        db,
        rows.map(({ machineId: id, decidedAt, why, ...row }) => ({
          ...row,
          why: [...why],
          machine: { id, name: machines.get(id) ?? id },
          decidedAt: decidedAt?.toISOString() ?? null,
        })),
        null,
      );
    },
    ...disputeActs(deps),
  };
}

const machineNames = async ({ source }: Pick<ActsDeps, "source">) =>
  new Map((await deskFloor(source)).map(({ id, name }) => [id, name]));

async function shown({ db, source }: ActsDeps, rows: readonly DisputeRow[]): Promise<z.input<typeof DisputeCase>[]> {
  const names = await namesOf(
    db,
    rows.flatMap(({ owner }) => owner ?? []),
  );
  const machines = await machineNames({ source });
  return await Promise.all(
    rows.map(async (row): Promise<z.input<typeof DisputeCase>> => {
      const { id, number, kind, gameNumber, machineId, playerId, owner, verdict, amount } = row;
      const player = await findPlayer(source.withTables<PlayersTables>(), playerId);
      return {
        ...{ id, number, kind, gameNumber, verdict, amount },
        transfer: row.transferId,
        state: stateOf(row),
        player: { id: playerId, username: player?.username ?? playerId },
        machine: { id: machineId, name: machines.get(machineId) ?? machineId },
        openedAt: row.openedAt.toISOString(),
        dueAt: row.dueAt.toISOString(),
        owner: owner === null ? null : personOf(names, owner),
        decidedAt: row.decidedAt?.toISOString() ?? null,
      };
    }),
  );
}

/** A question by its id. @throws Refused. */
async function rowOf({ source }: Pick<ActsDeps, "source">, id: string): Promise<DisputeRow> {
  const [row] = await listDisputes(source, { id });
  if (row === undefined) throw new Refused("thing.unknown", { kind: "question" });
  return row;
}

async function disputeDetail(
  deps: ActsDeps,
  id: string,
  caller: StaffCaller,
): Promise<z.input<typeof DisputeCaseDetail>> {
  const { db, source } = deps;
  const row = await rowOf(deps, id);
  const { machineId, playerId } = row;
  const [found] = await shown(deps, [row]);
  const game = await readGame(source.withTables<HistoryTables>(), playerId, gameIdOf(row));
  if (found === undefined || game === undefined) throw new Refused("thing.unknown", { kind: "question" });
  const steps = await stepsOf(source, id, "staff");
  const names = await namesOf(
    db,
    steps.flatMap(({ staffId }) => staffId ?? []),
  );
  return {
    ...found,
    steps: steps.map(({ at, kind, staffId, text, sentence, erased, momentMs }) => ({
      ...{ kind, text, sentence, erased, ...(momentMs !== null && { momentMs }) },
      at: at.toISOString(),
      person: staffId === null ? null : personOf(names, staffId),
    })),
    ...(await besideGame(deps, { machineId, playerId, game }, caller)),
  };
}

/** A game, the games before and after it on its machine, and what is kept of its seconds. */
export async function besideGame(
  deps: ActsDeps,
  { machineId, playerId, game }: GameOfPlayer,
  { permissions }: Pick<StaffCaller, "permissions">,
): Promise<Pick<z.input<typeof DisputeCaseDetail>, "game" | "gameBefore" | "gameAfter" | "facts">> {
  const { source } = deps;
  const { number: gameNumber } = game;
  const beside = { machineId, after: String(gameNumber + 2), limit: 3, seesPlayer: false };
  const { rows: games } = await deskMachineGames(source, beside);
  const from = new Date(Date.parse(game.start) - BESIDE_MS);
  const to = new Date(Date.parse(game.end) + BESIDE_MS);
  return {
    game,
    gameBefore: games.find(({ number }) => number === gameNumber - 1) ?? null,
    gameAfter: games.find(({ number }) => number === gameNumber + 1) ?? null,
    facts: {
      from: from.toISOString(),
      to: to.toISOString(),
      booked: (await bookedBeside(source, { machineId, gameNumber }, { from, to })).map(({ at, ...one }) => ({
        ...one,
        at: at.toISOString(),
      })),
      events: await deskEventsBetween(source, machineId, { from, to }),
      audit: permissions.has("audit.see") ? await entriesBeside(deps, { machineId, playerId }, { from, to }) : null,
    },
  };
}

/** What the audit log has about machine and player in that time, the oldest first. */
async function entriesBeside(
  { source }: ActsDeps,
  { machineId, playerId }: Pick<DisputeRow, "machineId" | "playerId">,
  time: { from: Date; to: Date },
) {
  const period = { from: time.from.toISOString(), to: time.to.toISOString() };
  const [ofMachine, ofPlayer] = await Promise.all(
    [`machine:${machineId}`, `player:${playerId}`].map((subject) =>
      newestEntries(source, { ...period, subject }, ENTRIES_MAX),
    ),
  );
  return [...(ofMachine ?? []), ...(ofPlayer ?? [])]
    .toSorted((one, other) => Number(one.id) - Number(other.id))
    .map(entryRow);
}

/** The player's devices say that there is something to read: neither what nor of which game, for a locked screen shows it. */
const ringAbout = (trx: StaffTransaction, random: Random, id: string, { playerId }: { readonly playerId: string }) =>
  ringPlayer(trx, random, { playerId, type: "question.answered", subject: `dispute:${id}`, data: {} });

const actorOf = ({ staffId, name, username }: StaffCaller) => ({ staffId, name, username });

const VerdictContent = z.strictObject({
  dispute: z.string(),
  verdict: z.enum(DISPUTE_VERDICTS),
  amount: z.int(),
  /** The question as the first person left it, with the words of the verdict as its newest step: what was added since is read before it is signed. */
  entries: z.int(),
});

/** What staff does; the command line too. */
export function disputeActs(deps: ActsDeps): Handlers {
  const { random, ledger, secondPerson } = deps;
  const idOf = (params: Readonly<Record<string, string>>) => idIn(params, "question");
  return {
    takeDispute: ({ act, caller, params, body: { expected } }) =>
      doAct(deps, act(), async (trx) => {
        await takeOver(wholeOf(trx), idOf(params), actorOf(caller()), expected);
        return {};
      }),
    noteDispute: async ({ act, caller, params, body: { note, momentMs } }) => {
      if (momentMs !== undefined) await checkMoment(deps.source, idOf(params), momentMs);
      return await doAct(deps, act(), async (trx) => {
        await noteOn(wholeOf(trx), idOf(params), actorOf(caller()), note, momentMs);
        return {};
      });
    },
    askBackDispute: ({ act, caller, params, body: { text } }) =>
      doAct(deps, act(), async (trx) => {
        const id = idOf(params);
        await ringAbout(trx, random, id, await askBack(wholeOf(trx), id, actorOf(caller()), text));
        return {};
      }),
    decideDispute: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const id = idOf(params);
        const { verdict, sentence, letter, amount = null } = body;
        const wanted = { verdict, sentence, letter, amount };
        const found = await checkVerdict(wholeOf(trx), id, caller(), wanted);
        if (amount === null || !secondPerson) {
          const done = await payAndDecide(wholeOf(trx), ledger.within(trx), id, actorOf(caller()), wanted);
          await ringAbout(trx, random, id, done);
          after.push(async () => deps.bus.publish("balance.changed", { playerId: done.playerId }));
          return { transfer: done.transfer };
        }
        const entries = await keepRequested(wholeOf(trx), id, actorOf(caller()), wanted);
        const player = await findPlayer(wholeOf(trx).withTables<PlayersTables>(), found.playerId);
        return await requestApproval(trx, random, caller(), {
          kind: "dispute.decide",
          subject: `dispute:${id}`,
          amount,
          reason: `question ${found.number}`,
          content: { dispute: id, verdict, amount, entries },
          evidence: [
            { label: "question", value: String(found.number) },
            { label: "player", value: player?.username ?? null },
            { label: "machine", value: found.machineId },
            { label: "game", value: String(found.gameNumber) },
            { label: "the venue pays", value: null, amount },
          ],
          would: { transfer: null },
        });
      }),
  };
}

/** What a second signature does: the venue pays, and the question is decided as it was requested. */
export function disputeExecutes(deps: ActsDeps): Executes {
  return {
    "dispute.decide": async (trx, content, { requestedBy, after }) => {
      const { dispute: id, entries, ...wanted } = z.parse(VerdictContent, content);
      const first = await personAt(trx, requestedBy);
      const words = await requestedWords(wholeOf(trx), id, entries);
      const { playerId } = await payAndDecide(wholeOf(trx), deps.ledger.within(trx), id, first, {
        ...wanted,
        ...words,
      });
      await ringAbout(trx, deps.random, id, { playerId });
      after.push(async () => deps.bus.publish("balance.changed", { playerId }));
    },
  };
}

async function personAt(trx: StaffTransaction, staffId: string) {
  const { username, name } = await trx
    .selectFrom("staff")
    .select(["username", "name"])
    .where("id", "=", staffId)
    .executeTakeFirstOrThrow();
  return { staffId, username, name };
}
